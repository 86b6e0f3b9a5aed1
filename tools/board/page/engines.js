// Engines that the server runs for this page, each behind the one interface of `engine.js`.

import { Engine } from './engine.js';
import { text } from './text.js';

/** How long an engine may take for its handshake, in milliseconds. */
const SILENCE = 10_000;

export class Engines {
  /** @param {import('./socket.js').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    /** @type {Map<number, { hear: (line: string) => void, gone: (message: string) => void, engine: Engine }>} */
    this.running = new Map();
    socket.on('engine', (message) => this.running.get(message.engine)?.hear(message.line));
    socket.on('engine_gone', (message) => {
      const one = this.running.get(message.engine);
      this.running.delete(message.engine);
      one?.gone(message.message);
    });
    socket.on('closed', () => {
      const all = [...this.running.values()];
      this.running.clear();
      for (const one of all) one.gone('');
    });
  }

  /**
   * Starts an engine and shakes hands with it.
   * @param {string} program
   * @param {(message: string) => void} gone it has ended without being told to
   * @returns {Promise<Engine>}
   */
  async start(program, gone) {
    const { engine: number } = await this.socket.ask('engine_start', { program });
    /** @type {(line: string) => void} */
    let hear = () => {};
    const engine = new Engine({
      send: (line) => void this.socket.ask('engine', { engine: number, line }).catch(() => {}),
      on: (heard) => (hear = heard),
    });
    // An engine that ends in its handshake ends the wait for it, too, and one that says nothing is not waited for long.
    const over = new Promise((_, reject) => {
      this.running.set(number, {
        engine,
        hear: (line) => hear(line),
        gone: (message) => {
          reject(new Error(message));
          gone(message);
        },
      });
    });
    over.catch(() => {});
    const silence = setTimeout(() => this.running.get(number)?.gone(text.problems.silent(program)), SILENCE);
    try {
      await Promise.race([engine.start(), over]);
    } catch (error) {
      this.end(engine);
      throw error;
    } finally {
      clearTimeout(silence);
    }
    return engine;
  }

  /** Whether an engine runs. @param {Engine} engine */
  has(engine) {
    return [...this.running.values()].some((one) => one.engine === engine);
  }

  /** @param {Engine} engine */
  end(engine) {
    for (const [number, one] of this.running) {
      if (one.engine !== engine) continue;
      this.running.delete(number);
      void this.socket.ask('engine_end', { engine: number }).catch(() => {});
    }
  }
}
