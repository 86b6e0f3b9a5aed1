// The turn that is being made at the board: micro-moves played so far, and what the server says can follow.

/** @typedef {import('./types.js').Steps} Steps */
/** @typedef {import('./types.js').Step} Step */

export class TurnInProgress {
  /**
   * @param {import('./socket.js').Socket} socket
   * @param {Steps} first
   */
  constructor(socket, first) {
    this.socket = socket;
    this.steps = first;
    /** @type {Steps[]} the states before, to go back to */
    this.before = [];
    /** How much of what was asked for is not done yet. */
    this.waiting = 0;
    /** When all that was asked for is done. @type {Promise<unknown>} */
    this.settled = Promise.resolve();
  }

  /**
   * Does something as soon as all that was asked for before it is done, so that who is faster than the server plays in the order
   * of his hands.
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  inOrder(act) {
    this.waiting += 1;
    const done = this.settled.then(act).finally(() => {
      this.waiting -= 1;
    });
    this.settled = done.catch(() => {});
    return done;
  }

  /** Whether something that was asked for is not done yet. */
  get busy() {
    return this.waiting > 0;
  }

  /**
   * Makes a micro-move; only in order.
   * @param {Step} step
   */
  async make(step) {
    const { dfen, played } = this.steps;
    const next = await this.socket.ask('steps', { dfen, played: [...played, step.move] });
    this.before.push(this.steps);
    this.steps = next;
  }

  /** Takes the last micro-move back; not while something is being made. */
  undo() {
    if (this.busy) return;
    const last = this.before.pop();
    if (last) this.steps = last;
  }

  /** Whether nothing is left to choose: the turn can be sent. */
  get done() {
    return this.steps.complete && this.steps.steps.length === 0;
  }
}
