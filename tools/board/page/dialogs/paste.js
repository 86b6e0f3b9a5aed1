// What people bring: a position, or a record of one game or several.

import { fill, h } from '../dom.js';
import { text } from '../text.js';
import { field, openDialog } from './dialog.js';

const words = text.paste;

/** The most bytes of a message that the server takes, less what stands around the text. */
const MOST_MESSAGE = (2 << 20) - 1024;

/**
 * @param {import('../socket.js').Socket} socket
 * @param {number} most bytes of a text that the server reads
 * @param {object} found
 * @param {(dfen: string) => Promise<unknown>} found.position
 * @param {(game: import('../types.js').Game) => void} found.game
 */
export function openPaste(socket, most, found) {
  const area = h('textarea', { name: 'paste', rows: 8, spellcheck: 'false' });
  const file = h('input', { name: 'file', type: 'file' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const games = h('div', {});
  const fail = (/** @type {unknown} */ error) => fill(problem, error instanceof Error ? error.message : String(error));
  file.addEventListener('change', () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    if (chosen.size > most) fail(words.tooLong(most >> 10));
    else chosen.text().then((content) => (area.value = content), fail);
  });
  const read = async () => {
    fill(problem);
    fill(games);
    const bytes = (/** @type {string} */ one) => new TextEncoder().encode(one).length;
    if (bytes(area.value) > most || bytes(JSON.stringify(area.value)) > MOST_MESSAGE) throw new Error(words.tooLong(most >> 10));
    const parsed = await socket.ask('parse', { text: area.value });
    if (parsed.dfen !== null) {
      await found.position(parsed.dfen);
    } else if (parsed.games.length === 1 && !parsed.problems.length) {
      found.game(parsed.games[0]);
    } else {
      fill(games, ...list(parsed, found.game, () => dialog.close()));
      fill(problem, parsed.problems.join('\n'));
      games.querySelector('button')?.focus();
      return;
    }
    dialog.close();
  };
  const dialog = openDialog(
    words.title,
    h(
      'div',
      { class: 'form' },
      field(words.help, area),
      field(words.file, file),
      problem,
      games,
      h(
        'div',
        { class: 'choices' },
        h('button', { type: 'button', onclick: () => dialog.close() }, text.newGame.cancel),
        h('button', { type: 'button', class: 'primary', 'data-action': 'open', onclick: () => void read().catch(fail) }, words.open),
      ),
    ),
  );
}

/**
 * @param {{ games: import('../types.js').Game[], more: boolean }} parsed
 * @param {(game: import('../types.js').Game) => void} open
 * @param {() => void} close
 */
function list({ games, more }, open, close) {
  const rows = games.map((game, index) => {
    const names = game.players.map((player) => player.name);
    const act = () => {
      close();
      open(game);
    };
    const row = h(
      'button',
      { type: 'button', class: 'quiet row', 'data-found': index, onclick: act },
      h('span', {}, names.join(' \u2013 ')),
      h('span', { class: 'soft small' }, `${game.end ? text.result(game.end, names) : ''}, ${words.turns(game.plies.length)}`),
    );
    return h('li', {}, row);
  });
  return [h('h3', {}, words.choose), h('ul', { class: 'rows' }, ...rows), more ? h('p', { class: 'small soft' }, words.more) : null];
}
