// Clocks: what the server said, less what has passed since. The server alone says when one has fallen.

/** @typedef {import('../types.js').Source} Source */

/**
 * What is left on a clock now, in milliseconds; null where there is none.
 * @param {Source} source
 * @param {0 | 1} player
 * @param {number} now by `performance.now()`
 */
export function left(source, player, now) {
  const { left_ms, running } = source.game.clocks;
  const ms = left_ms[player];
  if (ms === null || ms === undefined) return null;
  return Math.max(0, running === (player === 0 ? 'w' : 'b') ? ms - (now - source.heard) : ms);
}

/** @param {number} ms */
export function clockText(ms) {
  const whole = Math.floor(ms / 1000);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  if (hours) return `${hours}:${two(minutes)}:${two(seconds)}`;
  if (ms < 20_000) return `${minutes}:${two(seconds)}.${Math.floor(ms / 100) % 10}`;
  return `${minutes}:${two(seconds)}`;
}
