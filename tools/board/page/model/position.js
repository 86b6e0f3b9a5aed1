// What the page must know of a position to draw it. The rules are the server's.

/** @typedef {'w' | 'b'} Side */
/** @typedef {'P' | 'N' | 'B' | 'R' | 'Q' | 'K'} Kind */
/** A square is its name, `a1` to `h8`; a piece its letter in a DFEN, capitals being White's. */
/** @typedef {Map<string, string>} Placement */

/** The faces of a die, in the order in which dice are written. */
export const KINDS = /** @type {Kind[]} */ (['P', 'N', 'B', 'R', 'Q', 'K']);

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** @returns {string[]} a1, b1 … h8 */
export function squares() {
  return Array.from({ length: 64 }, (_, index) => squareAt(index % 8, index >> 3));
}

/**
 * @param {number} file 0 to 7
 * @param {number} rank 0 to 7
 */
export function squareAt(file, rank) {
  return String.fromCharCode(97 + file) + (rank + 1);
}

/** @param {string} square */
export function fileOf(square) {
  return square.charCodeAt(0) - 97;
}

/** @param {string} square */
export function rankOf(square) {
  return square.charCodeAt(1) - 49;
}

/**
 * @param {string} piece
 * @returns {Side}
 */
export function sideOf(piece) {
  return piece === piece.toUpperCase() ? 'w' : 'b';
}

/** @param {string} piece */
export function kindOf(piece) {
  return /** @type {Kind} */ (piece.toUpperCase());
}

/**
 * @param {Side} side
 * @returns {Side}
 */
export function other(side) {
  return side === 'w' ? 'b' : 'w';
}

/**
 * @typedef {object} Position
 * @property {Placement} placement
 * @property {Side} side
 * @property {string} castling
 * @property {string} targets
 * @property {number} halfmove
 * @property {number} fullmove
 * @property {string} dice letters of the dice left, `-` without
 */

/**
 * Reads a DFEN that the server wrote; it is sound.
 * @param {string} dfen
 * @returns {Position}
 */
export function readDfen(dfen) {
  const [board = '', side = 'w', castling = '-', targets = '-', halfmove = '0', fullmove = '1', dice = '-'] =
    dfen.trim().split(/\s+/);
  /** @type {Placement} */
  const placement = new Map();
  board.split('/').forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      const empty = Number(letter);
      if (empty) {
        file += empty;
      } else {
        placement.set(squareAt(file, 7 - index), letter);
        file += 1;
      }
    }
  });
  return {
    placement,
    side: side === 'b' ? 'b' : 'w',
    castling,
    targets,
    halfmove: Number(halfmove),
    fullmove: Number(fullmove),
    dice,
  };
}

/**
 * @param {Position} position
 * @returns {string}
 */
export function writeDfen(position) {
  const rows = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    let row = '';
    let empty = 0;
    for (let file = 0; file < 8; file += 1) {
      const piece = position.placement.get(squareAt(file, rank));
      if (!piece) {
        empty += 1;
        continue;
      }
      row += (empty || '') + piece;
      empty = 0;
    }
    rows.push(row + (empty || ''));
  }
  const { side, castling, targets, halfmove, fullmove, dice } = position;
  return [rows.join('/'), side, castling || '-', targets || '-', halfmove, fullmove, dice || '-'].join(' ');
}

/**
 * The number of a turn as records count: `4.` of White, `4…` of Black.
 * @param {string} dfen the position before it
 */
export function fullmoveText(dfen) {
  const { side, fullmove } = readDfen(dfen);
  return fullmove + (side === 'w' ? '.' : '\u2026');
}

/**
 * The same position with other dice.
 * @param {string} dfen
 * @param {string} dice
 */
export function withDice(dfen, dice) {
  const fields = dfen.trim().split(/\s+/);
  fields[6] = dice || '-';
  return fields.join(' ');
}

/**
 * Dice in the order in which they are written.
 * @param {string} dice
 */
export function sortedDice(dice) {
  const letters = [...dice.toUpperCase()].filter((letter) => KINDS.includes(/** @type {Kind} */ (letter)));
  return letters.sort((a, b) => KINDS.indexOf(/** @type {Kind} */ (a)) - KINDS.indexOf(/** @type {Kind} */ (b))).join('');
}
