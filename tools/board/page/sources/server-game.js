// A game that the server runs.

/** @typedef {import('../types.js').Game} Game */
/** @typedef {import('../types.js').Steps} Steps */
/** @typedef {import('../socket.js').Socket} Socket */
/** @typedef {import('../types.js').Source} Source */

/** @implements {Source} */
export class ServerGame {
  /**
   * @param {Socket} socket
   * @param {Game} game
   * @param {boolean} driver
   */
  constructor(socket, game, driver) {
    this.socket = socket;
    this.game = game;
    this.driver = driver;
    this.local = false;
    this.heard = performance.now();
  }

  get id() {
    return this.game.id ?? '';
  }

  /**
   * @param {Game} game
   * @param {boolean} driver
   */
  update(game, driver) {
    this.game = game;
    this.driver = driver;
    this.heard = performance.now();
  }

  /** @param {string} [dice] what was thrown, where people roll */
  roll(dice) {
    const typed = this.game.dice.source === 'typed';
    return this.#ask('roll', { ply: this.game.ply, ...(typed ? { dice } : {}) });
  }

  /** @param {Steps} steps */
  play(steps) {
    return this.turn(steps.turn ?? '0000');
  }

  /**
   * @param {string} turn
   * @param {object} [said] what an engine said of it
   */
  turn(turn, said) {
    return this.#ask('turn', { ply: this.game.ply, turn, ...(said ? { said } : {}) });
  }

  /** @param {number} ply */
  takeBack(ply) {
    return this.#ask('take_back', { ply });
  }

  /** @param {import('../types.js').Side} side */
  resign(side) {
    return this.#ask('resign', { side });
  }

  draw() {
    return this.#ask('draw', {});
  }

  abort() {
    return this.#ask('abort', {});
  }

  /**
   * @param {string} type
   * @param {object} fields
   */
  #ask(type, fields) {
    return this.socket.ask(type, { game: this.id, ...fields });
  }
}
