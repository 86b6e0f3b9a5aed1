// The tray under the board: the dice, what is to be done now, and the buttons for it.

import { fill, h } from './dom.js';
import { readDfen } from './model/position.js';
import { diceOf, dicePicker } from './panels/dice.js';
import { motion } from './settings.js';
import { text } from './text.js';

/**
 * What the tray can ask for.
 * @typedef {object} Acts
 * @property {() => void} begin a new game
 * @property {(dice?: string) => void} roll
 * @property {() => void} undo
 * @property {() => void} send the turn, which is complete
 * @property {() => void} live back to what is played now
 * @property {(words: string) => void} type plays a move by its text
 */

export class Tray {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts;
    /** What the buttons are made for, and the dice: they are made anew only for something else. */
    this.made = '';
    this.thrown = '';
    this.dice = h('div', { class: 'dice' });
    this.status = h('p', { class: 'status' });
    this.actions = h('div', { class: 'actions' });
    this.input = h('input', {
      class: 'typed', id: 'typed', autocomplete: 'off', spellcheck: 'false', 'aria-label': text.table.typed, placeholder: text.table.typedHint,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter') this.#typed();
      },
    });
    this.element = h('div', { class: 'tray' }, this.dice, this.status, this.actions);
  }

  /** Presses a button, if it is there. @param {string} name */
  press(name) {
    const button = this.actions.querySelector(`[data-action="${name}"]`);
    if (button instanceof HTMLElement) button.click();
  }

  #typed() {
    const words = this.input.value.toLowerCase().replace(/[^a-h1-8qrbn]/g, '');
    this.input.value = '';
    if (words) this.acts.type(words);
  }

  /** @param {import('./table.js').Table} table */
  show(table) {
    this.#dice(table);
    const status = statusText(table);
    if (this.status.textContent !== status) fill(this.status, status);
    const buttons = this.#buttons(table);
    const made = JSON.stringify([table.source?.game.id, table.source?.game.plies.length, ...buttons.map((one) => one.key)]);
    // A button that is being pressed, or dice that are half chosen, stay what they are.
    if (made === this.made) return;
    this.made = made;
    // Who works by keyboard goes on where the button was: with the next one, or on the board.
    const focused = this.actions.contains(document.activeElement) ? document.activeElement : null;
    fill(this.actions, ...buttons.map((one) => one.make()));
    if (focused === this.input && this.input.isConnected) this.input.focus();
    else if (focused && table.board.moves.size) table.board.focus();
    else if (focused) (this.actions.querySelector('button') ?? table.board).focus();
  }

  /** @param {import('./table.js').Table} table */
  #dice(table) {
    const game = table.source?.game;
    const ply = game?.plies[table.shown - 1];
    if (!game || !ply || (table.live && game.state === 'roll')) {
      fill(this.dice);
      return;
    }
    const steps = table.live ? table.turn?.steps : null;
    const dice = diceOf(readDfen(ply.before).side, ply.roll, steps?.used ?? '', steps?.useless ?? '');
    // They roll when they have been thrown just now, not when one looks back or takes a move back.
    const thrown = `${game.id} ${game.plies.length} ${ply.roll}`;
    if (thrown !== this.thrown && table.live && ply.turn === null && motion()) dice.forEach((die) => die.classList.add('thrown'));
    if (table.live) this.thrown = thrown;
    fill(this.dice, ...dice);
  }

  /**
   * @param {import('./table.js').Table} table
   * @returns {{ key: string, make: () => HTMLElement }[]}
   */
  #buttons(table) {
    /** @param {string} name @param {string} label @param {() => void} act @param {string} [kind] @param {string} [key] */
    const button = (name, label, act, kind = '', key = undefined) => ({
      key: name,
      make: () =>
        h(
          'button',
          { type: 'button', class: kind, 'data-action': name, onclick: act, title: key && text.table.key(key), 'aria-keyshortcuts': key },
          label,
        ),
    });
    const { source } = table;
    if (!source) return [button('begin-first', text.menu.newGame, this.acts.begin, 'primary')];
    const { game } = source;
    if (!table.live) return [button('live', text.table.live, this.acts.live, 'primary')];
    const list = [];
    const typed = source.local || game.dice.source === 'typed';
    if (game.state === 'roll' && (table.mine || typed)) {
      if (typed) list.push({ key: `dice ${game.side}`, make: () => dicePicker(game.side, (dice) => this.acts.roll(dice)) });
      if (game.dice.source !== 'typed' || source.local) list.push(button('roll', text.table.rollButton, () => this.acts.roll(), 'primary', 'R'));
    }
    if (game.state === 'turn' && table.mine && table.turn) {
      const { steps } = table.turn;
      if (!steps.pass) list.push({ key: 'typed', make: () => this.input });
      if (steps.played.length) list.push(button('undo', text.table.undo, this.acts.undo, '', 'Backspace'));
      if (steps.played.length && steps.complete) list.push(button('play', text.table.play, this.acts.send, 'primary', 'S'));
    }
    return list;
  }
}

/** @param {import('./table.js').Table} table */
function statusText(table) {
  const game = table.source?.game;
  if (!game) return text.table.start;
  if (!table.live) {
    const ply = game.plies[table.shown - 1];
    return ply ? text.turn(ply.turn ?? '') : text.table.noTurn;
  }
  if (game.end) return text.result(game.end, game.players.map((player) => player.name));
  const name = table.name(game.side);
  if (game.state === 'roll') return text.table.roll(name);
  if (table.turn?.steps.pass) return text.table.pass;
  return table.seat(game.side)?.kind === 'engine' ? text.table.thinks(name) : text.table.moves(name);
}
