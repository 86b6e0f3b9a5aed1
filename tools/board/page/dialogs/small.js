// The small windows: settings, games.

import { h } from '../dom.js';
import { keep, settings } from '../settings.js';
import { text } from '../text.js';
import { field, openDialog, select } from './dialog.js';

/** @param {() => void} changed */
export function openSettings(changed) {
  const now = settings();
  /** @param {'autoRoll' | 'autoForced' | 'confirm' | 'motion'} name */
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
    h('div', { class: 'form' }, check('autoRoll'), check('autoForced'), check('confirm'), check('motion'), field(text.settings.theme, theme),
      h('div', { class: 'choices' }, close)),
  );
}

/**
 * @param {import('../types.js').Summary[]} games
 * @param {(id: string) => void} open
 */
export function openGames(games, open) {
  const rows = games.map((game) => {
    const state = game.end ? text.result(game.end, game.names) : text.gamesList.running;
    return h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'quiet row',
          'data-game': game.id,
          onclick: () => {
            dialog.close();
            open(game.id);
          },
        },
        h('span', {}, game.names.join(' \u2013 ')),
        h('span', { class: 'soft small' }, state),
      ),
    );
  });
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, text.settings.close);
  const list = rows.length ? h('ul', { class: 'rows' }, ...rows) : h('p', {}, text.gamesList.none);
  const dialog = openDialog(text.gamesList.title, list, h('div', { class: 'choices' }, close));
}
