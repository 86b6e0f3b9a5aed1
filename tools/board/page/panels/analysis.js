// What an engine says of the position that is shown: the chance to win, the best turns, the 56 rolls, the kings' danger. All of
// it is hidden until it is asked for, and no engine works for it before.

import { fill, h } from '../dom.js';
import { readRoll } from '../engine.js';
import { movesOf } from '../model/moves.js';
import { other, readDfen, withDice } from '../model/position.js';
import { chance, equity, percent, points } from '../model/score.js';
import { isHidden, keep, settings } from '../settings.js';
import { text } from '../text.js';
import { rollsTriangle } from './rolls.js';

/** @typedef {import('../engine.js').Info} Info */

/** How many turns are shown, and how long an engine looks for them, in milliseconds. */
const TURNS = 4;
const LOOK = 3000;

/** How long an engine may take to value the rolls before somebody is told, in milliseconds. */
const SILENCE = 15_000;

export class Analysis {
  /**
   * @param {import('../engines.js').Engines} engines
   * @param {import('../table.js').Table} table
   * @param {() => string | null} program
   * @param {import('./account.js').Account} account
   */
  constructor(engines, table, program, account) {
    this.engines = engines;
    this.table = table;
    this.program = program;
    this.account = account;
    /** @type {Promise<import('../engine.js').Engine> | null} */
    this.engine = null;
    /** What is looked at, so that a change of anything else begins nothing. */
    this.subject = '';
    this.box = h('input', { type: 'checkbox', name: 'analysis' });
    const { box } = this;
    box.addEventListener('change', () => {
      keep({ analysis: box.checked });
      this.table.draw();
    });
    this.words = h('p', { class: 'number' });
    this.best = h('ol', { class: 'best' });
    this.danger = h('p', { class: 'small soft' });
    this.rolls = h('div', { class: 'rolls' });
    this.live = h('p', { class: 'small soft number' });
    this.body = h('div', { class: 'analysis' }, this.words, this.best, this.danger, this.rolls, account.element, this.live);
    this.element = h(
      'section',
      { class: 'panel' },
      h('h2', {}, text.analysis.title),
      h('label', { class: 'check' }, box, h('span', {}, text.analysis.on)),
      this.body,
    );
  }

  /** An engine that plays thinks. @param {Info} info */
  thinking(info) {
    if (!settings().analysis || info.multipv !== 1) return;
    const turn = info.turn ? text.turn(info.turn) : '';
    fill(this.live, `${text.analysis.thinking}: ${points(equity(info.score))}, ${turn} (${info.depth})`);
  }

  /** What is shown may have changed. */
  look() {
    const source = this.table.source;
    this.element.hidden = isHidden(source);
    this.box.checked = settings().analysis;
    const on = this.box.checked && !this.element.hidden;
    this.body.hidden = !on;
    this.account.look(on ? source : null);
    const ply = source?.game.plies[this.table.shown - 1];
    // The roll that is to be played or was played; before the roll, the position.
    const open = ply && (ply.turn === null || !this.table.live);
    const dfen = !source ? '' : open ? ply.before : source.game.position;
    const ended = source?.game.state === 'over' && this.table.live;
    this.table.chance.hidden = !on || ended;
    // The other side's engine has the machine to itself while its clock runs.
    const busy = source?.game.state === 'turn' && this.table.live && source.game.players[source.game.side === 'w' ? 0 : 1].kind === 'engine';
    const subject = on && dfen && !ended && !busy ? dfen : '';
    if (subject === this.subject) return;
    this.subject = subject;
    this.table.board.point([]);
    fill(this.best);
    if (ended) [this.words, this.danger, this.rolls, this.live].forEach((place) => fill(place));
    if (!subject) {
      void this.engine?.then((engine) => engine.stop()).catch(() => {});
      return;
    }
    this.#analyse(subject).catch((error) => fill(this.words, error.message));
  }

  async #analyse(/** @type {string} */ dfen) {
    const program = this.program();
    if (program === null) {
      fill(this.words, text.analysis.none);
      return;
    }
    this.engine ??= this.engines.start(program, (message) => {
      this.engine = null;
      if (message && this.subject) fill(this.words, text.problems.engine(text.analysis.title, message));
    });
    const started = this.engine;
    started.catch(() => (this.engine = null));
    const engine = await started;
    if (dfen !== this.subject) return;
    engine.stop();
    const { side, dice } = readDfen(dfen);
    const bare = withDice(dfen, '-');
    await this.#dangers(engine, bare, dfen);
    if (dfen !== this.subject) return;
    engine.set('MultiPV', TURNS);
    /** @type {Map<string, import('./rolls.js').RollValue>} */
    const rolls = new Map();
    let mean = 0;
    const silence = setTimeout(() => {
      if (dfen === this.subject) fill(this.words, text.problems.silent(engine.name));
    }, SILENCE);
    const answer = await engine.search({
      position: `dfen ${bare}`,
      go: 'rolls depth 1',
      remark: (line) => {
        const roll = readRoll(line);
        if (roll) rolls.set(roll.dice, { ...roll, equity: equity(roll.score) });
      },
      info: (info) => (mean = equity(info.score)),
    });
    clearTimeout(silence);
    if (dfen !== this.subject || answer === null) return;
    fill(this.rolls, rolls.size ? h('h3', {}, text.analysis.rolls) : null, rolls.size ? rollsTriangle(rolls, mean, dice, side) : null);
    this.#chance(side, mean, null);
    if (dice === '-') return;
    /** @type {Map<number, Info>} */
    const lines = new Map();
    /** Those of the depth before, shown until deeper ones have come. @type {Info[]} */
    let shallower = [];
    let depth = 0;
    await engine.search({
      position: `dfen ${dfen}`,
      go: `movetime ${LOOK}`,
      info: (info) => {
        if (dfen !== this.subject || !info.turn) return;
        if (info.depth !== depth) {
          shallower = [...lines.values()];
          lines.clear();
        }
        depth = info.depth;
        lines.set(info.multipv, info);
        this.#turns([...lines.values()], shallower, side, mean);
      },
    });
  }

  /**
   * @param {import('../engine.js').Engine} engine
   * @param {string} bare
   * @param {string} subject
   */
  async #dangers(engine, bare, subject) {
    const { side } = readDfen(bare);
    const fields = bare.split(' ');
    const swapped = [fields[0], other(side), fields[2], '-', ...fields.slice(4)].join(' ');
    const [own, theirs] = await Promise.all([engine.danger(`dfen ${bare}`), engine.danger(`dfen ${swapped}`)]);
    if (subject !== this.subject) return;
    if (own === null || theirs === null) {
      fill(this.danger);
      return;
    }
    fill(
      this.danger,
      `${text.analysis.captured(text.sides[side], percent(own))} \u00b7 ${text.analysis.captured(text.sides[other(side)], percent(theirs))}`,
    );
  }

  /**
   * @param {'w' | 'b'} side
   * @param {number} before equity of the side to move, before the roll
   * @param {number | null} after
   */
  #chance(side, before, after) {
    const white = (/** @type {number} */ value) => chance(side === 'w' ? value : -value);
    const now = white(after ?? before);
    const words = [text.analysis.white(percent(white(before)), ` ${text.analysis.before}`)];
    if (after !== null) words.push(`${percent(now)} ${text.analysis.after}`);
    fill(this.words, words.join(', '));
    const bar = h('div', { class: 'chance-white' });
    bar.style.setProperty('--chance', String(now));
    fill(this.table.chance, bar);
    this.table.chance.setAttribute('aria-label', `${text.analysis.chance}: ${words.join(', ')}`);
  }

  /**
   * @param {Info[]} lines
   * @param {Info[]} shallower
   * @param {'w' | 'b'} side
   * @param {number} mean
   */
  #turns(lines, shallower, side, mean) {
    const first = lines.find((info) => info.multipv === 1);
    if (!first) return;
    const top = equity(first.score);
    this.#chance(side, mean, top);
    const ordered = [...lines].sort((a, b) => a.multipv - b.multipv);
    // Each loss is against the best of its own depth.
    const best = shallower.find((info) => info.multipv === 1);
    const before = best ? equity(best.score) : 0;
    const losses = ordered.map((info) => ({ turn: info.turn ?? '', loss: equity(info.score) - top }));
    for (const { turn, score } of [...shallower].sort((a, b) => a.multipv - b.multipv)) {
      if (turn && losses.length < TURNS && losses.every((one) => one.turn !== turn)) losses.push({ turn, loss: Math.min(0, equity(score) - before) });
    }
    fill(
      this.best,
      ...losses.map(({ turn, loss }, index) =>
        h(
          'li',
          { class: `line-${index + 1}` },
          h('span', {}, text.turn(turn)),
          h('span', { class: 'number soft' }, index === 0 ? percent(chance(top)) : points(loss)),
        ),
      ),
    );
    const kinds = ['best', 'second', 'third'];
    const arrows = losses.slice(0, 3).map(({ turn }, index) => ({ turn, index })).reverse().flatMap(({ turn, index }) =>
      movesOf(turn).map((move) => ({ from: move.slice(0, 2), to: move.slice(2, 4), kind: kinds[index] ?? 'third' })),
    );
    this.table.board.point(arrows);
  }
}
