// The strengths that can be chosen: each a list of options, set only where an engine has declared them.

import { text } from './text.js';

/**
 * @typedef {object} Level
 * @property {string} id what is kept of it in a game
 * @property {string} name
 * @property {[string, string | number][]} options
 */

/** The named levels and their `UCI_Elo`, weakest first: those of docs/levels.md. */
const NAMED = /** @type {const} */ ([
  ['easiest', 1580],
  ['easy', 1740],
  ['medium', 1870],
  ['hard', 2000],
]);

/** How an engine plays at its full strength. */
export const FULL = 'full';

/** The options that levels speak of. What a level does not set goes back to its default. */
const SPOKEN_OF = ['UCI_LimitStrength', 'UCI_Elo', 'MeanLoss', 'Bot'];

/**
 * What can be chosen of an engine: its levels, and its algorithms by their own names.
 * @param {import('./engine.js').Engine} engine
 * @returns {Level[]}
 */
export function levelsOf(engine) {
  const levels = engine.options.has('uci_limitstrength') ? ratings(engine.options.get('uci_elo')) : [];
  levels.push({ id: FULL, name: text.levels.full, options: [['UCI_LimitStrength', 'false'], ['MeanLoss', 0]] });
  for (const bot of engine.options.get('bot')?.choices ?? []) {
    levels.push({ id: `bot:${bot}`, name: bot, options: [['Bot', bot]] });
  }
  return levels;
}

/**
 * The named levels where an engine has all their ratings. What another scale means nobody here knows: of an engine that has
 * one there are ratings without names.
 * @param {import('./engine.js').Option | undefined} elo
 * @returns {Level[]}
 */
function ratings(elo) {
  if (!elo || elo.high <= elo.low) return [];
  /** @param {string} id @param {string} name @param {number} rating @returns {Level} */
  const level = (id, name, rating) => ({ id, name, options: [['UCI_LimitStrength', 'true'], ['UCI_Elo', rating]] });
  if (NAMED.every(([, rating]) => rating >= elo.low && rating <= elo.high)) {
    return NAMED.map(([id, rating]) => level(id, text.levels.named(text.levels[id], rating), rating));
  }
  const steps = [0, 1, 2, 3].map((step) => Math.round(elo.low + ((elo.high - elo.low) * step) / 3));
  return [...new Set(steps)].map((rating) => level(`elo:${rating}`, text.levels.rating(rating), rating));
}

/**
 * Sets an engine to a level, by options that it has.
 * @param {import('./engine.js').Engine} engine
 * @param {string} id
 */
export function setLevel(engine, id) {
  const level = levelsOf(engine).find((one) => one.id === id);
  for (const name of SPOKEN_OF) {
    const option = engine.options.get(name.toLowerCase());
    if (option && !level?.options.some(([set]) => set === name)) engine.set(name, option.byDefault);
  }
  for (const [name, value] of level?.options ?? []) engine.set(name, value);
}
