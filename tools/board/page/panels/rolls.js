// The 56 rolls as six triangles of cells: the first die by the block, the second by the row, the third by the column. What a
// roll is worth against the mean is told by colour, by a sign, and in words.

import { h } from '../dom.js';
import { KINDS } from '../model/position.js';
import { points } from '../model/score.js';
import { text } from '../text.js';

/** @typedef {{ dice: string, weight: number, equity: number, turn: string }} RollValue */

/**
 * @param {Map<string, RollValue>} rolls
 * @param {number} mean
 * @param {string} actual the roll that was thrown, or `-`
 * @param {'w' | 'b'} side
 */
export function rollsTriangle(rolls, mean, actual, side) {
  const thrown = actual.toUpperCase();
  const blocks = KINDS.map((first, from) => {
    const rows = KINDS.slice(from).map((second, index) => {
      const cells = KINDS.slice(from + index).map((third) => cell(rolls.get(first + second + third), mean, first + second + third === thrown));
      return h('div', { class: 'roll-row' }, ...cells);
    });
    return h('div', { class: 'roll-block' }, ...rows);
  });
  return h('div', { class: 'triangle', role: 'group', 'aria-label': `${text.analysis.rolls}, ${text.sides[side]}` }, ...blocks);
}

/**
 * @param {RollValue | undefined} roll
 * @param {number} mean
 * @param {boolean} thrown
 */
function cell(roll, mean, thrown) {
  if (!roll) return h('span', { class: 'roll' });
  const better = roll.equity - mean;
  const label = `${roll.dice}: ${points(better)}, ${text.turn(roll.turn)}`;
  const element = h(
    'span',
    { class: `roll ${better < 0 ? 'low' : 'high'}${thrown ? ' thrown' : ''}`, title: label, role: 'img', 'aria-label': label },
    roll.dice,
  );
  element.style.setProperty('--much', `${Math.round(Math.min(1, Math.abs(better) * 2.2) * 80)}%`);
  return element;
}
