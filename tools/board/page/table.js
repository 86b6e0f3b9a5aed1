// The table: the board, the players with their clocks, the dice, and what can be done now. It shows one source at a time (a
// game of the server, or a line of the page), and lets people play their turns.

import { Board } from './board/board.js';
import { byId, fill, h } from './dom.js';
import { choosePromotion } from './dialogs/promotion.js';
import { afterMove, choices, movesOf } from './model/moves.js';
import { other, readDfen, START } from './model/position.js';
import { clockText, left } from './panels/clocks.js';
import { motion, settings } from './settings.js';
import { text } from './text.js';
import { Tray } from './tray.js';
import { TurnInProgress } from './turn.js';

/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').Step} Step */

/** How long a micro-move of somebody else is shown, and a pass before it is played, in milliseconds. */
const SHOWN = 320;
const PASS = 1300;

export class Table {
  /**
   * @param {import('./socket.js').Socket} socket
   * @param {(words: string) => void} speak
   * @param {(error: unknown) => void} fail
   * @param {() => void} begin a new game, if there is none yet
   */
  constructor(socket, speak, fail, begin) {
    this.socket = socket;
    this.speak = speak;
    this.fail = fail;
    /** @type {Source | null} */
    this.source = null;
    /** @type {TurnInProgress | null} */
    this.turn = null;
    /** @type {number | null} plies shown, null for all */
    this.at = null;
    this.flipped = false;
    /** Whether of a turn in the past the position before it is shown, where what was played can be compared with what could have been. */
    this.looksBefore = () => false;
    /** What a key has been typed of a move. */
    this.typed = '';
    /** Keys that wait for the server. @type {KeyboardEvent[]} */
    this.ahead = [];
    this.catching = false;
    /** @type {(() => void)[]} */
    this.watchers = [];
    this.show = 0;
    /** The turn by which all that happens by itself is known, so that it happens once. */
    this.seen = '';
    this.board = new Board({ move: (from, to) => this.#move(from, to) });
    this.upper = h('div', { class: 'strip' });
    this.lower = h('div', { class: 'strip' });
    this.chance = h('div', { class: 'chance', role: 'img', 'aria-label': text.analysis.chance, hidden: true });
    this.tray = new Tray({
      begin,
      roll: (dice) => this.roll(dice),
      undo: () => this.undo(),
      send: () => void this.#sent(),
      live: () => this.go(Infinity),
      type: (words) => void this.type(words),
    });
    fill(
      byId('table'),
      this.upper,
      h('div', { class: 'board-row' }, this.chance, this.board.element),
      this.lower,
      this.tray.element,
    );
    this.board.show(readDfen(START).placement);
    this.tray.show(this);
    setInterval(() => this.#clocks(), 100);
  }

  /** @param {() => void} watcher */
  onChange(watcher) {
    this.watchers.push(watcher);
  }

  /** How many plies of the source are shown. */
  get shown() {
    const count = this.source?.game.plies.length ?? 0;
    return this.at === null ? count : Math.min(this.at, count);
  }

  get live() {
    return this.at === null;
  }

  /** Shows a source, from its end. @param {Source | null} source */
  open(source) {
    this.source = source;
    this.at = null;
    this.turn = null;
    this.seen = '';
    const players = source?.game.players;
    this.flipped = players !== undefined && players[0].kind === 'engine' && players[1].kind === 'human';
    this.changed(true);
  }

  /** Which place is shown: so many plies played; one more if the last turn has a place of its own, before it was made. */
  get place() {
    return this.live && this.#lastApart ? this.shown + 1 : this.shown;
  }

  get #lastApart() {
    return this.looksBefore() && this.source?.game.plies.at(-1)?.turn != null;
  }

  /** @param {number} at */
  go(at) {
    const count = this.source?.game.plies.length ?? 0;
    this.at = at >= count + (this.#lastApart ? 1 : 0) ? null : Math.max(0, at);
    this.draw();
  }

  /** The user has other wishes. */
  settled() {
    this.draw();
    this.#byItself();
  }

  flip() {
    this.flipped = !this.flipped;
    this.draw();
  }

  /** The source has changed. @param {boolean} [fresh] it is another one */
  changed(fresh = false) {
    const game = this.source?.game;
    if (!game) {
      this.draw();
      return;
    }
    const key = `${game.state} ${game.position} ${game.plies.length}`;
    if (key === this.seen) {
      this.tray.show(this);
      this.#strips();
      return;
    }
    const first = this.seen === '';
    this.seen = key;
    // What was typed ahead was meant for the turn before.
    this.ahead.length = 0;
    this.turn = game.state === 'turn' && game.steps ? new TurnInProgress(this.socket, game.steps) : null;
    if (!first) this.#tell();
    const last = game.plies.at(-1);
    const mine = this.seat(last ? readDfen(last.before).side : 'w')?.kind === 'human';
    if (!first && !fresh && !mine && this.live && last?.turn && movesOf(last.turn).length && motion()) {
      void this.#replay(last);
    } else {
      this.show += 1;
      this.draw();
    }
    this.#byItself();
  }

  /** Shows a turn micro-move by micro-move. @param {import('./types.js').Ply} ply */
  async #replay(ply) {
    const show = (this.show += 1);
    let { placement } = readDfen(ply.before);
    for (const move of movesOf(ply.turn)) {
      placement = afterMove(placement, move);
      this.board.show(placement);
      await new Promise((resolve) => setTimeout(resolve, SHOWN));
      if (show !== this.show) return;
    }
    this.draw();
  }

  /** Says aloud what has happened. */
  #tell() {
    const game = this.source?.game;
    const last = game?.plies.at(-1);
    if (!game || !last) return;
    const { side } = readDfen(last.before);
    const name = this.name(side);
    const words = [];
    // An engine's turn follows its roll so soon that nobody would hear of the roll.
    const rolled = game.state === 'turn' || (last.turn !== null && this.seat(side)?.kind === 'engine');
    if (rolled) words.push(text.spoken.rolled(name, last.roll));
    if (last.turn !== null) words.push(text.spoken.played(name, last.turn));
    if (game.end) words.push(text.result(game.end, game.players.map((player) => player.name)));
    this.speak(words.join(' '));
  }

  /** What the user wants to happen without a click. */
  #byItself() {
    const game = this.source?.game;
    const source = this.source;
    if (!game || !source || this.seat(game.side)?.kind !== 'human' || (!source.local && !source.driver)) return;
    const seen = this.seen;
    const later = (/** @type {number} */ wait, /** @type {() => void} */ act) =>
      setTimeout(() => {
        if (this.source === source && this.seen === seen) act();
      }, wait);
    if (game.state === 'roll' && settings().autoRoll && game.dice.source !== 'typed' && !source.local) {
      later(motion() ? 500 : 0, () => this.roll());
    } else if (game.state === 'turn' && this.turn?.steps.pass) {
      later(motion() ? PASS : 50, () => void this.#sent());
    } else if (game.state === 'turn' && settings().autoForced && this.turn?.steps.steps.length === 1) {
      const { turn } = this;
      later(motion() ? 500 : 0, () => void this.#forced(turn));
    }
  }

  /** Makes the only move of a turn, and the next one, as long as there is only one. @param {TurnInProgress} turn */
  async #forced(turn) {
    const made = await turn.inOrder(async () => {
      const [only, second] = turn.steps.steps;
      return only && !second ? this.#make(turn, only) : false;
    });
    if (made) setTimeout(() => void this.#forced(turn), motion() ? 300 : 0);
  }

  /** @param {'w' | 'b'} side */
  seat(side) {
    return this.source?.game.players[side === 'w' ? 0 : 1];
  }

  /** @param {'w' | 'b'} side */
  name(side) {
    return this.seat(side)?.name || text.sides[side];
  }

  /** Whether a person at this page can move or roll now. */
  get mine() {
    const game = this.source?.game;
    return game !== undefined && game.state !== 'over' && this.live && this.seat(game.side)?.kind !== 'engine';
  }

  /** @param {string} [dice] */
  roll(dice) {
    this.source?.roll(dice).catch(this.fail);
  }

  undo() {
    this.turn?.undo();
    this.draw();
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {string} [promotion] what a pawn becomes; if it is not said, it is asked
   */
  async #move(from, to, promotion) {
    const turn = this.turn;
    await turn?.inOrder(async () => {
      if (turn !== this.turn) return;
      const steps = choices(turn.steps.steps).get(from)?.get(to) ?? [];
      const distinct = steps.filter((step) => step.promotion);
      const side = this.source?.game.side ?? 'w';
      const said = distinct.find((step) => step.promotion === promotion);
      const step = said ?? (distinct.length > 1 ? await choosePromotion(side, distinct) : steps[0]);
      if (step) await this.#make(turn, step);
    });
  }

  /**
   * Makes a micro-move, and sends the turn if that ends it; only in order.
   * @param {TurnInProgress} turn
   * @param {Step} step
   * @returns {Promise<boolean>} whether it was made
   */
  async #make(turn, step) {
    if (turn !== this.turn) return false;
    try {
      await turn.make(step);
      if (turn !== this.turn) return false;
      this.draw();
      if (turn.done && (!settings().confirm || turn.steps.end === 'king-capture')) await this.#send(turn);
      return true;
    } catch (error) {
      this.fail(error);
      this.draw();
      return false;
    }
  }

  /** Sends the turn that is being made, after what was asked for before. */
  async #sent() {
    const turn = this.turn;
    await turn?.inOrder(() => this.#send(turn));
  }

  /** Sends a turn; only in order. @param {TurnInProgress} turn */
  async #send(turn) {
    const { steps } = turn;
    if (turn !== this.turn || !steps.complete || !this.source) return;
    try {
      await this.source.play(steps);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Plays what was typed: a square, or a move. @param {string} words */
  async type(words) {
    const found = choices(this.turn?.steps.steps ?? []).get(words.slice(0, 2))?.get(words.slice(2, 4)) ?? [];
    if (!this.mine || !found.length) this.speak(text.table.notLegal(words));
    else await this.#move(words.slice(0, 2), words.slice(2, 4), words[4]);
  }

  /** A key that no field wants: squares typed anywhere, and a few that act. @param {KeyboardEvent} event */
  key(event) {
    // Who types fast is ahead of the board: keys wait for the move before them, and for one another.
    if (/^([a-h1-8]|Backspace)$/i.test(event.key) && (this.turn?.busy || this.catching)) {
      event.preventDefault();
      this.ahead.push(event);
      if (!this.catching) void this.#catchUp();
      return;
    }
    this.#press(event);
  }

  async #catchUp() {
    this.catching = true;
    while (this.ahead.length) {
      await this.turn?.settled;
      if (this.turn?.busy) continue;
      const next = this.ahead.shift();
      if (next) this.#press(next);
    }
    this.catching = false;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    // Capitals are no other keys.
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const square = this.typed.length % 2 === 0 ? /[a-h]/ : /[1-8]/;
    if (event.key === 'ArrowLeft') this.go(this.place - 1);
    else if (event.key === 'ArrowRight') this.go(this.place + 1);
    else if (event.key === 'Backspace' && this.typed) this.typed = '';
    else if (event.key === 'Backspace') this.undo();
    else if (key === 'r') this.tray.press('roll');
    else if (key === 's') this.tray.press('play');
    else if (square.test(key) && key.length === 1) {
      this.typed += key;
      if (this.typed.length === 2) this.board.select(this.board.moves.has(this.typed) ? this.typed : null);
      if (this.typed.length === 2 && !this.board.moves.has(this.typed)) this.typed = '';
      if (this.typed.length === 4) {
        const words = this.typed;
        this.typed = '';
        this.board.select(null);
        void this.type(words);
      }
    } else return;
    event.preventDefault();
  }

  draw() {
    const game = this.source?.game;
    byId('table').dataset.state = game?.state ?? '';
    byId('table').dataset.side = game?.side ?? '';
    if (game) {
      const playing = this.live && this.turn !== null;
      const ply = game.plies[this.shown - 1];
      const before = !this.live && this.looksBefore();
      let { placement } = readDfen(this.position);
      // The king that was taken is gone: no position says so.
      if (!playing && !before && ply?.turn && !ply.after) {
        placement = movesOf(ply.turn).reduce(afterMove, readDfen(ply.before).placement);
      }
      this.board.flip(this.flipped);
      this.chance.classList.toggle('flipped', this.flipped);
      this.board.element.classList.toggle('still', !motion());
      const played = playing ? (this.turn?.steps.played ?? []) : movesOf(ply?.turn ?? null);
      const marked = before || (playing && !played.length) ? movesOf(game.plies[this.shown - 2]?.turn ?? null) : played;
      this.board.show(placement, [...new Set(marked.flatMap((move) => [move.slice(0, 2), move.slice(2, 4)]))]);
      const offered = playing && this.mine ? choices(this.turn?.steps.steps ?? []) : new Map();
      this.board.offer(new Map([...offered].map(([from, targets]) => [from, [...targets.keys()]])));
    }
    this.#strips();
    this.tray.show(this);
    for (const watcher of this.watchers) watcher();
  }

  /** The position that is shown, as DFEN; of a turn that is being made with what has been moved. */
  get position() {
    const game = this.source?.game;
    const ply = game?.plies[this.shown - 1];
    if (!game || !ply) return game?.opening ?? '';
    if (this.live) return this.turn?.steps.position ?? game.position;
    return this.looksBefore() ? ply.before : (ply.after ?? ply.before);
  }

  #strips() {
    const game = this.source?.game;
    const below = this.flipped ? 'b' : 'w';
    for (const [strip, side] of /** @type {[HTMLElement, 'w' | 'b'][]} */ ([[this.lower, below], [this.upper, other(below)]])) {
      if (!game) {
        fill(strip);
        continue;
      }
      strip.classList.toggle('on', game.state !== 'over' && game.side === side);
      const mark = h('span', { class: `mark ${side}`, role: 'img', 'aria-label': text.sides[side] });
      const clock = h('span', { class: 'clock number', 'data-clock': side });
      fill(strip, mark, h('span', { class: 'name' }, this.name(side)), clock);
    }
    this.#clocks();
  }

  #clocks() {
    const source = this.source;
    if (!source) return;
    for (const clock of document.querySelectorAll('[data-clock]')) {
      const ms = left(source, clock.getAttribute('data-clock') === 'w' ? 0 : 1, performance.now());
      clock.textContent = ms === null ? '' : clockText(ms);
      clock.classList.toggle('low', ms !== null && ms < 20_000);
    }
  }
}
