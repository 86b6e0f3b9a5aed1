// The review of a game or a line: made by the server when it is asked for, then shown beside the board: the curve, what was luck and
// what was play, the mistakes. A click on a turn shows its position, with what was played and what would have been best.

import { saveFile } from '../dialogs/save.js';
import { select } from '../dialogs/dialog.js';
import { fill, h } from '../dom.js';
import { markOf, mistakes, numberOf } from '../model/review.js';
import { movesOf } from '../model/moves.js';
import { points } from '../model/score.js';
import { motion, settings } from '../settings.js';
import { text } from '../text.js';
import { Curve } from './curve.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('../types.js').Review} Review */

const words = text.review;

/**
 * A review that was asked for.
 * @typedef {object} Asked
 * @property {string} of what was played when it was asked for
 * @property {string} depth
 * @property {number | null} number the server's; null before it has said it
 * @property {number} done
 * @property {number} plies
 * @property {string} problem why there is none, or nothing
 * @property {Review | null} review
 * @property {string} html where its page is
 */

export class ReviewPanel {
  /**
   * @param {import('../socket.js').Socket} socket
   * @param {import('../table.js').Table} table
   * @param {(source: Source) => object} subject a game or a line, as the server takes it
   */
  constructor(socket, table, subject) {
    this.socket = socket;
    this.table = table;
    this.subject = subject;
    /** @type {Map<unknown, Asked>} by the id of a game, or the line itself */
    this.asked = new Map();
    this.depth = select('depth', ['1', '2', '3'].map((depth) => [depth, depth]), '2');
    this.body = h('div', { class: 'review' });
    this.turn = h('p', { class: 'review-turn', 'aria-live': 'polite' });
    this.curve = new Curve((ply) => this.#go(ply));
    this.element = h('section', { class: 'panel', 'data-panel': 'review', hidden: true });
    /** What the body shows, so that it is not made anew at every step. @type {Asked | null} */
    this.drawn = null;
    /** Whether the arrows on the board are ours. */
    this.pointing = false;
    fill(
      this.element,
      h('h2', {}, words.title),
      h(
        'div',
        { class: 'review-make' },
        h('label', { class: 'check' }, h('span', {}, words.depth), this.depth),
        h('button', { type: 'button', 'data-action': 'review', onclick: () => this.table.source && this.#make(this.table.source) }, words.make),
      ),
      this.body,
    );
    socket.on('progress', (told) => this.#told(told.review, (one) => (one.done = told.done)));
    socket.on('reviewed', (told) => this.#told(told.review, (one) => Object.assign(one, { review: told.game, html: told.html })));
    socket.on('review_failed', (told) => this.#told(told.review, (one) => (one.problem ||= told.message)));
    socket.on('closed', () => {
      for (const one of this.asked.values()) {
        if (!one.review && !one.problem) one.problem = words.broken;
      }
      this.#redraw();
    });
  }

  /** @param {Source} source */
  canReview(source) {
    return (source.local || source.game.state === 'over') && source.game.plies.some((ply) => ply.turn !== null);
  }

  /** Whether the turns in the past are shown as decisions: with the position before them. */
  get compares() {
    return this.#shown()?.review != null;
  }

  /** Has what is shown reviewed, if it is not. @param {Source} source */
  open(source) {
    if (this.#shown()) this.element.scrollIntoView({ block: 'nearest' });
    else this.#make(source);
  }

  /** What is shown may have changed. */
  look() {
    const { source } = this.table;
    const one = this.#shown();
    this.element.hidden = !one || !source || !this.canReview(source);
    if (!one || this.element.hidden) {
      this.drawn = null;
      this.#point([]);
      return;
    }
    if (one !== this.drawn || !one.review) this.#draw(one);
    if (one.review) this.#step(one.review);
  }

  /** The review of what is shown, as it was played so far. */
  #shown() {
    const { source } = this.table;
    const one = source ? this.asked.get(keyOf(source)) : undefined;
    return source && one?.of === playedOf(source) ? one : null;
  }

  /** @param {Source} source */
  #make(source) {
    /** @type {Asked} */
    const one = {
      of: playedOf(source),
      depth: this.depth.value,
      number: null,
      done: 0,
      plies: source.game.plies.length,
      problem: '',
      review: null,
      html: '',
    };
    const before = this.asked.get(keyOf(source));
    if (before && !before.review && !before.problem) this.#stop(before);
    this.asked.set(keyOf(source), one);
    this.socket.ask('review', { ...this.subject(source), depth: Number(one.depth) }).then(
      ({ review, of }) => {
        Object.assign(one, { number: review, plies: of });
        // It may have been stopped before it had a number.
        if (one.problem) this.#stop(one);
        else this.#redraw();
      },
      (error) => {
        one.problem ||= error.message || words.broken;
        this.#redraw();
      },
    );
    this.table.draw();
    this.element.scrollIntoView({ block: 'nearest' });
  }

  /**
   * @param {number} number
   * @param {(one: Asked) => unknown} change
   */
  #told(number, change) {
    for (const one of this.asked.values()) {
      if (one.number === number) change(one);
    }
    this.#redraw();
  }

  #redraw() {
    const one = this.#shown();
    if (one?.review && one !== this.drawn) {
      // With a review the board shows turns in another way.
      this.table.draw();
      this.table.speak(words.verdict(one.review.white, one.review.black, one.review));
    } else {
      this.look();
    }
  }

  /** @param {Asked} one */
  #draw(one) {
    if (one.review) {
      this.drawn = one;
      fill(this.body, ...this.#done(one.review, one.html));
    } else if (one.problem) {
      fill(this.body, h('p', { class: 'problem', role: 'alert' }, one.problem));
    } else {
      const progress = h('progress', { max: one.plies, 'aria-label': words.title });
      progress.value = one.done;
      fill(
        this.body,
        progress,
        h('p', { class: 'small soft' }, words.progress(one.done, one.plies)),
        h('button', { type: 'button', 'data-action': 'stop-review', onclick: () => this.#stop(one) }, words.stop),
      );
    }
  }

  /** @param {Asked} one */
  #stop(one) {
    one.problem = words.stopped;
    if (one.number !== null) this.socket.ask('review_end', { review: one.number }).catch(() => {});
    this.#redraw();
  }

  /**
   * @param {Review} review
   * @param {string} html
   */
  #done(review, html) {
    this.curve.show(review);
    const list = mistakes(review).map((turn) => {
      const ply = h('span', { class: 'number' }, numberOf(turn));
      const loss = h('span', { class: 'number soft' }, words.lost(points(turn.decision?.loss ?? 0).replace('+', '')));
      const act = () => this.#go(turn.ply);
      const name = h('span', { class: 'mistake-turn' }, `${text.turn(turn.decision?.turn ?? '')} `, h('strong', {}, markOf(turn)));
      return h('li', {}, h('button', { type: 'button', class: 'quiet mistake', 'data-mistake': turn.ply, onclick: act }, ply, name, loss));
    });
    return [
      h('p', {}, words.verdict(review.white, review.black, review)),
      this.curve.element,
      this.turn,
      sides(review),
      h('h3', {}, words.mistakes),
      list.length ? h('ol', { class: 'turns mistakes' }, ...list) : h('p', { class: 'soft' }, words.none),
      h('p', { class: 'small soft' }, words.unit),
      h('button', { type: 'button', 'data-action': 'save-review', onclick: () => void this.#save(html) }, words.save),
    ];
  }

  /** Shows a turn, and the board if that is out of sight. @param {number} ply */
  #go(ply) {
    this.table.go(ply);
    const { element } = this.table.board;
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom < 120 || top > innerHeight - 120) element.scrollIntoView({ block: 'start', behavior: motion() ? 'smooth' : 'auto' });
  }

  /** @param {string} html */
  async #save(html) {
    const answer = await fetch(html).catch(() => null);
    const problem = h('p', { class: 'problem', role: 'alert' }, words.gone);
    if (answer?.ok) saveFile('dice-chess-review.html', 'text/html', await answer.text());
    else if (!this.body.querySelector('.problem')) this.body.append(problem);
  }

  /** Follows the turn that is shown. @param {Review} review */
  #step(review) {
    const turn = this.table.live ? undefined : review.turns[this.table.shown - 1];
    this.curve.mark(turn ? turn.ply : null);
    for (const button of this.body.querySelectorAll('[data-mistake]')) {
      const current = turn !== undefined && button.getAttribute('data-mistake') === String(turn.ply);
      if (current) button.setAttribute('aria-current', 'step');
      else button.removeAttribute('aria-current');
    }
    fill(this.turn, ...(turn ? said(turn) : []));
    this.#point(arrowsOf(turn));
  }

  /** An engine that analyses has the board for its own arrows. @param {import('../board/drawing.js').Arrow[]} arrows */
  #point(arrows) {
    if (!settings().analysis && (arrows.length || this.pointing)) this.table.board.point(arrows);
    this.pointing = arrows.length > 0;
  }
}

/** @param {Source} source @returns {unknown} */
function keyOf(source) {
  return source.game.id ?? source;
}

/** @param {Source} source */
function playedOf({ game }) {
  return game.plies.map(({ roll, turn }) => `${roll}:${turn}`).join(' ') + (game.end?.kind ?? '');
}

/**
 * What was played in red, the best turn in green where it is another one.
 * @param {import('../types.js').ReviewTurn | undefined} turn
 */
function arrowsOf(turn) {
  const { turn: played = null, best = null } = turn?.decision ?? {};
  const arrows = (/** @type {string | null} */ moves, /** @type {string} */ kind) =>
    movesOf(moves).map((move) => ({ from: move.slice(0, 2), to: move.slice(2, 4), kind }));
  return [...(best === played ? [] : arrows(best, 'best')), ...arrows(played, best === played ? 'best' : 'played')];
}

/** @param {import('../types.js').ReviewTurn} turn */
function said(turn) {
  const parts = [words.rolled(points(turn.luck))];
  const { decision } = turn;
  if (!decision) parts.push(words.notPlayed);
  else if (decision.forced) parts.push(words.forced);
  else if (decision.loss > 0) parts.push(words.lost(points(decision.loss).replace('+', '')), words.best(text.turn(decision.best)));
  else parts.push(words.isBest);
  if (decision?.missed_capture) parts.push(words.king);
  const played = decision ? `${text.turn(decision.turn)} ${markOf(turn)}`.trim() : text.dice(turn.dfen.split(' ')[6] ?? '');
  return [h('strong', {}, `${numberOf(turn)} ${played}`), `: ${parts.join(', ')}`];
}

/** What both sides did, in a table. @param {Review} review */
function sides(review) {
  /** @param {string} label @param {(side: import('../types.js').ReviewSide) => string} value */
  const row = (label, value) => h('tr', {}, h('th', { scope: 'row' }, label), ...review.sides.map((side) => h('td', {}, value(side))));
  const marks = (/** @type {import('../types.js').ReviewSide} */ side) => side.marks.map(([mark, count]) => `${count} ${mark}`).join(', ');
  return h(
    'table',
    { class: 'sides number' },
    h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col' }, review.white), h('th', { scope: 'col' }, review.black))),
    h(
      'tbody',
      {},
      row(words.play, (side) => (side.mean_loss === null ? '\u2013' : (side.mean_loss / 10).toFixed(1))),
      row(words.marks, marks),
      review.sides.some((side) => side.missed_captures) ? row(words.missed, (side) => String(side.missed_captures)) : null,
      row(words.lucks, (side) => points(side.luck)),
    ),
  );
}
