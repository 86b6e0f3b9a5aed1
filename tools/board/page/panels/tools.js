// What can be done with what is shown: leave it for a line and come back, have it reviewed, save it, end the game.

import { openSave } from '../dialogs/save.js';
import { fill, h } from '../dom.js';
import { lineOf } from '../sources/local-line.js';
import { ServerGame } from '../sources/server-game.js';
import { isHidden } from '../settings.js';
import { text } from '../text.js';

/** How long a button that ends a game waits for the second press, in milliseconds. */
const SURE = 6000;

export class Tools {
  /**
   * @param {object} parts
   * @param {import('../socket.js').Socket} parts.socket
   * @param {import('../table.js').Table} parts.table
   * @param {import('../lines.js').Lines} parts.lines
   * @param {import('./review.js').ReviewPanel} parts.review
   * @param {(error: unknown) => void} parts.fail
   */
  constructor({ socket, table, lines, review, fail }) {
    this.socket = socket;
    this.table = table;
    this.lines = lines;
    this.review = review;
    this.fail = fail;
    this.element = h('div', { class: 'tools' });
    /** The button that was pressed once, of those that end a game. */
    this.sure = '';
    this.doubt = 0;
  }

  show() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.getAttribute('data-tool') : null;
    const { source } = this.table;
    const notes = (source?.game.notes ?? []).map((note) => h('p', { class: 'note small' }, note));
    fill(this.element, ...notes, ...(source ? [...this.#ofLine(), ...this.#ofGame(source)] : []));
    if (focused) this.element.querySelector(`[data-tool="${focused}"]`)?.closest('button')?.focus();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for us */
  key(event) {
    const { table, lines } = this;
    if (event.key === 'Home') table.go(0);
    else if (event.key === 'End') table.go(Infinity);
    else if (event.key === ',') table.go(table.place - 1);
    else if (event.key === '.') table.go(table.place + 1);
    else if (event.key.toLowerCase() === 'w' && this.#canLeave) this.#whatIf();
    else if (event.key === 'Escape' && lines.root) lines.back();
    else return false;
    event.preventDefault();
    return true;
  }

  get #canLeave() {
    return this.table.source !== null && !isHidden(this.table.source);
  }

  #whatIf() {
    this.lines.whatIf().catch(this.fail);
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {() => unknown} act
   */
  #button(name, label, act) {
    return h('button', { type: 'button', 'data-tool': name, onclick: act }, label);
  }

  /**
   * A button that ends a game: it has to be pressed twice.
   * @param {string} name
   * @param {string} label
   * @param {() => void} act
   */
  #final(name, label, act) {
    const sure = this.sure === name;
    const press = () => {
      clearTimeout(this.doubt);
      this.sure = sure ? '' : name;
      if (sure) act();
      else this.doubt = setTimeout(() => this.#forget(), SURE);
      this.show();
    };
    const button = this.#button(name, sure ? text.table.sure(label) : label, press);
    button.classList.toggle('sure', sure);
    return button;
  }

  #forget() {
    this.sure = '';
    this.show();
  }

  /** Where a line comes from, and the ways back. */
  #ofLine() {
    const { lines, table } = this;
    const line = lines.shown;
    if (!line) return [];
    /** @type {HTMLElement[]} */
    const list = [h('h2', { class: 'line-title' }, lines.name(line))];
    if (line.origin) list.push(this.#button('back', text.table.back, () => lines.back()));
    const { root } = lines;
    if (root && root.source !== line.origin?.source) {
      list.push(this.#button('to-game', root.source.local ? text.table.toRecord : text.table.toGame, () => lines.show(root.source, root.at)));
    }
    const { state, plies } = line.game;
    if (table.live && state === 'turn') list.push(this.#button('other-dice', text.table.otherDice, () => lines.otherDice()));
    if (table.live && plies.length > (state === 'turn' ? 1 : 0)) {
      list.push(this.#button('take-back', text.table.takeBack, () => lines.takeBack().catch(this.fail)));
    }
    return list;
  }

  /** @param {import('../types.js').Source} source */
  #ofGame(source) {
    const { game } = source;
    const list = [];
    if (this.#canLeave) list.push(this.#button('what-if', text.table.whatIf, () => this.#whatIf()));
    if (this.review.canReview(source)) list.push(this.#button('review', text.table.review, () => this.review.open(source)));
    list.push(this.#button('save', text.table.save, () => openSave(this.socket, subjectOf(source), this.table.position)));
    if (source instanceof ServerGame && game.state !== 'over') {
      const isHuman = game.players.map((player) => player.kind === 'human');
      const people = isHuman.every((one) => one);
      // Who plays against an engine need not wait for its turn; of two people it is the one whose turn it is.
      const resigns = people ? game.side : isHuman[0] ? 'w' : 'b';
      if (isHuman.some((one) => one)) list.push(this.#final('resign', text.table.resign, () => source.resign(resigns).catch(this.fail)));
      if (people) list.push(this.#final('draw', text.table.draw, () => source.draw().catch(this.fail)));
      if (!isHuman.some((one) => one)) list.push(this.#final('stop', text.table.stop, () => source.abort().catch(this.fail)));
    }
    for (const [index, line] of this.lines.related.entries()) {
      if (line !== source) list.push(this.#button(`line-${index}`, this.lines.name(line), () => this.lines.show(line, null)));
    }
    return list;
  }
}

/**
 * What the server is asked about: a game that it has, or a line of ours.
 * @param {import('../types.js').Source} source
 * @returns {object}
 */
export function subjectOf(source) {
  return source.game.id !== null ? { game: source.game.id } : { line: lineOf(source.game) };
}
