// All that the page says, in English. A translation replaces this file.

import { kindOf, sideOf } from './model/position.js';
import { points } from './model/score.js';

/** @typedef {import('./model/position.js').Kind} Kind */

/** @type {Record<Kind, string>} */
const pieces = { P: 'pawn', N: 'knight', B: 'bishop', R: 'rook', Q: 'queen', K: 'king' };

/** @type {Record<'w' | 'b', string>} */
const sides = { w: 'White', b: 'Black' };

/** @param {string} letter a piece as in FEN */
function piece(letter) {
  return `${sides[sideOf(letter)].toLowerCase()} ${pieces[kindOf(letter)]}`;
}

/** @param {string} dice */
function dice(dice) {
  return [...dice].map((letter) => pieces[kindOf(letter)] ?? letter).join(', ');
}

/** @param {string} turn */
function turn(turn) {
  return turn === '0000' ? 'pass' : turn.replaceAll(',', ' ');
}

/** @type {Record<string, string>} */
const ends = {
  'king-capture': 'the king was captured',
  'halfmove-clock': 'draw: a hundred moves without a capture or a pawn move',
  time: 'out of time',
  resignation: 'resignation',
  'agreed-draw': 'draw by agreement',
  aborted: 'the game was stopped',
};

export const text = {
  pieces,
  sides,
  piece,
  dice,
  turn,
  board: {
    label: 'Board',
    /**
     * @param {string} square
     * @param {string | undefined} letter
     * @param {{ movable: boolean, target: boolean }} state
     */
    square(square, letter, state) {
      const parts = [square, letter ? piece(letter) : 'empty'];
      if (state.movable) parts.push('can move');
      if (state.target) parts.push('can be reached');
      return parts.join(', ');
    },
  },
  menu: { newGame: 'New game', paste: 'Paste', edit: 'Set up', settings: 'Settings', flip: 'Turn the board', games: 'Games' },
  levels: {
    easiest: 'Easiest',
    easy: 'Easy',
    medium: 'Medium',
    hard: 'Hard',
    full: 'Full strength',
    /**
     * @param {string} name
     * @param {number} rating
     */
    named: (name, rating) => `${name} (${rating})`,
    /** @param {number} rating */
    rating: (rating) => `Rating ${rating}`,
  },
  table: {
    /** @param {string} name */
    roll: (name) => `${name} rolls the dice`,
    /** @param {string} name */
    moves: (name) => `${name} to move`,
    /** @param {string} name */
    thinks: (name) => `${name} is thinking`,
    rollButton: 'Roll',
    undo: 'Undo',
    play: 'End the turn',
    resign: 'Resign',
    draw: 'Agree a draw',
    stop: 'Stop the game',
    /** @param {string} what */
    sure: (what) => `${what}: sure?`,
    whatIf: 'What if …',
    review: 'Review',
    save: 'Save or copy',
    back: 'Back',
    toGame: 'Back to the game',
    toRecord: 'Back to the record',
    otherDice: 'Other dice',
    takeBack: 'Take back',
    pass: 'No piece of these dice can move: pass',
    typeDice: 'Which dice were thrown?',
    clear: 'Clear',
    start: 'Begin a new game, or open one.',
    typed: 'Type a move',
    typedHint: 'e2e4',
    /** @param {string} name */
    key: (name) => `Key: ${name}`,
    /** @param {string} move */
    notLegal: (move) => `${move} cannot be played now`,
    live: 'Now',
    noTurn: 'before the first turn',
  },
  dieState: {
    /**
     * @param {string} letter
     * @param {string} state
     */
    die: (letter, state) => (state ? `${pieces[kindOf(letter)]}, ${state}` : (pieces[kindOf(letter)] ?? '')),
    used: 'used',
    useless: 'cannot be used',
  },
  /**
   * @param {import('./types.js').End} end
   * @param {string[]} names
   */
  result(end, names) {
    const how = ends[end.kind] ?? end.kind;
    if (!end.winner) return end.kind === 'aborted' ? `Over: ${how}` : `Draw: ${how.replace(/^draw( by|:) /, '')}`;
    return `${names[end.winner === 'w' ? 0 : 1]} wins: ${how}`;
  },
  spoken: {
    /**
     * @param {string} name
     * @param {string} roll
     */
    rolled: (name, roll) => `${name} rolled ${dice(roll)}.`,
    /**
     * @param {string} name
     * @param {string} played
     */
    played: (name, played) => (played === '0000' ? `${name} passes: no piece can move.` : `${name} played ${turn(played)}.`),
  },
  promotion: 'Promote to',
  turns: { title: 'Turns', first: 'First position', back: 'Back', next: 'On', last: 'Last position' },
  analysis: {
    title: 'Analysis',
    on: 'Show analysis',
    chance: 'Chance to win',
    /**
     * @param {string} white
     * @param {string} side
     */
    white: (white, side) => `White ${white}${side}`,
    before: 'before the roll',
    after: 'after the roll',
    best: 'Best turns',
    loss: 'loses',
    rolls: 'The 56 rolls',
    danger: 'King in danger',
    /**
     * @param {string} side
     * @param {string} chance
     */
    captured: (side, chance) => `${side}'s next roll captures the king: ${chance}`,
    thinking: 'The engine',
    none: 'no engine',
  },
  account: { title: 'So far, in hundredths of the expected result', luck: 'Luck', loss: 'Lost by play' },
  lines: {
    whatIf: 'What if',
    position: 'Position',
    game: 'The game',
    /**
     * @param {string} white
     * @param {string} black
     */
    record: (white, black) => `Record: ${white} \u2013 ${black}`,
    /**
     * @param {string} title
     * @param {string} from the number of the turn that it leaves the game at
     * @param {string} played its first turn, or nothing
     */
    name: (title, from, played) => `${title}: ${from}${played ? ` ${turn(played)}` : ''}`,
  },
  review: {
    title: 'Review',
    depth: 'Turns looked ahead',
    make: 'Review',
    /**
     * @param {number} done
     * @param {number} of
     */
    progress: (done, of) => `${done} of ${of} turns`,
    stop: 'Stop',
    stopped: 'The review was stopped.',
    broken: 'The connection was lost before the review was done.',
    gone: 'The server does not keep this review any more: make it again, then save it.',
    save: 'Save as HTML',
    /**
     * @param {string} white
     * @param {string} black
     * @param {import('./types.js').Review} review
     */
    verdict(white, black, review) {
      const { luck, play } = review.account;
      const share = (/** @type {number} */ value) => `${points(Math.abs(value)).replace('+', '')} ${value < 0 ? 'behind' : 'ahead'}`;
      const own = (/** @type {string} */ name, /** @type {number} */ sign) => `${name} was ${share(sign * luck)} on luck, ${share(sign * play)} on play.`;
      if (review.result === 1) return `${white} won. ${own(white, 1)}`;
      if (review.result === -1) return `${black} won. ${own(black, -1)}`;
      return `${review.result === 0 ? 'A draw.' : 'No result.'} ${own(white, 1)}`;
    },
    curve: 'Chances of White over the game',
    axis: { white: 'White wins', black: 'Black wins' },
    luck: 'luck',
    loss: 'loss',
    play: 'Mean loss',
    lucks: 'Luck',
    marks: 'Marks',
    missed: 'Kings not taken',
    mistakes: 'Mistakes',
    none: 'No mistake of a size that is marked.',
    rolled: (/** @type {string} */ luck) => `luck ${luck}`,
    lost: (/** @type {string} */ loss) => `lost ${loss}`,
    best: (/** @type {string} */ turn) => `best ${turn}`,
    isBest: 'the best turn',
    forced: 'nothing to choose',
    notPlayed: 'not played',
    king: 'the king could be taken',
    unit: 'In hundredths of the expected result: 100 is a draw turned into a win.',
  },
  save: {
    title: 'Save or copy',
    position: 'The position that is shown (DFEN)',
    form: 'Form of the record',
    forms: { text: 'Text record', journal: 'Journal of the arena', history: 'History of the platform' },
    record: 'Record',
    /** @param {string} what */
    lost: (what) => `This form cannot hold: ${what}.`,
    copy: 'Copy',
    copyRecord: 'Copy the record',
    copied: 'Copied',
    notCopied: 'The browser does not allow it: press Ctrl-C.',
    download: 'Save',
  },
  editor: {
    title: 'Set up a position',
    board: 'Board to set up',
    tools: 'What a click does',
    move: 'Move',
    erase: 'Remove',
    side: 'To move',
    castling: 'Castling',
    rights: { K: 'White, short', Q: 'White, long', k: 'Black, short', q: 'Black, long' },
    targets: 'En passant squares',
    targetsHint: 'such as c6e6',
    halfmove: 'Half-move clock',
    fullmove: 'Move number',
    dice: 'Dice',
    noDice: 'not rolled',
    remove: 'take away',
    dfen: 'DFEN',
    start: 'First position',
    clear: 'Empty board',
    flip: 'Turn the board',
    play: 'Play from here',
    analyse: 'Analyse',
    save: 'Save or copy',
    cancel: 'Cancel',
    /** @param {string} what */
    dropped: (what) => `Not possible in this position, and left out: ${what}`,
    playDice: 'A game begins with a roll of its own: the dice are left out there.',
  },
  newGame: {
    title: 'New game',
    /** @param {string} program */
    asking: (program) => `${program} is asked what it can do …`,
    white: 'White',
    black: 'Black',
    human: 'A person',
    name: 'Name',
    level: 'Level',
    clock: 'Clock',
    clocks: { none: 'No clock', clock: 'Clock', movetime: 'Time a turn' },
    minutes: 'Minutes',
    increment: 'Seconds added a turn',
    delay: 'Seconds of delay',
    period: 'Turns until the time is added again',
    seconds: 'Seconds a turn',
    dice: 'Dice',
    sources: { server: 'Rolled by the board', seed: 'By a seed', typed: 'Real dice, typed in' },
    seed: 'Seed',
    position: 'Position (DFEN)',
    think: 'Seconds an engine thinks without a clock',
    /**
     * @param {string} what
     * @param {{ min: string, max: string, step: string }} range
     */
    range: (what, { min, max, step }) => `${what}: a ${step === 'any' ? '' : 'whole '}number from ${min} to ${max}`,
    start: 'Begin',
    cancel: 'Cancel',
  },
  paste: {
    title: 'Paste a position or a record',
    help: 'A DFEN, a text record, a journal or a history.',
    file: 'or a file',
    open: 'Open',
    choose: 'Games that were found',
    more: 'There are more games; only the first ones are listed.',
    /** @param {number} turns */
    turns: (turns) => (turns === 1 ? '1 turn' : `${turns} turns`),
    /** @param {number} kib */
    tooLong: (kib) => `The text is longer than the ${kib} KiB that the board reads.`,
  },
  settings: {
    title: 'Settings',
    autoRoll: 'Roll for me',
    autoForced: 'Play forced turns for me',
    confirm: 'Ask before a complete turn is sent',
    motion: 'Move pieces and dice',
    serious: 'Play seriously: no analysis while a game runs',
    theme: 'Colours',
    themes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
    close: 'Close',
  },
  gamesList: { title: 'Games', none: 'There are no games yet.', running: 'running', older: 'Older games' },
  problems: {
    closed: 'The connection to the board is lost. Trying again …',
    /** @param {string | null} code */
    final: (code) => `The board has sent this page away (${code}). Load it again to go on.`,
    /**
     * @param {string} name
     * @param {string} message
     */
    engine: (name, message) => `The engine of ${name} has stopped: ${message}`,
    /** @param {string} program */
    silent: (program) => `${program} does not answer as an engine does`,
    /**
     * @param {string} name
     * @param {string} turn
     * @param {string} message
     */
    illegal: (name, turn, message) => `The engine of ${name} wants to play ${turn}: ${message}`,
    /** @param {string} name */
    late: (name) => `${name} has not played in time. It may still do so.`,
    again: 'Start it again',
    dismiss: 'Close',
  },
};
