// What the page reads out of a review. Equities are turned to White's side here, so that a curve can be drawn of them.

import { fullmoveText } from './position.js';

/** @typedef {import('../types.js').Review} Review */
/** @typedef {import('../types.js').ReviewTurn} ReviewTurn */

/**
 * Where a turn stands on the curve, all from White's side.
 * @typedef {object} Point
 * @property {number} ply
 * @property {number} before the equity before the roll
 * @property {number} rolled with the luck of the roll
 * @property {number} played less what the turn lost
 */

/**
 * @param {Review} review
 * @returns {Point[]}
 */
export function curve(review) {
  return review.turns.map((turn) => {
    const sign = turn.side === 'white' ? 1 : -1;
    const rolled = turn.equity + turn.luck;
    const played = rolled - (turn.decision?.loss ?? 0);
    return { ply: turn.ply, before: sign * turn.equity, rolled: sign * rolled, played: sign * played };
  });
}

/**
 * What the game came to in the end: its result, or what its last position was worth.
 * @param {Review} review
 */
export function last(review) {
  return review.result ?? review.account.sum;
}

/**
 * The turns with a mark, or with a king that was left standing.
 * @param {Review} review
 */
export function mistakes(review) {
  return review.turns.filter(({ decision }) => decision && (decision.mark !== null || decision.missed_capture));
}

/**
 * The mark of a turn, as it is written behind it; nothing for a turn that has none.
 * @param {ReviewTurn | undefined} turn
 */
export function markOf(turn) {
  if (!turn?.decision) return '';
  return (turn.decision.mark ?? '') + (turn.decision.missed_capture ? 'K' : '');
}

/**
 * The number of a turn in its game, as records count.
 * @param {ReviewTurn} turn
 */
export function numberOf(turn) {
  return fullmoveText(turn.dfen);
}
