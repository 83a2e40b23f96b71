// The code of the pages and of examples/start, as tests run it: its folder is one of the test.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { blocksOn, filesOn as filesOnPage } from '../../scripts/pages/code.js';

/** Lets code save bodies below the working directory. @param {string} code */
const relocated = (code) => code.replaceAll("'/var/lib/", "'");

/** The files that stand on a page, by name. @param {string} page */
export function filesOn(page) {
  return new Map([...filesOnPage(page)].map(([name, code]) => [name, relocated(code)]));
}

/** The block of a page that starts with a text. @param {string} page @param {string} start */
export function blockOn(page, start) {
  const blocks = blocksOn(page).filter(({ code }) => code.startsWith(start));
  const [block] = blocks;
  if (!block || blocks.length > 1) throw new Error(`once on ${page}: ${start}`);
  return relocated(block.code);
}

/** A file to copy. @param {string} name */
export const copied = (name) =>
  relocated(readFileSync(new URL(`../start/${name}`, import.meta.url), 'utf8'));

/**
 * Writes a file, and its folder if it is missing.
 *
 * @param {URL} folder @param {string} name @param {string} [text]
 */
export function write(folder, name, text) {
  if (text === undefined) throw new Error(`no page has ${name}`);
  const file = new URL(name, folder);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}

/** Copies a file of examples/start. @param {URL} folder @param {string} to */
export const copy = (folder, to) => write(folder, to, copied(basename(to)));

/** A text with one part replaced. @param {string} text @param {string} from @param {string} to */
export function replaced(text, from, to) {
  assert.equal(text.split(from).length, 2, `once: ${from}`);
  return text.replace(from, () => to);
}
