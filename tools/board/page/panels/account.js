// Luck and losses so far: what the server's review, one turn deep, says of the game that is shown, after every roll and turn.

import { fill, h } from '../dom.js';
import { points } from '../model/score.js';
import { text } from '../text.js';

/** @typedef {import('../types.js').Source} Source */

const words = text.account;

export class Account {
  /**
   * @param {import('../socket.js').Socket} socket
   * @param {(source: Source) => object} subject what the server is asked about
   */
  constructor(socket, subject) {
    this.socket = socket;
    this.subject = subject;
    this.element = h('div', { class: 'account' });
    /** @type {Source | null} */
    this.source = null;
    /** What the account is of, and what was asked about last. */
    this.wanted = '';
    this.asked = '';
    /** The number of the review that is under way, 0 before the server has said it; one at a time. @type {number | null} */
    this.number = null;
    socket.on('reviewed', (told) => {
      if (told.review !== this.number) return;
      this.number = null;
      if (this.asked === this.wanted) this.#show(told.game);
      else this.#ask();
    });
    socket.on('review_failed', (told) => {
      if (told.review === this.number) this.number = null;
    });
    socket.on('closed', () => {
      this.number = null;
      this.asked = '';
    });
  }

  /** Something else may be shown, or nothing be wanted. @param {Source | null} source */
  look(source) {
    const game = source?.game;
    const plies = game?.plies.map((ply) => `${ply.roll}:${ply.turn}`) ?? [];
    const wanted = game && plies.length ? [game.id, game.opening, ...plies].join(' ') : '';
    this.source = source;
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (wanted) this.#ask();
    else fill(this.element);
  }

  #ask() {
    if (this.number !== null || !this.source || !this.wanted) return;
    this.number = 0;
    this.asked = this.wanted;
    // What cannot be reviewed has no account; nobody need be told.
    this.socket.ask('review', { ...this.subject(this.source), depth: 1, html: false }).then(
      ({ review }) => (this.number = review),
      () => (this.number = null),
    );
  }

  /** @param {import('../types.js').Review} review */
  #show(review) {
    const players = this.source?.game.players;
    const rows = review.sides.map((side, index) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, players?.[index]?.name || text.sides[index === 0 ? 'w' : 'b']),
        h('td', { class: 'number' }, points(side.luck)),
        h('td', { class: 'number' }, points(-side.loss)),
      ),
    );
    const head = h('tr', {}, h('td', {}), h('th', { scope: 'col' }, words.luck), h('th', { scope: 'col' }, words.loss));
    fill(this.element, h('h3', {}, words.title), h('table', { class: 'sides' }, h('thead', {}, head), h('tbody', {}, ...rows)));
  }
}
