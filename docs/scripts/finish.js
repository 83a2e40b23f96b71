// Every page as plain Markdown beside it, and lists of them, for assistants; and the files of the
// package to which pages link.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(DOCS, '.vitepress/dist');
/** At the same paths as in the package. */
const FILES = ['CHANGELOG.md', 'examples/start', 'schemas', 'skills'];
/** Pages without text. */
const NOT_TEXT = ['index.md', 'inspector.md'];
const FOLDERS = ['.', 'reference'];

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(DOCS, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
).filter((page) => !NOT_TEXT.includes(page));

/** A page as it is, without what only the site knows. */
function toMarkdown(/** @type {string} */ page) {
  const text = readFileSync(join(DOCS, page), 'utf8')
    .replace(/^---\n.*?\n---\n+/s, '')
    .replace(/^<!-- .*? -->\n+/gm, '')
    .replace(/^```ts twoslash$/gm, '```ts');
  return page.startsWith('reference') ? text : text.replaceAll('](../', '](./');
}

/** @param {string} page */
function describe(page) {
  const text = readFileSync(join(DOCS, page), 'utf8');
  const [, title = page] = /^# (.*)$/m.exec(text) ?? [];
  const [, description] = /^description: (.*)$/m.exec(text) ?? [];
  if (!description) throw new Error(`${page} has no description`);
  return { title: title.replaceAll('`', ''), description };
}

const SUMMARY = `# payment-notifications

> An npm package that turns the callback bodies of a crypto payment service (deposit received, withdrawal broadcast) into
> typed notifications with exact decimal.js amounts, or into one error that names everything wrong.

Pass the raw body. Compare Decimals by method and store them as text. Insert the idempotency key in the transaction that
credits. The package does not authenticate callbacks.
`;

for (const path of FILES) cpSync(join(DOCS, '..', path), join(DIST, path), { recursive: true });

let list = `${SUMMARY}\n## Pages\n\n`;
let all = SUMMARY;
for (const page of pages) {
  const { title, description } = describe(page);
  const text = toMarkdown(page);
  const file = join(DIST, normalize(page));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  list += `- [${title}](${page}): ${description}\n`;
  all += `\n${text.trim()}\n`;
}
writeFileSync(join(DIST, 'llms.txt'), list);
writeFileSync(join(DIST, 'llms-full.txt'), all);
