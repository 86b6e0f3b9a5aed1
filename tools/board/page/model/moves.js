// A micro-move carried out on the placement, to show a turn step by step. The server has found it legal.

import { fileOf, kindOf, rankOf, sideOf, squareAt } from './position.js';

/** @typedef {import('./position.js').Placement} Placement */

/**
 * @param {Placement} placement
 * @param {string} move
 * @returns {Placement}
 */
export function afterMove(placement, move) {
  const [from, to, promotion] = [move.slice(0, 2), move.slice(2, 4), move.slice(4)];
  const next = new Map(placement);
  const piece = next.get(from);
  if (!piece) return next;
  const across = fileOf(to) - fileOf(from);
  next.delete(from);
  if (kindOf(piece) === 'P' && across !== 0 && !next.has(to)) next.delete(squareAt(fileOf(to), rankOf(from)));
  if (kindOf(piece) === 'K' && Math.abs(across) === 2) {
    const corner = squareAt(across > 0 ? 7 : 0, rankOf(from));
    const rook = next.get(corner);
    next.delete(corner);
    if (rook) next.set(squareAt(fileOf(from) + across / 2, rankOf(from)), rook);
  }
  next.set(to, promotion ? (sideOf(piece) === 'w' ? promotion.toUpperCase() : promotion) : piece);
  return next;
}

/**
 * The micro-moves of a turn.
 * @param {string | null} turn
 */
export function movesOf(turn) {
  return turn && turn !== '0000' ? turn.split(',') : [];
}

/**
 * Where each piece can be sent, from the server's steps. To castle the king may be put on the rook, or the rook on the king.
 * @param {import('../types.js').Step[]} steps
 * @returns {Map<string, Map<string, import('../types.js').Step[]>>}
 */
export function choices(steps) {
  /** @type {Map<string, Map<string, import('../types.js').Step[]>>} */
  const found = new Map();
  /** @param {string} from @param {string} to @param {import('../types.js').Step} step */
  const add = (from, to, step) => {
    const targets = found.get(from) ?? new Map();
    targets.set(to, [...(targets.get(to) ?? []), step]);
    found.set(from, targets);
  };
  for (const step of steps) {
    add(step.from, step.to, step);
    if (step.castling && step.rook) {
      add(step.from, step.rook, step);
      add(step.rook, step.from, step);
    }
  }
  return found;
}
