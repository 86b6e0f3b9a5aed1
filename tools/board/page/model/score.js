// Scores as `protocol.md` defines them: centipawns on a curve over the equity.

/**
 * @typedef {object} Score
 * @property {'cp' | 'mate'} kind
 * @property {number} value
 */

/**
 * The expected result for the side to move, -1 to 1.
 * @param {Score} score
 */
export function equity(score) {
  if (score.kind === 'mate') return 1;
  return score.value / Math.sqrt(score.value * score.value + 1e6);
}

/**
 * The chance to win, 0 to 1, if a draw counts half.
 * @param {number} value an equity
 */
export function chance(value) {
  return (1 + value) / 2;
}

/**
 * A chance as whole percent, which says 0 or 100 only of what is certain.
 * @param {number} value 0 to 1
 */
export function percent(value) {
  const whole = Math.round(100 * value);
  if (value > 0 && value < 1) return `${Math.min(99, Math.max(1, whole))} %`;
  return `${whole} %`;
}

/**
 * An equity or a difference of two, in points of a hundred, with a sign.
 * @param {number} value
 */
export function points(value) {
  const rounded = Math.round(value * 1000) / 10;
  const sign = rounded > 0 ? '+' : rounded < 0 ? '\u2212' : '';
  return sign + Math.abs(rounded).toFixed(1);
}

/**
 * @param {Score} score
 */
export function scoreText(score) {
  if (score.kind === 'mate') return 'king';
  const pawns = score.value / 100;
  return (pawns > 0 ? '+' : pawns < 0 ? '\u2212' : '') + Math.abs(pawns).toFixed(2);
}
