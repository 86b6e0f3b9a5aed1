// A line that this page plays by itself, to see what would have been: from a position, or from a turn of a game. The server
// says what is legal; nobody keeps the line but the page.

import { KINDS, readDfen, sortedDice, withDice } from '../model/position.js';
import { text } from '../text.js';

/** @typedef {import('../types.js').Game} Game */
/** @typedef {import('../types.js').Steps} Steps */
/** @typedef {import('../types.js').Ply} Ply */
/** @typedef {import('../socket.js').Socket} Socket */
/** @typedef {import('../types.js').Source} Source */

/**
 * What a line has left, and where.
 * @typedef {object} Origin
 * @property {Source} source
 * @property {number | null} at the ply that was shown; null for where it stands
 * @property {number} plies how many of its plies the line shares
 * @property {string} dfen the position after those
 */

/** @implements {Source} */
export class LocalLine {
  /**
   * @param {Socket} socket
   * @param {() => void} changed
   * @param {string} title
   * @param {Game} game
   * @param {Origin | null} origin
   */
  constructor(socket, changed, title, game, origin) {
    this.socket = socket;
    this.changed = changed;
    this.title = title;
    this.game = game;
    this.origin = origin;
    this.local = true;
    this.driver = false;
    this.heard = performance.now();
  }

  /**
   * Throws the dice of the next turn: those given, or some.
   * @param {string} [dice]
   * @param {string} [dfen] the position with these dice, where it is more than both: in the middle of a turn
   */
  async roll(dice, dfen) {
    const roll = sortedDice(dice ?? randomDice());
    const before = dfen ?? withDice(this.game.position, this.game.side === 'w' ? roll : roll.toLowerCase());
    const steps = await this.socket.ask('steps', { dfen: before, played: [] });
    this.#set([...this.game.plies, { roll, before: steps.dfen, turn: null }], { state: 'turn', position: steps.dfen, steps });
  }

  /** @param {Steps} steps */
  async play(steps) {
    const plies = this.game.plies.slice(0, -1);
    const last = this.game.plies.at(-1);
    if (!last) return;
    plies.push({ ...last, turn: steps.turn, passed: steps.pass !== null, after: steps.after });
    if (steps.end) {
      const winner = steps.end === 'king-capture' ? this.game.side : null;
      const result = winner === 'w' ? 1 : winner === 'b' ? 0 : 0.5;
      const end = { kind: steps.end, result, winner };
      this.#set(plies, { state: 'over', steps: null, position: steps.after ?? steps.position, end });
    } else {
      const position = steps.after ?? '';
      this.#set(plies, { state: 'roll', steps: null, position, side: readDfen(position).side });
    }
  }

  /**
   * Back to the roll of a ply, which stands.
   * @param {number} ply
   */
  async takeBack(ply) {
    const kept = this.game.plies.slice(0, ply);
    const last = kept.at(-1);
    if (!last) return;
    const steps = await this.socket.ask('steps', { dfen: last.before, played: [] });
    kept[kept.length - 1] = { roll: last.roll, before: last.before, turn: null };
    const side = readDfen(last.before).side;
    this.#set(kept, { state: 'turn', position: last.before, steps, side, end: null });
  }

  /**
   * Back to before the roll of a ply: other dice can be thrown.
   * @param {number} ply
   */
  beforeRoll(ply) {
    const last = this.game.plies[ply - 1];
    if (!last) return;
    const position = withDice(last.before, '-');
    this.#set(this.game.plies.slice(0, ply - 1), { state: 'roll', position, steps: null, side: readDfen(position).side, end: null });
  }

  /**
   * @param {Ply[]} plies
   * @param {Partial<Game>} changes
   */
  #set(plies, changes) {
    const played = changes.state === 'roll' ? plies.length + 1 : plies.length;
    this.game = { ...this.game, ...changes, plies, ply: Math.max(1, played) };
    this.heard = performance.now();
    this.changed();
  }
}

/** Three dice of the page's own. */
function randomDice() {
  let dice = '';
  const bytes = new Uint8Array(1);
  while (dice.length < 3) {
    crypto.getRandomValues(bytes);
    // 252 is the last multiple of six: every face is as likely.
    if ((bytes[0] ?? 255) < 252) dice += KINDS[(bytes[0] ?? 0) % 6];
  }
  return dice;
}

/**
 * A game of two people from a position.
 * @param {string} dfen in canonical form; its dice are taken as the first roll
 * @returns {Game}
 */
export function gameFrom(dfen) {
  const { side } = readDfen(dfen);
  const position = withDice(dfen, '-');
  /** @type {import('../types.js').Player} */
  const white = { kind: 'human', name: text.sides.w };
  return {
    id: null,
    players: [white, { kind: 'human', name: text.sides.b }],
    controls: [{ kind: 'none' }, { kind: 'none' }],
    dice: { source: 'typed' },
    opening: position,
    plies: [],
    ply: 1,
    state: 'roll',
    side,
    position,
    steps: null,
    clocks: { left_ms: [null, null], turns_to_go: [null, null], running: null },
    end: null,
    notes: [],
  };
}

/**
 * A game of somebody else as the beginning of a line: its players' clocks and programs do not matter any more.
 * @param {Game} game
 * @param {number} plies how many of its plies are taken over
 * @param {boolean} [goesOn] its end is left out
 * @returns {Game}
 */
export function gameUpTo(game, plies, goesOn = false) {
  const kept = game.plies.slice(0, plies);
  const whole = plies >= game.plies.length && !goesOn;
  const last = kept.at(-1);
  const open = last !== undefined && last.turn === null;
  const position = last ? (open ? last.before : (last.after ?? last.before)) : game.opening;
  const over = whole && game.end !== null;
  return {
    ...gameFrom(game.opening),
    players: [human(game.players[0]), human(game.players[1])],
    plies: kept,
    ply: open || over ? Math.max(1, kept.length) : kept.length + 1,
    state: over ? 'over' : open ? 'turn' : 'roll',
    side: readDfen(position).side,
    position,
    end: over ? game.end : null,
  };
}

/**
 * A game of the page as the server takes it, to write it down or to review it.
 * @param {Game} game
 * @returns {import('../types.js').Line}
 */
export function lineOf(game) {
  const [white, black] = game.players;
  const decided = game.end && !['king-capture', 'halfmove-clock', 'aborted'].includes(game.end.kind) ? game.end : null;
  return {
    names: [white.name, black.name],
    opening: game.opening,
    plies: game.plies.map(({ roll, turn }) => ({ roll, turn })),
    result: decided?.result ?? null,
    end: decided?.kind ?? null,
  };
}

/**
 * @param {import('../types.js').Player} player
 * @returns {import('../types.js').Player}
 */
function human(player) {
  return { kind: 'human', name: player.name };
}
