// Plays the seats of a game that engines have: it asks them by `protocol.md`, and sends their turns as a person's are sent.
// Only the page that drives the game does so.

import { Engine } from './engine.js';
import { setLevel } from './levels.js';
import { withDice } from './model/position.js';
import { motion } from './settings.js';
import { Refusal } from './socket.js';
import { text } from './text.js';

/** @typedef {import('./sources/server-game.js').ServerGame} ServerGame */
/** @typedef {import('./engines.js').Engines} Engines */

/** How long the board rests between a turn and the engine's roll, in milliseconds. No clock runs meanwhile. */
const REST = 900;

/**
 * How long an engine may take beyond what was agreed, and where nothing was, before there is a way to go on without its answer. In
 * milliseconds. Where there is a clock, that ends the game.
 */
const LATE = 5000;
const LONG = 60_000;

export class Opponent {
  /**
   * @param {Engines} engines
   * @param {(words: string | null, again: () => void) => void} stuck an engine cannot go on; again starts another one. Null: it can.
   * @param {(error: unknown) => void} fail
   */
  constructor(engines, stuck, fail) {
    this.engines = engines;
    this.stuck = stuck;
    this.fail = fail;
    /** @type {Map<string, Promise<Engine>>} by game and seat */
    this.seats = new Map();
    /** What was done last, so that it is done once. */
    this.done = '';
    /** @type {((info: import('./engine.js').Info) => void) | null} who wants to see it think */
    this.watch = null;
  }

  /** The game has changed. @param {ServerGame} source */
  look(source) {
    const { game } = source;
    const seat = game.side === 'w' ? 0 : 1;
    const player = game.players[seat];
    const key = `${game.id} ${game.plies.length} ${game.state} ${game.position}`;
    // Engines of other games are not wanted any more, nor those of a game that is over, nor of one that another page drives.
    this.#end((of) => of.startsWith(`${source.id} `) && source.driver && game.state !== 'over');
    if (!source.driver || player.kind !== 'engine' || game.state === 'over' || key === this.done) return;
    this.done = key;
    if (game.state === 'roll') {
      if (game.dice.source === 'typed') return;
      setTimeout(() => source.roll().catch(this.fail), motion() ? REST : 0);
    } else if (game.steps?.pass) {
      setTimeout(() => source.turn('0000').catch(this.fail), motion() ? REST : 0);
    } else {
      this.#think(source, seat).catch(this.fail);
    }
  }

  /**
   * @param {ServerGame} source
   * @param {0 | 1} seat
   */
  async #think(source, seat) {
    const { game } = source;
    const player = game.players[seat];
    /** @type {Engine} */
    let engine;
    try {
      engine = await this.#engine(source, seat);
    } catch (error) {
      this.#stuck(source, text.problems.engine(player.name, error instanceof Error ? error.message : String(error)), error);
      return;
    }
    const began = performance.now();
    /** @type {import('./engine.js').Info | null} */
    let last = null;
    const go = goOf(source, player.go ?? 'movetime 1000');
    let late = false;
    const timed = game.controls[seat]?.kind !== 'none';
    const watch = timed ? undefined : setTimeout(() => {
      if (source.game.ply !== game.ply || !this.engines.has(engine)) return;
      late = true;
      this.#stuck(source, text.problems.late(player.name), null, () => this.#end((of) => of !== `${source.id} ${seat}`));
    }, patienceOf(go));
    const turn = await engine.search({
      position: positionOf(game),
      go,
      info: (info) => {
        if (info.multipv === 1) last = info;
        this.watch?.(info);
      },
    });
    clearTimeout(watch);
    if (late) this.stuck(null, () => {});
    if (turn === null || source.game.ply !== game.ply || source.game.state !== 'turn') return;
    const info = /** @type {import('./engine.js').Info | null} */ (last);
    const time_ms = Math.round(performance.now() - began);
    const said = info
      ? { [info.score.kind]: info.score.value, depth: info.depth, nodes: info.nodes, time_ms }
      : { time_ms };
    try {
      await source.turn(turn, said);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'illegal') throw error;
      this.engines.end(engine);
      this.seats.delete(`${source.id} ${seat}`);
      this.#stuck(source, text.problems.illegal(player.name, turn, error.message), error);
    }
  }

  /**
   * @param {ServerGame} source
   * @param {string} words
   * @param {unknown} [error] what is behind it; a lost connection is told of elsewhere
   * @param {() => void} [first] to be done before it is tried again
   */
  #stuck(source, words, error, first) {
    if (source.game.state === 'over' || (error instanceof Error && !error.message)) return;
    this.stuck(words, () => {
      first?.();
      this.done = '';
      this.look(source);
    });
  }

  /** Ends engines. @param {(seat: string) => boolean} wanted those that stay */
  #end(wanted) {
    for (const [seat, engine] of this.seats) {
      if (wanted(seat)) continue;
      this.seats.delete(seat);
      engine.then((one) => this.engines.end(one)).catch(() => {});
    }
  }

  /**
   * @param {ServerGame} source
   * @param {0 | 1} seat
   * @returns {Promise<Engine>}
   */
  #engine(source, seat) {
    const key = `${source.id} ${seat}`;
    const known = this.seats.get(key);
    if (known) return known;
    const player = source.game.players[seat];
    const made = (async () => {
      let ready = false;
      const engine = await this.engines.start(player.program ?? '', (message) => {
        this.seats.delete(key);
        // Before it is ready somebody waits for it, and tells.
        if (ready && message) this.#stuck(source, text.problems.engine(player.name, message));
      });
      ready = true;
      setLevel(engine, player.level ?? '');
      for (const [name, value] of Object.entries(player.options ?? {})) engine.set(name, value);
      try {
        await engine.newGame();
      } catch (error) {
        this.engines.end(engine);
        throw error;
      }
      return engine;
    })();
    this.seats.set(key, made);
    made.catch(() => this.seats.delete(key));
    return made;
  }
}

/**
 * How long an engine may take for these words after `go`, in milliseconds.
 * @param {string} go
 */
function patienceOf(go) {
  const agreed = /\bmovetime (\d+)/.exec(go)?.[1];
  return agreed === undefined ? LONG : Number(agreed) + LATE;
}

/**
 * The words after `position`: the game with its turns, which engines learn more from than from the position alone.
 * @param {import('./types.js').Game} game
 */
function positionOf(game) {
  const last = game.plies.at(-1);
  const before = game.plies.slice(0, -1).map((ply) => `${ply.roll}:${ply.turn}`);
  const moves = before.length ? ` moves ${before.join(' ')}` : '';
  return `dfen ${withDice(game.opening, '-')}${moves} dice ${last?.roll ?? '-'}`;
}

/**
 * The words after `go`: the clocks as they are now, or what was agreed where there is none.
 * @param {ServerGame} source
 * @param {string} otherwise
 */
function goOf(source, otherwise) {
  const { game, heard } = source;
  const words = [];
  const passed = performance.now() - heard;
  for (const [index, letter] of ['w', 'b'].entries()) {
    const control = game.controls[index];
    const left = game.clocks.left_ms[index];
    const own = letter === game.side;
    if (!control || left === null || left === undefined) continue;
    const now = Math.max(0, Math.round(own && game.clocks.running ? left - passed : left));
    if (control.kind === 'movetime') {
      if (own) words.push(`movetime ${now}`);
      continue;
    }
    words.push(`${letter}time ${now}`);
    if (control.increment_ms) words.push(`${letter}inc ${control.increment_ms}`);
    if (control.delay_ms) words.push(`${letter}delay ${control.delay_ms}`);
    const turns = game.clocks.turns_to_go[index];
    if (own && turns) words.push(`movestogo ${turns}`);
  }
  return words.length && game.controls[game.side === 'w' ? 0 : 1]?.kind !== 'none' ? words.join(' ') : otherwise;
}
