// Which piece a pawn becomes.

import { h } from '../dom.js';
import { pieceIcon } from '../board/pieces.js';
import { text } from '../text.js';
import { openDialog } from './dialog.js';

/**
 * @param {import('../model/position.js').Side} side
 * @param {import('../types.js').Step[]} steps that differ in their promotion
 * @returns {Promise<import('../types.js').Step | null>} null if none was chosen
 */
export function choosePromotion(side, steps) {
  return new Promise((resolve) => {
    const buttons = steps.map((step) => {
      const letter = (step.promotion ?? 'q').toUpperCase();
      return h(
        'button',
        {
          type: 'button',
          class: 'promote',
          'data-promotion': letter.toLowerCase(),
          onclick: () => {
            resolve(step);
            dialog.close();
          },
        },
        pieceIcon(side === 'w' ? letter : letter.toLowerCase()),
        text.pieces[/** @type {import('../model/position.js').Kind} */ (letter)],
      );
    });
    const dialog = openDialog(text.promotion, h('div', { class: 'choices' }, ...buttons));
    dialog.addEventListener('keydown', (event) => {
      const button = /^[a-z]$/.test(event.key) && dialog.querySelector(`[data-promotion="${event.key}"]`);
      if (button instanceof HTMLElement) button.click();
    });
    dialog.addEventListener('close', () => resolve(null));
  });
}
