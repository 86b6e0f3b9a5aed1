// The socket to the server: questions with their replies, and what the server tells by itself. `docs/board.md` has the messages.

/** @typedef {{ code: string, message: string }} Problem */

/** After these the server does not want to see this page again. */
const FINAL = ['garbage', 'flood', 'pages'];

/** What the server refuses, as an error that can be shown. */
export class Refusal extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.message);
    this.code = problem.code;
  }
}

export class Socket {
  constructor() {
    /** @type {Map<string, ((message: any) => void)[]>} */
    this.listeners = new Map();
    /** @type {Map<number, { resolve: (ok: any) => void, reject: (error: Error) => void }>} */
    this.asked = new Map();
    this.count = 0;
    this.tries = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {string | null} why the server said that it would close */
    this.farewell = null;
  }

  /**
   * Hears messages of a type; `open` and `closed` are the socket's own.
   * @param {string} type
   * @param {(message: any) => void} heard
   */
  on(type, heard) {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), heard]);
  }

  connect() {
    const address = new URL('ws', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.search = location.search;
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
    socket.onclose = () => this.#closed();
  }

  /**
   * Asks the server.
   * @param {string} type
   * @param {object} [fields]
   * @returns {Promise<any>} what its reply has under `ok`
   */
  ask(type, fields = {}) {
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refusal({ code: 'closed', message: '' }));
    }
    const id = (this.count += 1);
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, type, ...fields }));
    });
  }

  /** @param {any} message */
  #hear(message) {
    if (message.type === 'reply') {
      const waiting = this.asked.get(message.id);
      this.asked.delete(message.id);
      if (message.error) waiting?.reject(new Refusal(message.error));
      else waiting?.resolve(message.ok);
      return;
    }
    if (message.type === 'hello') this.tries = 0;
    if (message.type === 'bye') this.farewell = message.code;
    for (const heard of this.listeners.get(message.type) ?? []) heard(message);
  }

  #closed() {
    for (const waiting of this.asked.values()) waiting.reject(new Refusal({ code: 'closed', message: '' }));
    this.asked.clear();
    const final = this.farewell !== null && FINAL.includes(this.farewell);
    for (const heard of this.listeners.get('closed') ?? []) heard({ type: 'closed', final, code: this.farewell });
    this.farewell = null;
    if (final) return;
    this.tries += 1;
    setTimeout(() => this.connect(), Math.min(8000, 250 * 2 ** this.tries));
  }
}
