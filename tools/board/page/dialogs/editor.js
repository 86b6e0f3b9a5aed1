// The position editor: pieces are put, dragged and taken away, everything else of a DFEN has a field, and the server says whether
// it is a position.

import { Board } from '../board/board.js';
import { pieceIcon } from '../board/pieces.js';
import { fill, h } from '../dom.js';
import { KINDS, readDfen, sortedDice, START, writeDfen } from '../model/position.js';
import { text } from '../text.js';
import { field, openDialog, select } from './dialog.js';
import { Palette } from './palette.js';

const words = text.editor;

/** How long after a change the server is asked, in milliseconds. */
const PAUSE = 120;

/**
 * @param {import('../socket.js').Socket} socket
 * @param {string} dfen where it begins; sound
 * @param {boolean} flipped
 * @param {{ play: (dfen: string) => unknown, analyse: (dfen: string) => Promise<unknown>, save: (dfen: string) => unknown }} does
 */
export function openEditor(socket, dfen, flipped, does) {
  const editor = new Editor(socket, dfen, flipped);
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, words.cancel);
  /** @param {string} name @param {string} label @param {(dfen: string) => unknown} act @param {string} [kind] */
  const button = (name, label, act, kind = '') =>
    h('button', { type: 'button', class: kind, 'data-action': name, onclick: () => void done(act) }, label);
  const buttons = [
    button('editor-save', words.save, does.save),
    button('editor-analyse', words.analyse, does.analyse),
    button('editor-play', words.play, does.play, 'primary'),
  ];
  editor.judged = (sound) => buttons.forEach((one) => (one.disabled = !sound));
  /** @param {(dfen: string) => unknown} act */
  const done = async (act) => {
    const sound = await editor.position();
    if (sound === null) return;
    dialog.close();
    await act(sound);
  };
  const dialog = openDialog(words.title, editor.element, h('div', { class: 'choices' }, close, ...buttons));
  dialog.classList.add('wide');
  void editor.judge();
}

class Editor {
  /**
   * @param {import('../socket.js').Socket} socket
   * @param {string} dfen
   * @param {boolean} flipped
   */
  constructor(socket, dfen, flipped) {
    this.socket = socket;
    this.at = readDfen(dfen);
    this.flipped = flipped;
    /** The number of the latest question, so that an older answer is passed over. */
    this.asked = 0;
    /** The position as the server writes it, if it is one. @type {string | null} */
    this.sound = null;
    /** @type {(sound: boolean) => void} */
    this.judged = () => {};
    /** @type {string | null} the piece that is to be moved next */
    this.held = null;
    this.board = new Board({
      free: true,
      move: (from, to) => this.#carry(from, to),
      tap: (square) => this.#tap(square),
      dragOff: (square) => square && this.#put(square, null),
    });
    this.board.grid.setAttribute('aria-label', words.board);
    this.palette = new Palette((piece, square) => this.#put(square, piece), () => this.#hold(null));
    this.side = select('side', Object.entries(text.sides), this.at.side);
    this.side.addEventListener('change', () => this.#change({ side: this.side.value === 'b' ? 'b' : 'w' }));
    this.rights = Object.entries(words.rights).map(([letter, label]) => this.#right(letter, label));
    this.targets = this.#field('targets', 'text', (value) => ({ targets: value.toLowerCase().replace(/[^a-h1-8]/g, '') || '-' }));
    this.targets.placeholder = words.targetsHint;
    const whole = (/** @type {string} */ value) => Math.min(0xffffffff, Math.max(0, Math.round(Number(value) || 0)));
    this.halfmove = this.#field('halfmove', 'number', (value) => ({ halfmove: whole(value) }));
    this.fullmove = this.#field('fullmove', 'number', (value) => ({ fullmove: whole(value) }));
    this.dice = h('div', { class: 'editor-dice', role: 'group', 'aria-label': words.dice });
    this.dfen = h('input', { name: 'dfen', spellcheck: 'false', autocomplete: 'off' });
    this.dfen.addEventListener('input', () => void this.#read());
    this.dfen.addEventListener('change', () => this.sound && (this.dfen.value = this.sound));
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.note = h('p', { class: 'small soft', 'aria-live': 'polite' });
    this.element = h('div', { class: 'editor' }, this.#left(), this.#fields());
    this.#show();
  }

  #left() {
    /** @param {string} name @param {string} label @param {() => void} act */
    const button = (name, label, act) => h('button', { type: 'button', 'data-action': name, onclick: act }, label);
    return h(
      'div',
      { class: 'editor-board' },
      this.palette.element,
      this.board.element,
      h(
        'div',
        { class: 'tools' },
        button('editor-start', words.start, () => this.#load(`${START} -`)),
        button('editor-clear', words.clear, () => this.#change({ placement: new Map(), castling: '-', targets: '-' })),
        button('editor-flip', words.flip, () => {
          this.flipped = !this.flipped;
          this.#show();
        }),
      ),
    );
  }

  #fields() {
    return h(
      'div',
      { class: 'form' },
      field(words.side, this.side),
      h('fieldset', {}, h('legend', {}, words.castling), h('div', { class: 'rights' }, ...this.rights.map(({ label }) => label))),
      field(words.targets, this.targets),
      h('div', { class: 'pair' }, field(words.halfmove, this.halfmove), field(words.fullmove, this.fullmove)),
      h('fieldset', {}, h('legend', {}, words.dice), this.dice),
      field(words.dfen, this.dfen),
      this.problem,
      this.note,
    );
  }

  /**
   * @param {string} letter
   * @param {string} name
   */
  #right(letter, name) {
    const box = h('input', { type: 'checkbox', name: `right-${letter}` });
    box.addEventListener('change', () => {
      const castling = this.rights.filter((right) => right.box.checked).map((right) => right.letter);
      this.#change({ castling: castling.join('') || '-' });
    });
    return { letter, box, label: h('label', { class: 'check' }, box, h('span', {}, name)) };
  }

  /**
   * @param {string} name
   * @param {string} type
   * @param {(value: string) => Partial<import('../model/position.js').Position>} change
   */
  #field(name, type, change) {
    const input = h('input', { name, type, min: type === 'number' ? 0 : undefined, autocomplete: 'off', spellcheck: 'false' });
    input.addEventListener('input', () => this.#change(change(input.value)));
    return input;
  }

  /** @param {string} square */
  #tap(square) {
    const { tool } = this.palette;
    if (tool === 'erase') this.#put(square, null);
    else if (tool !== 'move') this.#put(square, this.at.placement.get(square) === tool ? null : tool);
    else if (this.held && this.held !== square) this.#carry(this.held, square);
    else this.#hold(this.held === null && this.at.placement.has(square) ? square : null);
  }

  /** @param {string | null} square */
  #hold(square) {
    this.held = square;
    this.board.select(square);
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  #carry(from, to) {
    const piece = this.at.placement.get(from);
    this.#hold(null);
    if (!piece || from === to) return;
    const placement = new Map(this.at.placement);
    placement.delete(from);
    this.#change({ placement: placement.set(to, piece) });
  }

  /**
   * @param {string} square
   * @param {string | null} piece null for none
   */
  #put(square, piece) {
    const placement = new Map(this.at.placement);
    if (piece) placement.set(square, piece);
    else placement.delete(square);
    this.#change({ placement });
  }

  /** @param {Partial<import('../model/position.js').Position>} change */
  #change(change) {
    this.at = { ...this.at, ...change };
    this.#show();
    this.#later();
  }

  #later() {
    this.sound = null;
    const asked = (this.asked += 1);
    setTimeout(() => asked === this.asked && void this.judge(), PAUSE);
  }

  /** @param {string} dfen sound */
  #load(dfen) {
    this.at = readDfen(dfen);
    this.#show();
    this.#later();
  }

  /** Everything as the position has it; the field that is being written in is left alone. */
  #show() {
    const { at } = this;
    this.board.flip(this.flipped);
    this.board.show(at.placement);
    this.board.select(this.held && at.placement.has(this.held) ? this.held : null);
    this.side.value = at.side;
    for (const { letter, box } of this.rights) box.checked = at.castling.includes(letter);
    /** @param {HTMLInputElement} input @param {string} value */
    const set = (input, value) => {
      if (input !== document.activeElement) input.value = value;
    };
    set(this.targets, at.targets === '-' ? '' : at.targets);
    set(this.halfmove, String(at.halfmove));
    set(this.fullmove, String(at.fullmove));
    set(this.dfen, writeDfen(at));
    this.#showDice();
  }

  #showDice() {
    const { at } = this;
    const dice = at.dice === '-' ? '' : at.dice.toUpperCase();
    const icon = (/** @type {string} */ kind) => pieceIcon(at.side === 'w' ? kind : kind.toLowerCase());
    const focused = this.dice.contains(document.activeElement) ? document.activeElement?.getAttribute('data-die') : null;
    const set = (/** @type {string} */ chosen) => this.#change({ dice: sortedDice(chosen) || '-' });
    const chosen = [...dice].map((kind, index) =>
      h(
        'button',
        {
          type: 'button',
          class: 'die',
          'data-chosen': index,
          'aria-label': `${text.dice(kind)}, ${words.remove}`,
          title: words.remove,
          onclick: () => set(dice.slice(0, index) + dice.slice(index + 1)),
        },
        icon(kind),
      ),
    );
    const choices = KINDS.map((kind) =>
      h(
        'button',
        { type: 'button', class: 'pick', 'data-die': kind, 'aria-label': text.pieces[kind], disabled: dice.length > 2, onclick: () => set(dice + kind) },
        icon(kind),
      ),
    );
    fill(
      this.dice,
      h('div', { class: 'dice' }, ...(chosen.length ? chosen : [h('span', { class: 'soft' }, words.noDice)])),
      h('div', { class: 'picker' }, ...choices),
    );
    /** @type {HTMLElement | null} */
    const again = focused ? this.dice.querySelector(`[data-die="${focused}"]:enabled, [data-chosen]`) : null;
    again?.focus();
  }

  /** Reads what is written in the field. */
  async #read() {
    const asked = (this.asked += 1);
    this.sound = null;
    try {
      const { dfen } = await this.socket.ask('position', { dfen: this.dfen.value });
      if (asked !== this.asked) return;
      const said = this.dfen.value;
      this.at = readDfen(dfen);
      this.#show();
      this.#judged(dfen, said);
    } catch (error) {
      if (asked === this.asked) this.#refused(error);
    }
  }

  /** Asks the server whether it is a position. */
  async judge() {
    const asked = (this.asked += 1);
    const said = writeDfen(this.at);
    try {
      const { dfen } = await this.socket.ask('position', { dfen: said });
      if (asked === this.asked) this.#judged(dfen, said);
    } catch (error) {
      if (asked === this.asked) this.#refused(error);
    }
  }

  /** The position as it is now, when the server has judged it; null if it is none. */
  async position() {
    if (this.sound === null && !this.problem.textContent) await this.judge();
    return this.sound;
  }

  /**
   * @param {string} dfen as the server writes it
   * @param {string} said as it was asked
   */
  #judged(dfen, said) {
    this.sound = dfen;
    const [, , rights = '', targets = ''] = dfen.split(' ');
    const asked = said.trim().split(/\s+/);
    const left = [
      ...[...(asked[2] ?? '')].filter((letter) => letter !== '-' && !rights.includes(letter)),
      ...(asked[3]?.match(/[a-h][1-8]/g) ?? []).filter((square) => !targets.includes(square)),
    ];
    const notes = [left.length ? words.dropped(left.join(', ')) : '', this.at.dice === '-' ? '' : words.playDice];
    fill(this.note, notes.filter(Boolean).join(' \u00b7 '));
    fill(this.problem);
    this.judged(true);
  }

  /** @param {unknown} error */
  #refused(error) {
    fill(this.note);
    fill(this.problem, error instanceof Error ? error.message : String(error));
    this.judged(false);
  }
}
