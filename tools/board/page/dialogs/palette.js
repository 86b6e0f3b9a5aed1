// The pieces of the position editor: one is chosen and then put by clicks, or dragged onto the board; and two other things that a
// click can do there.

import { pieceIcon } from '../board/pieces.js';
import { h } from '../dom.js';
import { KINDS } from '../model/position.js';
import { text } from '../text.js';

const words = text.editor;

/** How far a pointer goes before a click is a drag, in pixels. */
const SLOP = 5;

export class Palette {
  /**
   * @param {(piece: string, square: string) => void} dropped
   * @param {() => void} changed another tool was chosen
   */
  constructor(dropped, changed) {
    this.dropped = dropped;
    this.changed = changed;
    /** What a click does: `move`, `erase`, or a piece that it puts. */
    this.tool = 'move';
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    const row = (/** @type {Node[]} */ ...children) => h('div', { class: 'palette-row' }, ...children);
    this.element = h(
      'div',
      { class: 'palette', role: 'group', 'aria-label': words.tools },
      row(...KINDS.map((kind) => this.#piece(kind)), this.#tool('move', words.move)),
      row(...KINDS.map((kind) => this.#piece(kind.toLowerCase())), this.#tool('erase', words.erase)),
    );
    this.choose('move');
  }

  /** @param {string} tool */
  choose(tool) {
    this.tool = tool;
    for (const [name, button] of this.buttons) button.setAttribute('aria-pressed', String(name === tool));
    this.changed();
  }

  /**
   * @param {string} tool
   * @param {string} label
   */
  #tool(tool, label) {
    const button = h('button', { type: 'button', class: 'small', 'data-tool': tool, onclick: () => this.choose(tool) }, label);
    this.buttons.set(tool, button);
    return button;
  }

  /** @param {string} piece */
  #piece(piece) {
    // A second click lets go of it again.
    const choose = () => this.choose(this.tool === piece ? 'move' : piece);
    const button = h(
      'button',
      { type: 'button', class: 'pick', 'data-piece': piece, 'aria-label': text.piece(piece), title: text.piece(piece), onclick: choose },
      pieceIcon(piece),
    );
    button.addEventListener('pointerdown', (event) => this.#press(button, piece, event));
    this.buttons.set(piece, button);
    return button;
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} piece
   * @param {PointerEvent} press
   */
  #press(button, piece, press) {
    if (press.button !== 0) return;
    // At once: the first move may be to somewhere else already.
    button.setPointerCapture(press.pointerId);
    /** @type {SVGElement | null} */
    let ghost = null;
    const hearing = new AbortController();
    const end = () => {
      hearing.abort();
      ghost?.remove();
    };
    /** @param {PointerEvent} event */
    const pull = (event) => {
      if (!ghost) {
        if (Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) < SLOP) return;
        ghost = pieceIcon(piece);
        ghost.classList.add('ghost');
        button.append(ghost);
      }
      ghost.style.left = `${event.clientX}px`;
      ghost.style.top = `${event.clientY}px`;
    };
    /** @param {PointerEvent} event */
    const drop = (event) => {
      const isDrag = ghost !== null;
      end();
      if (!isDrag) return;
      // The click that follows is part of the drag.
      const swallow = (/** @type {Event} */ click) => click.stopImmediatePropagation();
      button.addEventListener('click', swallow, { capture: true });
      setTimeout(() => button.removeEventListener('click', swallow, { capture: true }), 0);
      const cell = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.hasAttribute('data-square'));
      const square = cell?.getAttribute('data-square');
      if (square) this.dropped(piece, square);
    };
    const { signal } = hearing;
    button.addEventListener('pointermove', pull, { signal });
    button.addEventListener('pointerup', drop, { signal });
    button.addEventListener('pointercancel', end, { signal });
  }
}
