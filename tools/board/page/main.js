// The page: puts its parts together. What is shown is one source; what the server tells goes to whom it concerns.

import { loadPieces } from './board/pieces.js';
import { newGame } from './dialogs/new-game.js';
import { openEditor } from './dialogs/editor.js';
import { openPaste } from './dialogs/paste.js';
import { openSave } from './dialogs/save.js';
import { openGames, openSettings } from './dialogs/small.js';
import { byId, fill, h } from './dom.js';
import { Engines } from './engines.js';
import { Lines } from './lines.js';
import { START, withDice } from './model/position.js';
import { Opponent } from './opponent.js';
import { Account } from './panels/account.js';
import { Analysis } from './panels/analysis.js';
import { ReviewPanel } from './panels/review.js';
import { subjectOf, Tools } from './panels/tools.js';
import { TurnsPanel } from './panels/turns.js';
import { applySettings, isHidden, keep, settings } from './settings.js';
import { Refusal, Socket } from './socket.js';
import { gameFrom, lineOf } from './sources/local-line.js';
import { ServerGame } from './sources/server-game.js';
import { Table } from './table.js';
import { text } from './text.js';

applySettings();
await loadPieces();

const socket = new Socket();
const engines = new Engines(socket);
const table = new Table(socket, speak, fail, () => void begin(''));
const opponent = new Opponent(engines, engineGone, fail);
const analysis = new Analysis(engines, table, () => programs[0]?.program ?? null, new Account(socket, subjectOf));
const turns = new TurnsPanel((at) => table.go(at));
const lines = new Lines(socket, table, () => game);
const review = new ReviewPanel(socket, table, subjectOf);
const tools = new Tools({ socket, table, lines, review, fail });
table.looksBefore = () => review.compares || (settings().analysis && !isHidden(table.source));
opponent.watch = (/** @type {import('./engine.js').Info} */ info) => analysis.thinking(info);

/** @type {import('./types.js').Program[]} */
let programs = [];
/** @type {Map<string, import('./types.js').Summary>} */
let games = new Map();
/** @type {Map<string, import('./dialogs/new-game.js').Choice>} */
const known = new Map();
/** When the server has said what it has. */
const greeted = new Promise((resolve) => socket.on('hello', resolve));
/** The game to go back to from a line. @type {ServerGame | null} */
let game = null;

/** Whether the server has games that it did not list. */
let moreGames = false;
/** The most bytes of a text that the server reads; `hello` says it. */
let mostText = 1 << 20;

byId('side').append(turns.element, tools.element, review.element, analysis.element);
menu();

table.onChange(() => {
  const source = table.source;
  if (source) turns.show(source.game, table.place);
  tools.show();
  analysis.look();
  review.look();
});

socket.on('hello', (message) => {
  programs = message.programs;
  mostText = message.limits.text_bytes;
  moreGames = message.more_games;
  games = new Map(message.games.map((/** @type {import('./types.js').Summary} */ one) => [one.id, one]));
  notice(null);
  const wanted = location.hash.slice(1);
  if (wanted) follow(wanted);
});

socket.on('game', (message) => {
  const fresh = game?.id !== message.game.id || table.source === null;
  if (fresh || !game) {
    if (game && game.id !== message.game.id && location.hash.slice(1) !== message.game.id) return;
    game = new ServerGame(socket, message.game, message.driver);
    table.open(game);
  } else {
    game.update(message.game, message.driver);
    if (table.source === game) table.changed();
  }
  opponent.look(game);
});

socket.on('listed', (message) => games.set(message.game.id, message.game));
socket.on('closed', ({ final, code }) => {
  opponent.done = '';
  notice(final ? text.problems.final(code) : text.problems.closed);
});
document.addEventListener('keydown', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (event.ctrlKey || event.altKey || event.metaKey || target?.closest('input, textarea, select, dialog')) return;
  if (!tools.key(event)) table.key(event);
});
addEventListener('hashchange', () => {
  const wanted = location.hash.slice(1);
  if (wanted && wanted !== game?.id) follow(wanted);
});
socket.connect();

/** @param {string} id */
function follow(id) {
  const before = game?.id;
  if (before && before !== id) socket.ask('close', { game: before }).catch(() => {});
  if (before !== id) game = null;
  // From a line beside it.
  else if (game && table.source !== game) table.open(game);
  if (location.hash.slice(1) !== id) history.pushState(null, '', `#${id}`);
  socket.ask('open', { game: id }).catch(fail);
}

function menu() {
  /** @param {string} name @param {string} label @param {() => void} act */
  const button = (name, label, act) => h('button', { type: 'button', class: 'quiet', 'data-menu': name, onclick: act }, label);
  fill(
    byId('menu'),
    button('new', text.menu.newGame, () => void begin('')),
    button('games', text.menu.games, () => openGames([...games.values()], moreGames ? olderGames : null, follow)),
    button('paste', text.menu.paste, () => openPaste(socket, mostText, { position: (dfen) => lines.position(dfen), game: (one) => lines.record(one) })),
    button('edit', text.menu.edit, edit),
    button('flip', text.menu.flip, () => table.flip()),
    button('settings', text.menu.settings, () => openSettings(() => table.settled())),
  );
}

/**
 * Games that are over, before so many of the latest ones.
 * @param {number} before
 */
function olderGames(before) {
  return socket.ask('games', { before, count: 50 });
}

/** Sets up a position, from the one that is shown. */
function edit() {
  openEditor(socket, table.position || `${START} -`, table.flipped, {
    play: (dfen) => void begin(withDice(dfen, '-')),
    analyse: async (dfen) => {
      keep({ analysis: true });
      await lines.position(dfen);
    },
    save: (dfen) => openSave(socket, { line: lineOf(gameFrom(dfen)) }, dfen),
  });
}

/** How long an engine may be asked what it can do before somebody is told that it is, in milliseconds. */
const ASKING = 600;

let beginning = false;

/** @param {string} opening */
async function begin(opening) {
  if (beginning) return;
  beginning = true;
  await greeted;
  const choices = [];
  let slow = 0;
  for (const { program, command } of programs) {
    try {
      let choice = known.get(program);
      if (!choice) {
        slow = setTimeout(() => notice(text.newGame.asking(program)), ASKING);
        // It is started to ask for its options, and ended: a game starts its own.
        const engine = await engines.start(program, () => {});
        engines.end(engine);
        choice = { program, own: command === '', engine };
        known.set(program, choice);
      }
      choices.push(choice);
      clearTimeout(slow);
      if (byId('notice').textContent?.startsWith(text.newGame.asking(program))) notice(null);
    } catch (error) {
      clearTimeout(slow);
      fail(error);
    }
  }
  beginning = false;
  newGame(choices, opening, async (wanted) => {
    const { game: id } = await socket.ask('new', wanted);
    if (game && game.id !== id) void socket.ask('close', { game: game.id }).catch(() => {});
    history.pushState(null, '', `#${id}`);
    if (game?.id !== id) await socket.ask('open', { game: id });
  });
}

/** @param {string} words */
function speak(words) {
  byId('spoken').textContent = words;
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Refusal && (error.code === 'stale' || error.code === 'closed')) return;
  notice(error instanceof Error ? error.message : String(error));
}

/**
 * @param {string | null} words
 * @param {HTMLElement} [action]
 */
function notice(words, action) {
  const place = byId('notice');
  place.hidden = words === null;
  const dismiss = h('button', { type: 'button', class: 'quiet', onclick: () => notice(null) }, text.problems.dismiss);
  fill(place, words, action, words === null ? null : dismiss);
}

/**
 * @param {string | null} words
 * @param {() => void} again
 */
function engineGone(words, again) {
  if (words === null) {
    notice(null);
    return;
  }
  const act = () => {
    notice(null);
    again();
  };
  notice(words, h('button', { type: 'button', 'data-action': 'again', onclick: act }, text.problems.again));
}
