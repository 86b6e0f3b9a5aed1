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
    this.asking = false;
    /** When the server has answered what was asked last. @type {Promise<unknown>} */
    this.settled = Promise.resolve();
  }

  /**
   * Makes a micro-move.
   * @param {Step} step
   * @returns {Promise<boolean>} whether it was made; not while another one is being made
   */
  async make(step) {
    if (this.asking) return false;
    this.asking = true;
    try {
      const { dfen, played } = this.steps;
      const asked = this.socket.ask('steps', { dfen, played: [...played, step.move] });
      this.settled = asked.catch(() => {});
      const next = await asked;
      this.before.push(this.steps);
      this.steps = next;
      return true;
    } finally {
      this.asking = false;
    }
  }

  /** Takes the last micro-move back; not while another one is being made. */
  undo() {
    if (this.asking) return;
    const last = this.before.pop();
    if (last) this.steps = last;
  }

  /** Whether nothing is left to choose: the turn can be sent. */
  get done() {
    return this.steps.complete && this.steps.steps.length === 0;
  }
}
