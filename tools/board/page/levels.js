// The strengths that can be chosen: each a list of options, set only where an engine has declared them.

import { text } from './text.js';

/**
 * @typedef {object} Level
 * @property {string} id what is kept of it in a game
 * @property {string} name
 * @property {[string, string | number][]} options
 */

/** The named levels, weakest first: mean losses, in thousandths of equity a turn. */
const LOSSES = /** @type {const} */ ([
  ['beginner', 120],
  ['casual', 60],
  ['club', 30],
  ['strong', 12],
]);

/** How an engine plays at its full strength. */
export const FULL = 'full';

/**
 * What can be chosen of an engine: its levels, and its algorithms by their own names.
 * @param {import('./engine.js').Engine} engine
 * @returns {Level[]}
 */
export function levelsOf(engine) {
  /** @type {Level[]} */
  const levels = [];
  if (engine.options.has(LOSS_OPTION.toLowerCase())) {
    for (const [id, loss] of LOSSES) levels.push({ id, name: text.levels[id], options: [[LOSS_OPTION, loss]] });
  } else if (engine.options.has('uci_elo')) {
    const option = engine.options.get('uci_elo');
    const [low, high] = [option?.low ?? 0, option?.high ?? 0];
    LOSSES.forEach(([id], index) => {
      const elo = Math.round(low + ((high - low) * index) / LOSSES.length);
      levels.push({ id, name: text.levels[id], options: [['UCI_LimitStrength', 'true'], ['UCI_Elo', elo]] });
    });
  }
  levels.push({ id: FULL, name: text.levels.full, options: [] });
  for (const bot of engine.options.get('bot')?.choices ?? []) {
    levels.push({ id: `bot:${bot}`, name: bot, options: [['Bot', bot]] });
  }
  return levels;
}

/** The option that makes an engine lose so much a turn. */
const LOSS_OPTION = 'MeanLoss';

/**
 * Sets an engine to a level: all that levels speak of goes back to its default first.
 * @param {import('./engine.js').Engine} engine
 * @param {string} id
 */
export function setLevel(engine, id) {
  const level = levelsOf(engine).find((one) => one.id === id);
  for (const name of [LOSS_OPTION, 'UCI_LimitStrength', 'UCI_Elo', 'Bot']) {
    const option = engine.options.get(name.toLowerCase());
    if (option && !level?.options.some(([set]) => set === name)) engine.set(name, option.byDefault);
  }
  for (const [name, value] of level?.options ?? []) engine.set(name, value);
}
