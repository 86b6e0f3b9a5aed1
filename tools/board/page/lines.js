// Lines of the page's own: what would have been. They leave a game, or another line, at the position that is shown, or begin from
// a position or a record that was brought; and there is always a way back.

import { fullmoveText, readDfen } from './model/position.js';
import { gameFrom, gameUpTo, LocalLine } from './sources/local-line.js';
import { text } from './text.js';

/** @typedef {import('./types.js').Game} Game */
/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./sources/local-line.js').Origin} Origin */

/** How many lines are kept to go back to. */
const KEPT = 8;

export class Lines {
  /**
   * @param {import('./socket.js').Socket} socket
   * @param {import('./table.js').Table} table
   * @param {() => Source | null} home the game that this page follows
   */
  constructor(socket, table, home) {
    this.socket = socket;
    this.table = table;
    this.home = home;
    /** @type {LocalLine[]} the latest last */
    this.all = [];
  }

  /** The line that is shown. */
  get shown() {
    const source = this.table.source;
    return source instanceof LocalLine ? source : null;
  }

  /** Those of the game or record that is shown, if anything was played in them; and what was brought. */
  get related() {
    const source = this.table.source;
    return source ? this.all.filter((line) => !line.origin || (rootOf(line) === rootOf(source) && ownTurn(line))) : [];
  }

  /** Where all ways back end: what the line that is shown began with, or the game beside it. @returns {Pick<Origin, 'source' | 'at'> | null} */
  get root() {
    /** @type {Pick<Origin, 'source' | 'at'> | null} */
    let origin = this.shown?.origin ?? null;
    while (origin?.source instanceof LocalLine && origin.source.origin) origin = origin.source.origin;
    const home = this.shown && !origin ? this.home() : null;
    return home ? { source: home, at: null } : origin;
  }

  /**
   * Leaves what is shown. In the past that is another turn with the roll that was thrown there; at the end, whatever comes next,
   * or another turn in place of the one that took the king.
   */
  async whatIf() {
    const { source, shown } = this.table;
    if (!source) return;
    const at = this.table.live ? null : shown;
    const last = source.game.plies.at(-1);
    const goesOn = at === null && last?.turn != null && last.after != null && source.game.end?.kind !== 'halfmove-clock';
    const line = this.#line(text.lines.whatIf, gameUpTo(source.game, shown, goesOn), { source, at, plies: shown, dfen: '' });
    if (shown > 0 && !goesOn) await line.takeBack(shown);
    const { state, plies, position } = line.game;
    line.origin = { source, at, plies: plies.length - (state === 'turn' ? 1 : 0), dfen: position };
    const { flipped } = this.table;
    this.#open(line);
    if (flipped !== this.table.flipped) this.table.flip();
  }

  /** The turn that is to be played in the line again before its roll, so that it can have other dice. */
  otherDice() {
    const line = this.shown;
    if (line) line.beforeRoll(line.game.plies.length);
  }

  /** The last turn of the line is to be played again. */
  async takeBack() {
    const line = this.shown;
    if (!line) return;
    const open = line.game.state === 'turn' ? 1 : 0;
    await line.takeBack(line.game.plies.length - open);
  }

  /** Back to what the line has left. */
  back() {
    const origin = this.shown?.origin ?? this.root;
    if (origin) this.show(origin.source, origin.at);
  }

  /**
   * @param {Source} source
   * @param {number | null} at
   */
  show(source, at) {
    const { flipped } = this.table;
    const home = this.home();
    // The same game may have come anew.
    this.table.open(home && home.game.id === source.game.id ? home : source);
    this.#say();
    if (flipped !== this.table.flipped) this.table.flip();
    if (at !== null) this.table.go(at);
  }

  /**
   * From a position, its dice being the first roll.
   * @param {string} dfen in canonical form
   */
  async position(dfen) {
    const { dice } = readDfen(dfen);
    const line = this.#line(text.lines.position, gameFrom(dfen), null);
    if (dice !== '-') await line.roll(dice, dfen);
    this.#open(line);
  }

  /** From a record, with all that was played. @param {Game} game */
  record(game) {
    const [white, black] = game.players;
    this.#open(this.#line(text.lines.record(white.name, black.name), gameUpTo(game, game.plies.length), null));
  }

  /**
   * What a line is called.
   * @param {LocalLine} line
   */
  name(line) {
    const { origin } = line;
    if (!origin) return line.title;
    return text.lines.name(line.title, fullmoveText(origin.dfen), ownTurn(line));
  }

  /**
   * @param {string} title
   * @param {Game} game
   * @param {Origin | null} origin
   */
  #line(title, game, origin) {
    /** @type {LocalLine} */
    const line = new LocalLine(this.socket, () => this.table.source === line && this.table.changed(), title, game, origin);
    return line;
  }

  /** @param {LocalLine} line */
  #open(line) {
    this.all = [...this.all, line].slice(-KEPT);
    this.table.open(line);
    this.#say();
  }

  #say() {
    const line = this.shown;
    this.table.speak(line ? this.name(line) : text.lines.game);
  }
}

/**
 * What a line began with.
 * @param {Source} source
 * @returns {unknown} the same for the same game, also when it came anew from the server
 */
function rootOf(source) {
  let root = source;
  while (root instanceof LocalLine && root.origin) root = root.origin.source;
  return root.game.id ?? root;
}

/**
 * The first turn that a line has played of its own; nothing if there is none.
 * @param {LocalLine} line
 */
function ownTurn(line) {
  return line.game.plies[line.origin?.plies ?? 0]?.turn ?? '';
}
