// The list of turns with their dice, and the way through it.

import { fill, h } from '../dom.js';
import { pieceIcon } from '../board/pieces.js';
import { readDfen } from '../model/position.js';
import { text } from '../text.js';

/** @typedef {import('../types.js').Game} Game */

export class TurnsPanel {
  /** @param {(at: number) => void} go shows the position after so many plies */
  constructor(go) {
    this.go = go;
    this.at = 0;
    this.list = h('ol', { class: 'turns', tabindex: 0, 'aria-label': text.turns.title });
    /** @param {string} label @param {string} sign @param {() => number} to */
    const step = (label, sign, to) =>
      h('button', { class: 'icon', type: 'button', 'aria-label': label, title: label, onclick: () => this.go(to()) }, sign);
    const ways = h(
      'div',
      { class: 'ways' },
      step(text.turns.first, '\u21e4', () => 0),
      step(text.turns.back, '\u2190', () => this.at - 1),
      step(text.turns.next, '\u2192', () => this.at + 1),
      step(text.turns.last, '\u21e5', () => Infinity),
    );
    this.element = h('section', { class: 'panel' }, h('h2', {}, text.turns.title), ways, this.list);
  }

  /**
   * @param {Game} game
   * @param {number} at how many plies are shown
   */
  show(game, at) {
    this.at = at;
    const rows = game.plies.map((ply, index) => {
      const { side, fullmove } = readDfen(ply.before);
      const dice = [...ply.roll].map((die) => pieceIcon(side === 'w' ? die.toUpperCase() : die.toLowerCase()));
      const words = ply.turn === null ? '\u2026' : text.turn(ply.turn);
      const button = h(
        'button',
        {
          type: 'button',
          class: 'quiet turn',
          'data-ply': index + 1,
          'aria-current': index + 1 === at ? 'step' : undefined,
          onclick: () => this.go(index + 1),
        },
        h('span', { class: 'soft number' }, side === 'w' || index === 0 ? `${fullmove}.` : ''),
        h('span', { class: 'small-dice', role: 'img', 'aria-label': text.dice(ply.roll) }, ...dice),
        h('span', {}, words),
      );
      return h('li', {}, button);
    });
    fill(this.list, ...rows);
    this.list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }
}
