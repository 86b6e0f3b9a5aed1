// What this browser keeps of how its user wants the page.

/**
 * @typedef {object} Settings
 * @property {boolean} autoRoll
 * @property {boolean} autoForced
 * @property {boolean} confirm
 * @property {boolean} motion
 * @property {boolean} analysis
 * @property {boolean} serious nothing that helps while a game runs
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {string} name
 */

/** @type {Settings} */
const DEFAULTS = {
  autoRoll: false,
  autoForced: false,
  confirm: false,
  motion: true,
  analysis: false,
  serious: false,
  theme: 'auto',
  name: '',
};

const KEY = 'astragal.settings';

/** What holds while the browser keeps nothing for this page. @type {Partial<Settings>} */
let here = {};

/** @returns {Settings} */
export function settings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}'), ...here };
  } catch {
    return { ...DEFAULTS, ...here };
  }
}

/** @param {Partial<Settings>} changes */
export function keep(changes) {
  const all = { ...settings(), ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
    here = {};
  } catch {
    here = all;
  }
  applySettings();
}

/** What of the settings is the style sheets' affair. */
export function applySettings() {
  const { theme, motion: moves } = settings();
  const { dataset } = document.documentElement;
  if (theme === 'auto') delete dataset.theme;
  else dataset.theme = theme;
  if (moves) delete dataset.motion;
  else dataset.motion = 'off';
}

/** Whether things may move: the user wants it, and has not asked the system for less. */
export function motion() {
  return settings().motion && !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * Whether all help is hidden: the user plays seriously, and the game of the server that is shown is not over.
 * @param {import('./types.js').Source | null} source
 */
export function isHidden(source) {
  return settings().serious && source !== null && !source.local && source.game.state !== 'over';
}
