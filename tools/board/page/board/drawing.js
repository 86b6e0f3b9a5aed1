// What is drawn of a board: squares, pieces, marks, arrows. It knows no rules and hears no clicks.

import { fill, s, set } from '../dom.js';
import { fileOf, kindOf, rankOf, sideOf, squareAt } from '../model/position.js';
import { shape } from './pieces.js';

/** The width of a square in the drawing's units, as in the library's. */
const SIZE = 40;

/** @typedef {import('../model/position.js').Placement} Placement */

/**
 * @typedef {object} Arrow
 * @property {string} from
 * @property {string} to
 * @property {string} kind a class: `best`, `second`, `played` …
 */

/**
 * @typedef {object} Marks
 * @property {string[]} last squares of the turn before
 * @property {string | null} selected
 * @property {string[]} movable squares whose piece can move
 * @property {string[]} targets where the selected piece can go
 */

export class Drawing {
  constructor() {
    this.flipped = false;
    /** @type {Arrow[]} */
    this.pointed = [];
    /** @type {Map<string, SVGElement>} */
    this.pieces = new Map();
    /** @type {Placement} */
    this.placement = new Map();
    this.squares = s('g', { class: 'squares' });
    this.marks = s('g', { class: 'marks' });
    this.men = s('g', { class: 'men' });
    this.hints = s('g', { class: 'hints' });
    this.arrows = s('g', { class: 'arrows' });
    this.element = s(
      'svg',
      { viewBox: `0 0 ${8 * SIZE} ${8 * SIZE}`, class: 'board-drawing', 'aria-hidden': 'true' },
      arrowHeads(),
      this.squares,
      this.marks,
      this.men,
      this.arrows,
      this.hints,
    );
    this.#drawSquares();
  }

  /** @param {string} square */
  x(square) {
    return SIZE * (this.flipped ? 7 - fileOf(square) : fileOf(square));
  }

  /** @param {string} square */
  y(square) {
    return SIZE * (this.flipped ? rankOf(square) : 7 - rankOf(square));
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    this.flipped = flipped;
    this.#drawSquares();
    for (const [square, piece] of this.pieces) this.#place(piece, square);
    this.point(this.pointed);
  }

  #drawSquares() {
    fill(this.squares, s('use', { href: '#squares' }));
    for (let index = 0; index < 8; index += 1) {
      const place = this.flipped ? 7 - index : index;
      const file = s('text', { x: SIZE * index + SIZE - 3.5, y: 8 * SIZE - 3, class: index % 2 ? 'on-light' : 'on-dark' });
      const rank = s('text', { x: 2.5, y: SIZE * index + 9.5, class: index % 2 ? 'on-dark' : 'on-light' });
      fill(file, squareAt(place, 0)[0]);
      fill(rank, squareAt(0, 7 - place)[1]);
      this.squares.append(file, rank);
    }
  }

  /**
   * @param {SVGElement} piece
   * @param {string} square
   */
  #place(piece, square) {
    piece.style.transform = `translate(${this.x(square)}px, ${this.y(square)}px)`;
  }

  /**
   * Shows a position. A piece that has gone from one square to another is the same element, so that it can be seen to go.
   * @param {Placement} placement
   */
  show(placement) {
    const gone = [...this.pieces.keys()].filter((square) => this.placement.get(square) !== placement.get(square));
    const come = [...placement.keys()].filter((square) => this.placement.get(square) !== placement.get(square));
    const free = gone.map((square) => ({ square, code: this.placement.get(square) ?? '', piece: this.pieces.get(square) }));
    gone.forEach((square) => this.pieces.delete(square));
    for (const square of come) {
      const code = placement.get(square) ?? '';
      const found = free.findIndex((one) => one.code === code) ;
      const index = found >= 0 ? found : free.findIndex((one) => promotes(one.code, one.square, code, square));
      const [old] = index >= 0 ? free.splice(index, 1) : [];
      const piece = old?.piece ?? s('g', { class: 'man' }, s('use', {}));
      if (piece.firstElementChild) set(piece.firstElementChild, { href: shape(code) });
      // Last in its layer: what moves passes over what stands.
      if (old || !piece.parentNode) this.men.append(piece);
      this.#place(piece, square);
      this.pieces.set(square, piece);
    }
    free.forEach((one) => one.piece?.remove());
    this.placement = new Map(placement);
  }

  /** @param {Marks} marks */
  mark(marks) {
    fill(this.marks);
    fill(this.hints);
    for (const square of marks.last) this.marks.append(this.#box(square, 'last'));
    for (const square of marks.movable) this.marks.append(this.#foot(square));
    if (marks.selected) this.marks.append(this.#box(marks.selected, 'selected'));
    for (const square of marks.targets) {
      const [x, y] = [this.x(square) + SIZE / 2, this.y(square) + SIZE / 2];
      const taken = this.placement.get(square);
      if (!taken) {
        this.hints.append(s('circle', { cx: x, cy: y, r: 6.5, class: 'dot' }));
      } else {
        // On an edge of white, which both colours of squares set off.
        this.hints.append(
          s('circle', { cx: x, cy: y, r: 17, class: 'ring edge' }),
          s('circle', { cx: x, cy: y, r: 17, class: kindOf(taken) === 'K' ? 'ring king' : 'ring' }),
        );
      }
    }
  }

  /**
   * @param {string} square
   * @param {string} kind
   */
  #box(square, kind) {
    const edge = 1.5;
    return s('rect', {
      x: this.x(square) + edge,
      y: this.y(square) + edge,
      width: SIZE - 2 * edge,
      height: SIZE - 2 * edge,
      class: `box ${kind}`,
    });
  }

  /** @param {string} square */
  #foot(square) {
    const [x, y] = [this.x(square), this.y(square) + SIZE - 3.5];
    return s('line', { x1: x + 11, y1: y, x2: x + SIZE - 11, y2: y, class: 'foot' });
  }

  /** @param {Arrow[]} arrows */
  point(arrows) {
    this.pointed = arrows;
    fill(this.arrows);
    for (const { from, to, kind } of arrows) {
      const [x1, y1] = [this.x(from) + SIZE / 2, this.y(from) + SIZE / 2];
      const [x2, y2] = [this.x(to) + SIZE / 2, this.y(to) + SIZE / 2];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      // The head ends in the middle of its square, the tail begins beside the piece.
      const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
      this.arrows.append(
        s('line', {
          x1: x1 + 8 * dx,
          y1: y1 + 8 * dy,
          x2: x2 - 7 * dx,
          y2: y2 - 7 * dy,
          class: `pointer ${kind}`,
          'marker-end': `url(#head-of-${kind})`,
        }),
      );
    }
  }

  /**
   * Lifts a piece and holds it at a point of the board, in squares from its upper left corner.
   * @param {string} square
   * @param {number} across
   * @param {number} down
   */
  hold(square, across, down) {
    const piece = this.pieces.get(square);
    if (!piece) return;
    piece.classList.add('held');
    this.men.append(piece);
    piece.style.transform = `translate(${SIZE * (across - 0.5)}px, ${SIZE * (down - 0.5)}px)`;
  }

  /**
   * Puts a held piece back.
   * @param {string} square
   */
  release(square) {
    const piece = this.pieces.get(square);
    if (!piece) return;
    this.#place(piece, square);
    // Without a way to go: it is where the hand has left it.
    requestAnimationFrame(() => piece.classList.remove('held'));
  }
}

/**
 * Whether a pawn that has gone may have become a piece that has come.
 * @param {string} pawn
 * @param {string} from
 * @param {string} piece
 * @param {string} to
 */
function promotes(pawn, from, piece, to) {
  if (!pawn || kindOf(pawn) !== 'P' || !'QRBN'.includes(kindOf(piece)) || sideOf(pawn) !== sideOf(piece)) return false;
  return Math.abs(fileOf(from) - fileOf(to)) <= 1 && Math.abs(rankOf(from) - rankOf(to)) === 1;
}

function arrowHeads() {
  const heads = ['best', 'second', 'third', 'played'].map((kind) =>
    s(
      'marker',
      {
        id: `head-of-${kind}`,
        viewBox: '0 0 10 10',
        refX: 6,
        refY: 5,
        markerWidth: 3.2,
        markerHeight: 3.2,
        orient: 'auto',
      },
      s('path', { class: `pointer-head ${kind}`, d: 'M0 0L10 5L0 10z' }),
    ),
  );
  return s('defs', {}, ...heads);
}
