// The pieces: the shapes that the library draws for its reviews, fetched once from the server that carries them.

import { s } from '../dom.js';
import { kindOf, sideOf } from '../model/position.js';

/** Puts the shapes into the page, where `<use>` finds them. */
export async function loadPieces() {
  const answer = await fetch('pieces.svg');
  if (!answer.ok) throw new Error(`pieces.svg: ${answer.status}`);
  // Only the definitions are taken over: the frame around them is styled by an attribute, which this page forbids.
  const definitions = /<defs>.*<\/defs>/s.exec(await answer.text());
  if (!definitions) throw new Error('pieces.svg has no definitions');
  const parsed = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg">${definitions[0]}</svg>`, 'image/svg+xml');
  const holder = s('svg', { width: 0, height: 0, class: 'shapes', 'aria-hidden': 'true' });
  holder.append(document.importNode(parsed.documentElement, true));
  document.body.prepend(holder);
}

/**
 * The reference to the shape of a piece.
 * @param {string} piece its letter in a DFEN
 */
export function shape(piece) {
  return `#${sideOf(piece)}${kindOf(piece)}`;
}

/**
 * A piece as a picture of its own, for dice and choices.
 * @param {string} piece
 * @param {string} label what it is called; nothing for a picture beside its name
 */
export function pieceIcon(piece, label = '') {
  const icon = s('svg', label ? { viewBox: '3 3 34 34', class: 'piece-icon', role: 'img', 'aria-label': label } : {
    viewBox: '3 3 34 34',
    class: 'piece-icon',
    'aria-hidden': 'true',
  });
  icon.append(s('use', { href: shape(piece) }));
  return icon;
}

