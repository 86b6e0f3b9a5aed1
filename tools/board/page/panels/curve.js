// The curve of a review: White's chances before every roll, with what the roll gave (luck) and what the turn lost.

import { fill, h, s } from '../dom.js';
import { curve, last } from '../model/review.js';
import { text } from '../text.js';

const WIDTH = 320;
const HEIGHT = 120;

/** @param {number} equity White's */
const y = (equity) => (HEIGHT / 2) * (1 - Math.max(-1, Math.min(1, equity)));

export class Curve {
  /** @param {(ply: number) => void} go */
  constructor(go) {
    this.go = go;
    this.count = 0;
    this.now = s('line', { class: 'curve-now', y1: 0, y2: HEIGHT, visibility: 'hidden' });
    this.drawing = s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'curve', preserveAspectRatio: 'none', role: 'img' });
    this.drawing.addEventListener('click', (event) => this.#click(event));
    const sign = (/** @type {string} */ kind, /** @type {string} */ word) => h('span', { class: `curve-sign ${kind}` }, word);
    this.element = h(
      'figure',
      { class: 'curve-frame' },
      h('span', { class: 'curve-end small soft' }, text.review.axis.white),
      this.drawing,
      h('span', { class: 'curve-end small soft' }, text.review.axis.black),
      h('figcaption', { class: 'small soft' }, text.review.curve, sign('luck', text.review.luck), sign('loss', text.review.loss)),
    );
  }

  /** @param {number} ply */
  #x(ply) {
    return (WIDTH * (ply - 1)) / Math.max(1, this.count);
  }

  /** @param {import('../types.js').Review} review */
  show(review) {
    const points = curve(review);
    this.count = points.length;
    const step = WIDTH / Math.max(1, this.count);
    const bars = points.flatMap((point) => {
      const x = this.#x(point.ply);
      // Luck and loss side by side, so that colour is not all that tells them apart.
      return [
        s('line', { class: 'curve-luck', x1: x + 0.3 * step, x2: x + 0.3 * step, y1: y(point.before), y2: y(point.rolled) }),
        s('line', { class: 'curve-loss', x1: x + 0.65 * step, x2: x + 0.65 * step, y1: y(point.rolled), y2: y(point.played) }),
      ];
    });
    const places = points.map((point) => `${this.#x(point.ply).toFixed(1)},${y(point.before).toFixed(1)}`);
    places.push(`${WIDTH},${y(last(review)).toFixed(1)}`);
    fill(
      this.drawing,
      s('line', { class: 'curve-even', x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      ...bars,
      s('polyline', { class: 'curve-line', points: places.join(' ') }),
      this.now,
    );
    this.drawing.setAttribute('aria-label', text.review.curve);
  }

  /** Marks the turn that is shown. @param {number | null} ply */
  mark(ply) {
    this.now.setAttribute('visibility', ply === null ? 'hidden' : 'visible');
    const x = this.#x(ply ?? 1).toFixed(1);
    this.now.setAttribute('x1', x);
    this.now.setAttribute('x2', x);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const frame = this.drawing.getBoundingClientRect();
    const ply = Math.round(((event.clientX - frame.left) / frame.width) * this.count) + 1;
    this.go(Math.max(1, ply));
  }
}
