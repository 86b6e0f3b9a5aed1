// A position and a record to take away: copied, or saved as a file.

import { fill, h } from '../dom.js';
import { text } from '../text.js';
import { field, openDialog, select } from './dialog.js';

const words = text.save;

/** How the files of each form end. */
const ENDINGS = /** @type {Record<string, string>} */ ({ text: 'txt', journal: 'jsonl', history: 'json' });

/**
 * @param {import('../socket.js').Socket} socket
 * @param {object} subject a game or a line, as the server takes it
 * @param {string} dfen
 */
export function openSave(socket, subject, dfen) {
  const position = h('input', { name: 'dfen', readonly: true, value: dfen, spellcheck: 'false' });
  const form = select('form', Object.entries(words.forms), 'text');
  const record = h('textarea', { name: 'record', rows: 9, readonly: true, spellcheck: 'false' });
  const lost = h('p', { class: 'small soft' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const load = async () => {
    fill(problem);
    fill(lost);
    record.value = '';
    try {
      const written = await socket.ask('record', { ...subject, form: form.value });
      record.value = written.text;
      if (written.lost.length) fill(lost, words.lost(written.lost.join(', ')));
    } catch (error) {
      fill(problem, error instanceof Error ? error.message : String(error));
    }
  };
  form.addEventListener('change', () => void load());
  const save = () => {
    if (record.value) saveFile(`dice-chess.${ENDINGS[form.value] ?? 'txt'}`, 'text/plain', record.value);
  };
  const dialog = openDialog(
    words.title,
    h(
      'div',
      { class: 'form' },
      h('div', { class: 'with-button' }, field(words.position, position), copyButton('copy-dfen', words.copy, position)),
      field(words.form, form),
      field(words.record, record),
      lost,
      problem,
      h(
        'div',
        { class: 'choices' },
        h('button', { type: 'button', onclick: () => dialog.close() }, text.settings.close),
        copyButton('copy-record', words.copyRecord, record),
        h('button', { type: 'button', class: 'primary', 'data-action': 'download', onclick: save }, words.download),
      ),
    ),
  );
  void load();
}

/**
 * @param {string} name
 * @param {string} label
 * @param {HTMLInputElement | HTMLTextAreaElement} from
 */
function copyButton(name, label, from) {
  const said = h('span', { 'aria-live': 'polite' }, label);
  const copy = async () => {
    fill(said, (await copied(from)) ? words.copied : words.notCopied);
    setTimeout(() => fill(said, label), 2500);
  };
  return h('button', { type: 'button', 'data-action': name, onclick: () => void copy() }, said);
}

/**
 * Puts the text of a field on the clipboard. Where the page is not trusted with it (over a network without TLS) the text is
 * selected at least.
 * @param {HTMLInputElement | HTMLTextAreaElement} from
 * @returns {Promise<boolean>} whether it is there
 */
async function copied(from) {
  from.select();
  try {
    await navigator.clipboard.writeText(from.value);
    return true;
  } catch {
    return document.execCommand('copy');
  }
}

/**
 * Has the browser save a file.
 * @param {string} name
 * @param {string} type
 * @param {string} content
 */
export function saveFile(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
