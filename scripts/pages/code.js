// The text of a page: its blocks of code, and the anchors of its headings. A comment above each
// block says what it is:
//
//   <!-- file: NAME -->  that file, which exists nowhere else: tests write it, check it and run it
//   <!-- from: PATH -->  part of a file of the repository, by its path from the page
//   <!-- not run: WHY -->
import { readFileSync } from 'node:fs';

const CODE_BLOCK = /(?:^<!-- (file|from|not run): ([^\n]+) -->\n\n)?^```(\w+)[^\n]*\n(.*?)^```$/gms;

/**
 * The blocks of a page, in their order; `mark` is undefined where no comment says what a block is.
 *
 * @param {string} page Its path from the root of the repository.
 */
export function blocksOn(page) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(CODE_BLOCK)].map(
    ([, mark, argument = '', language = '', code = '']) => ({
      mark,
      argument,
      language,
      code,
    }),
  );
}

/**
 * The text of a page without its blocks of code, in which `#` starts a comment.
 *
 * @param {string} text
 */
export const withoutCode = (text) => text.replace(/^ *```.*?^ *```$/gms, '');

/**
 * The files that stand on a page, by name.
 *
 * @param {string} page Its path from the root of the repository.
 */
export function filesOn(page) {
  const files = blocksOn(page).filter(({ mark }) => mark === 'file');
  return new Map(files.map(({ argument, code }) => [argument, code]));
}

/**
 * The anchor of a heading as GitHub makes it, so that a link leads to the same place on the site.
 *
 * @param {string} heading
 */
export function slug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
