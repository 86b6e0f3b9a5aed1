// The board: a drawing below, and a grid of 64 cells above it that hears clicks, drags and keys and tells screen readers
// what stands where. It offers the moves that it is given and reports what is chosen; it knows no rules.

import { fill, h } from '../dom.js';
import { fileOf, rankOf, squareAt, squares } from '../model/position.js';
import { text } from '../text.js';
import { Drawing } from './drawing.js';

/** @typedef {import('../model/position.js').Placement} Placement */
/** Where each piece can go: from a square to squares. */
/** @typedef {Map<string, string[]>} Moves */

/** How far a pointer goes before a click is a drag, in pixels. */
const SLOP = 5;

export class Board {
  /**
   * @param {object} heard
   * @param {(from: string, to: string) => void} heard.move
   * @param {(square: string) => void} [heard.tap] a square that neither begins nor ends a move
   * @param {boolean} [heard.free] any piece can be dragged anywhere, and of taps only the square is told (only in the editor)
   * @param {(square: string | null) => void} [heard.dragOff] a piece dragged off the board (only in the editor)
   */
  constructor(heard) {
    this.heard = heard;
    this.drawing = new Drawing();
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map(squares().map((square) => [square, this.#cell(square)]));
    this.grid = h('div', { class: 'cells', role: 'grid', 'aria-label': text.board.label });
    this.element = h('div', { class: 'board' }, this.drawing.element, this.grid);
    /** @type {Moves} */
    this.moves = new Map();
    /** @type {string | null} */
    this.selected = null;
    /** @type {string[]} */
    this.last = [];
    this.focused = 'e2';
    /** @type {{ square: string, x: number, y: number, on: boolean } | null} */
    this.drag = null;
    this.dragged = false;
    this.#order();
    this.grid.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('pointerdown', (event) => this.#press(event));
    this.element.addEventListener('pointermove', (event) => this.#pull(event));
    this.element.addEventListener('pointerup', (event) => this.#drop(event));
    this.element.addEventListener('pointercancel', () => this.#cancel());
  }

  /** @param {string} square */
  #cell(square) {
    return h('div', {
      class: 'cell',
      role: 'gridcell',
      tabindex: -1,
      'data-square': square,
      onclick: () => {
        if (!this.dragged) this.tap(square);
        this.dragged = false;
      },
      onfocus: () => this.#rove(square),
    });
  }

  #order() {
    const ranks = [7, 6, 5, 4, 3, 2, 1, 0];
    const files = [0, 1, 2, 3, 4, 5, 6, 7];
    if (this.drawing.flipped) {
      ranks.reverse();
      files.reverse();
    }
    fill(
      this.grid,
      ...ranks.map((rank) =>
        h('div', { role: 'row', class: 'cell-row' }, ...files.map((file) => this.cells.get(squareAt(file, rank)) ?? null)),
      ),
    );
    this.#rove(this.focused);
  }

  /** One cell can be reached with the tab key; the arrows go on from there. @param {string} square */
  #rove(square) {
    this.cells.get(this.focused)?.setAttribute('tabindex', '-1');
    this.focused = square;
    this.cells.get(square)?.setAttribute('tabindex', '0');
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    if (flipped === this.drawing.flipped) return;
    const focus = document.activeElement === this.cells.get(this.focused);
    this.drawing.flip(flipped);
    this.#order();
    if (focus) this.focus();
    this.#mark();
  }

  focus() {
    this.cells.get(this.focused)?.focus();
  }

  /**
   * @param {Placement} placement
   * @param {string[]} last squares of the turn before, to be marked
   */
  show(placement, last = []) {
    // The answer to an earlier move comes while the next piece is in the hand: it stays there, if it is still that piece.
    const held = this.drag?.square;
    if (held && this.drawing.placement.get(held) !== placement.get(held)) this.#cancel();
    this.drawing.show(placement);
    this.last = last;
    this.#mark();
  }

  /**
   * What can be played. The selection stays if its piece can still move.
   * @param {Moves} moves
   */
  offer(moves) {
    this.moves = moves;
    if (this.selected && !moves.has(this.selected)) this.selected = null;
    this.#mark();
  }

  /** @param {import('./drawing.js').Arrow[]} arrows */
  point(arrows) {
    this.drawing.point(arrows);
  }

  /** @param {string | null} square */
  select(square) {
    this.selected = square;
    this.#mark();
  }

  /** A square was chosen, by whatever means. @param {string} square */
  tap(square) {
    if (this.heard.free) {
      this.heard.tap?.(square);
      return;
    }
    const targets = this.selected ? (this.moves.get(this.selected) ?? []) : [];
    if (this.selected && targets.includes(square)) {
      const from = this.selected;
      this.selected = null;
      this.#mark();
      this.heard.move(from, square);
    } else if (this.moves.has(square) && square !== this.selected) {
      this.select(square);
    } else {
      this.select(null);
      this.heard.tap?.(square);
    }
  }

  #mark() {
    const targets = this.selected ? (this.moves.get(this.selected) ?? []) : [];
    this.drawing.mark({ last: this.last, selected: this.selected, movable: [...this.moves.keys()], targets });
    for (const [square, cell] of this.cells) {
      const piece = this.drawing.placement.get(square);
      const movable = this.#drags(square);
      const target = targets.includes(square);
      cell.setAttribute('aria-label', text.board.square(square, piece, { movable: movable && !this.heard.free, target }));
      cell.setAttribute('aria-selected', String(square === this.selected));
      cell.classList.toggle('movable', movable);
      cell.classList.toggle('target', target);
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const turn = this.drawing.flipped ? -1 : 1;
    const steps = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-turn, 0],
      ArrowRight: [turn, 0],
      ArrowUp: [0, turn],
      ArrowDown: [0, -turn],
    });
    const step = steps[event.key];
    if (step) {
      const file = fileOf(this.focused) + step[0];
      const rank = rankOf(this.focused) + step[1];
      if (file >= 0 && file < 8 && rank >= 0 && rank < 8) this.cells.get(squareAt(file, rank))?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.tap(this.focused);
    } else if (event.key === 'Escape' && this.selected) {
      this.select(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} square */
  #drags(square) {
    return this.heard.free ? this.drawing.placement.has(square) : this.moves.has(square);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    this.dragged = false;
    const square = squareOf(event.target);
    if (event.button !== 0 || !square || !this.#drags(square)) return;
    this.drag = { square, x: event.clientX, y: event.clientY, on: false };
  }

  /** @param {PointerEvent} event */
  #pull(event) {
    if (!this.drag) return;
    if (!this.drag.on) {
      if (Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) < SLOP) return;
      this.drag.on = true;
      this.element.setPointerCapture(event.pointerId);
      this.select(this.drag.square);
    }
    const frame = this.element.getBoundingClientRect();
    const across = (8 * (event.clientX - frame.left)) / frame.width;
    const down = (8 * (event.clientY - frame.top)) / frame.height;
    this.drawing.hold(this.drag.square, across, down);
  }

  /** @param {PointerEvent} event */
  #drop(event) {
    if (!this.drag?.on) {
      this.drag = null;
      return;
    }
    const from = this.drag.square;
    const to = document.elementsFromPoint(event.clientX, event.clientY).map(squareOf).find((square) => square !== null);
    this.drag = null;
    // The click that follows is part of the drag.
    this.dragged = true;
    setTimeout(() => (this.dragged = false), 0);
    this.drawing.release(from);
    if (to && (this.heard.free || this.moves.get(from)?.includes(to))) {
      this.select(null);
      this.heard.move(from, to);
    } else if (!to) {
      this.heard.dragOff?.(from);
    }
  }

  #cancel() {
    if (this.drag?.on) this.drawing.release(this.drag.square);
    this.drag = null;
  }
}

/**
 * @param {EventTarget | null} target
 * @returns {string | null}
 */
function squareOf(target) {
  return target instanceof Element ? (target.closest('[data-square]')?.getAttribute('data-square') ?? null) : null;
}
