// The beginning of a game: who plays, by which clock, with which dice.

import { h } from '../dom.js';
import { FULL, levelsOf } from '../levels.js';
import { keep, settings } from '../settings.js';
import { START } from '../model/position.js';
import { text } from '../text.js';
import { field, openDialog, select } from './dialog.js';

const words = text.newGame;

/**
 * @typedef {object} Choice of a program
 * @property {string} program what the command line calls it
 * @property {boolean} own whether it is the built-in one
 * @property {import('../engine.js').Engine} engine one that has shaken hands, to know its levels
 */

/**
 * @param {Choice[]} programs
 * @param {string} opening
 * @param {(game: object) => Promise<unknown>} begin
 */
export function newGame(programs, opening, begin) {
  const white = seat(programs, words.white, 'human');
  const black = seat(programs, words.black, programs[0] ? 'engine:0' : 'human');
  const clock = clockFields();
  const source = select('source', Object.entries(words.sources), 'server');
  const seed = field(words.seed, h('input', { name: 'seed', type: 'number', required: true, min: 0, max: 2 ** 53 - 1, value: 1 }));
  const seedShown = () => (seed.hidden = source.value !== 'seed');
  source.addEventListener('change', seedShown);
  seedShown();
  const position = h('input', { name: 'opening', value: opening, placeholder: START, spellcheck: 'false', autocomplete: 'off' });
  const think = h('input', { name: 'think', type: 'number', min: 0.01, max: 600, step: 'any', value: 1 });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const form = h(
    'form',
    { method: 'dialog', class: 'form', novalidate: true },
    h('div', { class: 'pair' }, white.element, black.element),
    clock.element,
    h('div', { class: 'pair' }, field(words.dice, source), seed),
    field(words.think, think),
    field(words.position, position),
    problem,
    h(
      'div',
      { class: 'choices' },
      h('button', { type: 'button', onclick: () => dialog.close() }, words.cancel),
      h('button', { type: 'submit', class: 'primary', 'data-action': 'begin' }, words.start),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // The server would send a page away for numbers that no game can have.
    const wrong = [...form.querySelectorAll('input')].find((one) => !one.closest('[hidden]') && !one.checkValidity());
    if (wrong) {
      problem.textContent = words.range(wrong.closest('label')?.querySelector('span')?.textContent ?? '', wrong);
      wrong.focus();
      return;
    }
    const go = `movetime ${Math.round(1000 * (Number(think.value) || 1))}`;
    const seedValue = Number(seed.querySelector('input')?.value ?? 1);
    const dice = source.value === 'seed' ? { source: 'seed', seed: seedValue } : { source: source.value };
    const players = [white.player(go), black.player(go)];
    const control = clock.control();
    const game = { players, controls: [control, control], dice, ...(position.value ? { opening: position.value } : {}) };
    begin(game).then(
      () => dialog.close(),
      (error) => (problem.textContent = error.message),
    );
  });
  const dialog = openDialog(words.title, form);
}

/**
 * What people call a program: its name on the command line, which differs from all others; the built-in one has none there, and
 * which network it has goes without saying.
 * @param {Choice} choice
 */
function called({ program, own, engine }) {
  return own ? engine.name.replace(/ net [0-9a-f]+$/, '') : program;
}

/**
 * @param {Choice[]} programs
 * @param {string} title
 * @param {string} chosen
 */
function seat(programs, title, chosen) {
  /** @type {[string, string][]} */
  const kinds = [['human', words.human], ...programs.map((choice, index) => /** @type {[string, string]} */ ([`engine:${index}`, called(choice)]))];
  const kind = select('kind', kinds, chosen);
  const name = h('input', { name: 'name', maxlength: 60, value: settings().name, placeholder: title === words.white ? text.sides.w : text.sides.b, autocomplete: 'off' });
  const nameField = field(words.name, name);
  const level = h('select', { name: 'level' });
  const levelField = field(words.level, level);
  const choice = () => programs[Number(kind.value.split(':')[1])];
  const show = () => {
    const engine = choice()?.engine;
    nameField.hidden = engine !== undefined;
    levelField.hidden = engine === undefined;
    level.replaceChildren(
      ...(engine ? levelsOf(engine) : []).map((one) => h('option', { value: one.id, selected: one.id === FULL }, one.name)),
    );
  };
  kind.addEventListener('change', show);
  show();
  const element = h('fieldset', {}, h('legend', {}, title), field(words.human, kind), nameField, levelField);
  element.querySelector('.field span')?.classList.add('unseen');
  /** @param {string} go */
  const player = (go) => {
    const program = choice();
    if (!program) {
      const given = name.value.trim();
      if (given) keep({ name: given });
      return { kind: 'human', name: given || (title === words.white ? text.sides.w : text.sides.b) };
    }
    const chosenLevel = levelsOf(program.engine).find((one) => one.id === level.value);
    const full = `${called(program)}, ${chosenLevel?.name ?? ''}`.slice(0, 80);
    return { kind: 'engine', name: full, program: program.program, level: level.value, go };
  };
  return { element, player };
}

function clockFields() {
  const kind = select('control', Object.entries(words.clocks), 'none');
  /** @param {string} label @param {string} name @param {number | string} value @param {object} range */
  const number = (label, name, value, range) => field(label, h('input', { name, type: 'number', step: 'any', value, ...range }));
  // A day is the longest that the server takes.
  const fields = {
    minutes: number(words.minutes, 'minutes', 5, { min: 0.01, max: 1440, required: true }),
    increment: number(words.increment, 'increment', 3, { min: 0, max: 86_400 }),
    delay: number(words.delay, 'delay', 0, { min: 0, max: 86_400 }),
    turns: number(words.period, 'turns', '', { min: 1, max: 1000, step: 1 }),
    seconds: number(words.seconds, 'seconds', 10, { min: 0.01, max: 86_400, required: true }),
  };
  const show = () => {
    for (const [name, one] of Object.entries(fields)) {
      one.hidden = name === 'seconds' ? kind.value !== 'movetime' : kind.value !== 'clock';
    }
  };
  kind.addEventListener('change', show);
  show();
  const element = h('fieldset', {}, h('legend', {}, words.clock), field(words.clock, kind), h('div', { class: 'pair' }, ...Object.values(fields)));
  element.querySelector('.field span')?.classList.add('unseen');
  /** @param {HTMLElement} one */
  const value = (one) => Number(one.querySelector('input')?.value || 0);
  const control = () => {
    if (kind.value === 'movetime') return { kind: 'movetime', ms: Math.round(1000 * value(fields.seconds)) };
    if (kind.value !== 'clock') return { kind: 'none' };
    const turns = Math.round(value(fields.turns));
    return {
      kind: 'clock',
      base_ms: Math.round(60_000 * value(fields.minutes)),
      increment_ms: Math.round(1000 * value(fields.increment)),
      delay_ms: Math.round(1000 * value(fields.delay)),
      ...(turns ? { turns } : {}),
    };
  };
  return { element, control };
}
