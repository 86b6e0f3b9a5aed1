// The small windows: settings, games.

import { h } from '../dom.js';
import { keep, settings } from '../settings.js';
import { text } from '../text.js';
import { field, openDialog, select } from './dialog.js';

/** @param {() => void} changed */
export function openSettings(changed) {
  const now = settings();
  /** @param {'autoRoll' | 'autoForced' | 'confirm' | 'motion' | 'serious'} name */
  const check = (name) => {
    const box = h('input', { type: 'checkbox', name, checked: now[name] });
    box.addEventListener('change', () => {
      keep({ [name]: box.checked });
      changed();
    });
    return h('label', { class: 'check' }, box, h('span', {}, text.settings[name]));
  };
  const theme = select('theme', Object.entries(text.settings.themes), now.theme);
  theme.addEventListener('change', () => keep({ theme: /** @type {'auto' | 'light' | 'dark'} */ (theme.value) }));
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, text.settings.close);
  const dialog = openDialog(
    text.settings.title,
    h('div', { class: 'form' }, check('autoRoll'), check('autoForced'), check('confirm'), check('motion'), check('serious'), field(text.settings.theme, theme),
      h('div', { class: 'choices' }, close)),
  );
}

/** @typedef {import('../types.js').Summary} Summary */

/**
 * @param {Summary[]} games
 * @param {((before: number) => Promise<{ games: Summary[], more: boolean }>) | null} older how to get those that are over, before so many
 *   of the latest; null if there are none
 * @param {(id: string) => void} open
 */
export function openGames(games, older, open) {
  const list = h('ul', { class: 'rows' });
  /** @type {Set<string>} */
  const listed = new Set();
  /** @param {Summary[]} more */
  const add = (more) => {
    for (const game of more) {
      if (!listed.has(game.id)) list.append(row(game, choose));
      listed.add(game.id);
    }
  };
  const choose = (/** @type {string} */ id) => {
    dialog.close();
    open(id);
  };
  add([...games].sort((a, b) => Number(a.end !== null) - Number(b.end !== null) || (b.started_ms ?? 0) - (a.started_ms ?? 0)));
  let before = games.filter((game) => game.end).length;
  const problem = h('p', { class: 'problem', role: 'alert' });
  const next = h('button', { type: 'button', 'data-action': 'older', hidden: older === null }, text.gamesList.older);
  next.addEventListener('click', () => {
    older?.(before).then(
      (found) => {
        before += found.games.length;
        add(found.games);
        next.hidden = !found.more;
      },
      (error) => (problem.textContent = error.message),
    );
  });
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, text.settings.close);
  const none = games.length ? null : h('p', {}, text.gamesList.none);
  const dialog = openDialog(text.gamesList.title, none, list, problem, h('div', { class: 'choices' }, next, close));
}

/**
 * @param {Summary} game
 * @param {(id: string) => void} choose
 */
function row(game, choose) {
  const state = game.end ? text.result(game.end, game.names) : text.gamesList.running;
  const began = game.started_ms === null ? '' : new Date(game.started_ms).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'quiet row', 'data-game': game.id, onclick: () => choose(game.id) },
      h('span', {}, game.names.join(' \u2013 ')),
      h('span', { class: 'soft small' }, [state, began].filter(Boolean).join(', ')),
    ),
  );
}
