import { createHash } from 'node:crypto';
import { LISTS, ROWS } from './report.js';

/** @import { Report } from './report.js' */
/** @typedef {Record<string, unknown>} Row */

/** Its digest is in the page's headers: no other style is used. Colours are the browser's, light or dark. */
const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { color: CanvasText; background: Canvas; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 80rem; }
.tasks { padding: 0.1rem 1rem; border-left: 0.4rem solid firebrick; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid GrayText; padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
td { min-width: 6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { max-height: 16rem; overflow: auto; white-space: pre-wrap; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded or run, whatever a body holds: there is no script on this page. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * The report, for the person who comes in at 9 in the morning: first what they must settle.
 *
 * @param {Report} report
 */
export function renderPage({ at, spool, databaseError, lists }) {
  const tasks = Object.entries(LISTS)
    .filter(([id, { toDo }]) => toDo && lists[id]?.length)
    .map(([id, { title }]) => `<a href="#${id}">${title}: ${countOf(lists[id])}</a>`);
  if (spool.torn > 0) tasks.unshift(`Damaged files in the spool: ${spool.torn}`);
  if (spool.bodies > 0)
    tasks.unshift(`Bodies that wait for the database since ${spool.oldest}: ${spool.bodies}`);
  if (databaseError !== null) tasks.unshift(`The database is down: ${asHtml(databaseError)}`);
  const toSettle = `<ul>${tasks.map((task) => `<li>${task}</li>`).join('')}</ul>
<p>Before you settle something by hand: <code>npm run merchant -- dismiss EVENT-OR-SHA256 "why"</code></p>`;
  const answer = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${tasks.length > 0 ? `(${tasks.length}) ` : ''}Merchant</title>
<style>${STYLE}</style>
<main>
<h1>Merchant</h1>
<p>As of ${at}. <a href="report.json">The same for programs</a></p>
${tasks.length > 0 ? `<div class="tasks"><h2>To settle</h2>${toSettle}</div>` : '<h2>Nothing to settle</h2>'}
${Object.keys(LISTS)
  .map((id) => section(id, lists[id] ?? []))
  .join('')}
</main>
`;
  return { status: 200, answer, headers: HEADERS };
}

/** The same for programs. @param {Report} report */
export function renderJson(report) {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, answer: JSON.stringify(report, null, 2), headers };
}

/** @param {Row[]} [rows] */
function countOf({ length } = []) {
  return length < ROWS ? length : `${ROWS} or more`;
}

/** A table scrolls by itself where it is too wide, by keyboard too. @param {string} id @param {Row[]} rows */
function section(id, rows) {
  const [first] = rows;
  if (!first) return '';
  const { title, toDo = '' } = LISTS[id] ?? { title: id };
  const names = Object.keys(first);
  return `<section id="${id}">
<h2>${title}</h2>
<p>${toDo}</p>
<div class="table" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr>${names.map((name) => `<th scope="col">${name.replaceAll('_', ' ')}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${names.map((name) => cell(name, row[name])).join('')}</tr>\n`).join('')}
</tbody></table></div>
</section>
`;
}

/** @param {string} name @param {unknown} value */
function cell(name, value) {
  const plain = value instanceof Date ? value.toISOString() : value;
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain, null, 1);
  if (name !== 'body') return `<td>${asHtml(text)}</td>`;
  return `<td><details><summary>Show</summary><pre tabindex="0">${asHtml(text)}</pre></details></td>`;
}

/** Text as HTML; what can't be seen, or turns around what can, by its code point. @param {string} text */
function asHtml(text) {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (char) =>
      char === '\n' ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
    )
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
