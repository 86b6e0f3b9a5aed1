// Dice: those of the roll, with what is used and what can no longer be used; and a choice of dice for people who throw real ones.

import { fill, h } from '../dom.js';
import { pieceIcon } from '../board/pieces.js';
import { KINDS } from '../model/position.js';
import { text } from '../text.js';

/** @typedef {import('../model/position.js').Side} Side */

/**
 * @param {Side} side
 * @param {string} roll
 * @param {string} used
 * @param {string} useless
 * @returns {HTMLElement[]}
 */
export function diceOf(side, roll, used, useless) {
  const gone = [...used.toUpperCase()];
  const idle = [...useless.toUpperCase()];
  // From the end, so that of two equal dice the first stays bright.
  const dice = [...roll.toUpperCase()].reverse().map((letter) => {
    /** @param {string[]} list */
    const take = (list) => list.includes(letter) && list.splice(list.indexOf(letter), 1).length > 0;
    const state = take(gone) ? 'used' : take(idle) ? 'useless' : '';
    return die(side, letter, state);
  });
  return dice.reverse();
}

/**
 * @param {Side} side
 * @param {string} letter
 * @param {'used' | 'useless' | ''} state
 */
function die(side, letter, state) {
  const label = text.dieState.die(letter, state ? text.dieState[state] : '');
  const icon = pieceIcon(side === 'w' ? letter : letter.toLowerCase());
  return h('span', { class: `die ${state}`, role: 'img', 'aria-label': label, title: label }, icon);
}

/**
 * Three dice to be chosen one by one.
 * @param {Side} side
 * @param {(dice: string) => void} chosen
 */
export function dicePicker(side, chosen) {
  let dice = '';
  const shown = h('span', { class: 'dice', 'aria-live': 'polite' });
  const show = () => fill(shown, ...diceOf(side, dice, '', ''));
  const buttons = KINDS.map((kind) =>
    h(
      'button',
      {
        class: 'pick',
        type: 'button',
        'data-die': kind,
        'aria-label': text.pieces[kind],
        onclick: () => {
          if (dice.length === 3) return;
          dice += kind;
          show();
          if (dice.length === 3) chosen(dice);
        },
      },
      pieceIcon(side === 'w' ? kind : kind.toLowerCase()),
    ),
  );
  const clear = h('button', {
    class: 'quiet',
    type: 'button',
    onclick: () => {
      dice = '';
      show();
    },
  }, text.table.clear);
  return h('div', { class: 'picker', role: 'group', 'aria-label': text.table.typeDice }, shown, ...buttons, clear);
}
