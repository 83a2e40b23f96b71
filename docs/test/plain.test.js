// The pages as GitHub, npm and an editor show them: plain Markdown.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import markdownIt from 'markdown-it';
import { slugOf } from '../scripts/slug.js';

const ROOT = new URL('../../', import.meta.url);
const markdown = markdownIt({ html: true });
const PAGES = [
  'README.md',
  '.github/SECURITY.md',
  'skills/payment-notifications/SKILL.md',
  ...readdirSync(new URL('docs', ROOT))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** What only VitePress, or nothing at all, understands. */
const MARKS = /<<<|@include|:::|\{\{|\{#|\{target|\[\[toc/i;
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
const CONTENT = 'p, pre, table, ul, ol, blockquote';
/** Written into the pages as HTML, and shown by GitHub. */
const TAGS = ['a', 'b', 'br', 'div', 'img', 'picture', 'source'];

/** @type {Map<string, Document>} */
const documents = new Map();

/** @param {string} page */
function open(page) {
  const known = documents.get(page);
  if (known) return known;
  const text = readFileSync(new URL(page, ROOT), 'utf8').replace(/^---\n.*?\n---\n/s, '');
  const { document } = parseHTML(`<html><body>${markdown.render(text)}</body></html>`);
  documents.set(page, document);
  return document;
}

test('no page holds a mark instead of what it stands for', () => {
  for (const page of PAGES) {
    const text = readFileSync(new URL(page, ROOT), 'utf8').replace(/^---\n.*?\n---\n/s, '');
    const html = [...text.replace(/^```.*?^```$|`[^`\n]*`|<!--.*?-->/gms, '').matchAll(/<(\w+)/g)];
    const strange = html.map(([, tag = '']) => tag).filter((tag) => !TAGS.includes(tag));
    assert.deepEqual(strange, [], page);

    const { body } = open(page);
    const shown = /** @type {HTMLElement} */ (body.cloneNode(true));
    for (const code of shown.querySelectorAll('pre, code')) code.remove();
    assert.doesNotMatch(shown.textContent ?? '', MARKS, page);
  }
});

test('no section is empty', () => {
  for (const page of PAGES) {
    const blocks = [...open(page).querySelectorAll(`${HEADINGS}, ${CONTENT}`)];
    for (const [index, block] of blocks.entries()) {
      if (!block.matches(HEADINGS)) continue;
      const next = blocks[index + 1];
      const isFollowed = next && (!next.matches(HEADINGS) || next.localName > block.localName);
      assert(isFollowed, `${page}: there is nothing under "${block.textContent}"`);
    }
  }
});

test('every relative link leads to a file, and its anchor to a place in it', () => {
  let count = 0;
  for (const page of PAGES) {
    for (const element of open(page).querySelectorAll('a[href], img[src]')) {
      const href = element.getAttribute('href') ?? element.getAttribute('src') ?? '';
      if (/^[a-z]+:/.test(href)) continue;
      count += 1;
      const [path = '', anchor] = href.split('#');
      const file = path === '' ? page : posix.join(posix.dirname(page), path);
      // The reference is made for the site only.
      const isThere = existsSync(new URL(file, ROOT)) && !file.startsWith('docs/reference');
      assert(isThere, `${page}: ${href}`);
      if (anchor === undefined) continue;
      const target = open(file);
      const slugs = [...target.querySelectorAll(HEADINGS)].map(({ textContent }) =>
        slugOf(textContent ?? ''),
      );
      const isPlace = slugs.includes(anchor) || target.querySelector(`a[id="${anchor}"]`);
      assert(isPlace, `${page}: ${href}`);
    }
  }
  assert(count > 50);
});
