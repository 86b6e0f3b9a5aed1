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

/** @returns {Settings} */
export function settings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return { ...DEFAULTS };
  }
}

/** @param {Partial<Settings>} changes */
export function keep(changes) {
  localStorage.setItem(KEY, JSON.stringify({ ...settings(), ...changes }));
  applyTheme();
}

export function applyTheme() {
  const { theme } = settings();
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
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
