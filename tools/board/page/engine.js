// An engine that speaks `protocol.md`, over anything that carries lines. This is the whole of what the page knows of engines.

import { text } from './text.js';

/** How long an engine may take to be ready, and for what it answers at once, in milliseconds. */
const READY = 20_000;
const AT_ONCE = 4000;

/**
 * What carries the lines: a socket to a server that runs the engine, or an engine compiled into the page.
 * @typedef {object} Channel
 * @property {(line: string) => void} send
 * @property {(heard: (line: string) => void) => void} on
 */

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} type
 * @property {string} byDefault
 * @property {string[]} choices
 * @property {number} low
 * @property {number} high
 */

/**
 * @typedef {object} Info
 * @property {number} depth
 * @property {number} multipv
 * @property {import('./model/score.js').Score} score
 * @property {string | null} turn
 * @property {number} nodes
 */

/**
 * @typedef {object} Search
 * @property {string} position the words after `position`
 * @property {string} go the words after `go`
 * @property {(info: Info) => void} [info]
 * @property {(line: string) => void} [remark] what stands after `info string`
 */

/**
 * @typedef {object} Job
 * @property {Search} search
 * @property {(turn: string | null) => void} done with null when it was dropped before it was asked
 */

export class Engine {
  /** @param {Channel} channel */
  constructor(channel) {
    this.channel = channel;
    this.name = '';
    /** @type {Map<string, Option>} by their names in lower case */
    this.options = new Map();
    /** @type {Map<string, string>} what was set */
    this.values = new Map();
    /** @type {Job | null} the search whose `bestmove` is awaited */
    this.running = null;
    /** @type {Job | null} the search that comes next; a newer one takes its place */
    this.next = null;
    /** @type {((line: string) => boolean)[]} waiting for a line; true when it was theirs */
    this.waiting = [];
    /** @type {((line: string, sent: boolean) => void)[]} who reads along */
    this.watchers = [];
    /** Whether it has not answered what the protocol adds to what others speak. */
    this.unknowing = false;
    channel.on((line) => this.#hear(line));
  }

  /** @param {string} line */
  send(line) {
    for (const watcher of this.watchers) watcher(line, true);
    this.channel.send(line);
  }

  /**
   * The next line that something can be made of. It is an error if none comes in time.
   * @template T
   * @param {(line: string) => T | null} read
   * @param {number} [patience] in milliseconds; there is no end of it if none is given
   * @returns {Promise<T>}
   */
  wait(read, patience = Infinity) {
    return new Promise((resolve, reject) => {
      const waits = (/** @type {string} */ line) => {
        const found = read(line);
        if (found === null) return false;
        clearTimeout(late);
        resolve(found);
        return true;
      };
      this.waiting.push(waits);
      const late = patience === Infinity ? undefined : setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== waits);
        reject(new Error(text.problems.silent(this.name)));
      }, patience);
    });
  }

  /** The handshake: what the engine is called and which options it has. */
  async start() {
    const done = this.wait((line) => {
      if (line.startsWith('id name ')) this.name = line.slice(8);
      if (line.startsWith('option ')) {
        const option = readOption(line);
        if (option) this.options.set(option.name.toLowerCase(), option);
      }
      return line === 'uciok' ? true : null;
    });
    this.send('uci');
    await done;
  }

  /**
   * Sets an option, if the engine has it. Others are passed over, so that any engine can be asked.
   * @param {string} name
   * @param {string | number | boolean} value
   * @returns {boolean} whether it has it
   */
  set(name, value) {
    const option = this.options.get(name.toLowerCase());
    if (!option) return false;
    const before = this.values.get(option.name) ?? option.byDefault;
    if (before !== String(value)) this.send(`setoption name ${option.name} value ${value}`);
    this.values.set(option.name, String(value));
    return true;
  }

  /** Says that the next search is of another game, and waits until the engine is ready for it. */
  async newGame() {
    this.send('ucinewgame');
    await this.ready();
  }

  async ready() {
    const done = this.wait((line) => (line === 'readyok' ? true : null), READY);
    this.send('isready');
    await done;
  }

  /**
   * Asks for a search. One that is running is stopped, one that has not begun is dropped.
   * @param {Search} search
   * @returns {Promise<string | null>} the turn of its `bestmove`; null if it was dropped
   */
  search(search) {
    return new Promise((done) => {
      this.next?.done(null);
      this.next = { search, done };
      if (this.running) this.send('stop');
      else this.#begin();
    });
  }

  /** Stops what is running and drops what has not begun. */
  stop() {
    this.next?.done(null);
    this.next = null;
    if (this.running) this.send('stop');
  }

  /**
   * The chance to capture the king with the next roll, 0 to 1; null of an engine that does not know the question.
   * @param {string} position
   * @returns {Promise<number | null>}
   */
  async danger(position) {
    if (this.unknowing) return null;
    const answer = this.wait((line) => {
      const found = /^kcp (\d+)\/(\d+)/.exec(line);
      return found ? Number(found[1]) / Number(found[2]) : null;
    }, AT_ONCE);
    this.send(`position ${position}`);
    this.send('kcp');
    return answer.catch(() => {
      // It is not asked again.
      this.unknowing = true;
      return null;
    });
  }

  #begin() {
    this.running = this.next;
    this.next = null;
    if (!this.running) return;
    this.send(`position ${this.running.search.position}`);
    this.send(`go ${this.running.search.go}`.trim());
  }

  /** @param {string} line */
  #hear(line) {
    for (const watcher of this.watchers) watcher(line, false);
    // An answer is that of who has waited longest for one of its kind.
    const whose = this.waiting.findIndex((read) => read(line));
    if (whose >= 0) this.waiting.splice(whose, 1);
    if (/^bestmove( |$)/.test(line)) {
      const job = this.running;
      this.running = null;
      this.#begin();
      job?.done(line.split(' ')[1] ?? '0000');
    } else if (line.startsWith('info string ')) {
      this.running?.search.remark?.(line.slice(12));
    } else if (line.startsWith('info ')) {
      const info = readInfo(line);
      if (info) this.running?.search.info?.(info);
    }
  }
}

/**
 * @param {string} line
 * @returns {Option | null}
 */
export function readOption(line) {
  const found = /^option name (.+?) type (\S+)(.*)$/.exec(line);
  if (!found) return null;
  const [, name = '', type = '', rest = ''] = found;
  const byDefault = / default (.*?)(?= (?:min|max|var) |$)/.exec(rest)?.[1] ?? '';
  const choices = rest.split(' var ').slice(1).map((choice) => choice.trim());
  const low = Number(/ min (-?\d+)/.exec(rest)?.[1] ?? 0);
  const high = Number(/ max (-?\d+)/.exec(rest)?.[1] ?? 0);
  return { name, type, byDefault, choices, low, high };
}

/**
 * @param {string} line
 * @returns {Info | null} null for lines without a score, or with numbers that are none
 */
export function readInfo(line) {
  const words = line.split(' ');
  /** @param {string} word */
  const number = (word) => {
    const at = words.indexOf(word);
    const value = at < 0 ? 0 : Number(words[at + 1]);
    return Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  const at = words.indexOf('score');
  const kind = words[at + 1];
  const value = Number(words[at + 2]);
  if (at < 0 || (kind !== 'cp' && kind !== 'mate') || !Number.isSafeInteger(value)) return null;
  const pv = words.indexOf('pv');
  return {
    depth: Math.min(number('depth'), 1000),
    multipv: number('multipv') || 1,
    score: { kind, value },
    turn: pv < 0 ? null : (words[pv + 1] ?? null),
    nodes: number('nodes'),
  };
}

/**
 * A line about one of the 56 rolls.
 * @param {string} remark what stands after `info string`
 */
export function readRoll(remark) {
  const found = /^roll (\w+) weight (\d+) depth (\d+) score (cp|mate) (-?\d+).* pv (\S+)/.exec(remark);
  if (!found) return null;
  const [, dice = '', weight, depth, kind, value, turn = '0000'] = found;
  const score = { kind: /** @type {'cp' | 'mate'} */ (kind), value: Number(value) };
  return { dice, weight: Number(weight), depth: Number(depth), score, turn };
}
