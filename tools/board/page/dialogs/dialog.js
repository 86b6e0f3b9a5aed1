// A window over the page, by the browser's own `<dialog>`: it keeps the focus, and Escape closes it.

import { h } from '../dom.js';

/**
 * @param {string} title
 * @param {...import('../dom.js').Child} children
 * @returns {HTMLDialogElement} shown; gone from the page when it is closed
 */
export function openDialog(title, ...children) {
  const heading = h('h2', { id: 'dialog-title' }, title);
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title' }, heading, ...children);
  const before = document.activeElement;
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * A labelled field.
 * @param {string} label
 * @param {HTMLElement} control
 */
export function field(label, control) {
  return h('label', { class: 'field' }, h('span', {}, label), control);
}

/**
 * @param {string} name
 * @param {[string, string][]} options values and what they are called
 * @param {string} chosen
 */
export function select(name, options, chosen) {
  const element = h('select', { name });
  for (const [value, label] of options) element.append(h('option', { value, selected: value === chosen }, label));
  return element;
}
