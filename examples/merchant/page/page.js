import { createHash } from 'node:crypto';
import { STYLE } from './style.js';

/** @import { Report } from './report.js' */
/** @typedef {Record<string, unknown>} Row */

/** Text that is HTML already. */
class Html {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** Escapes each value that is not HTML already. @param {TemplateStringsArray} strings @param {unknown[]} values */
function html(strings, ...values) {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)));
}

/** @param {unknown} value @returns {string} */
function textOf(value) {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return (
    String(value)
      // What can't be seen, or turns around what can, is shown by its code point.
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (char) =>
        char === '\n' ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
      )
      .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  );
}

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
export function renderPage(report) {
  const tasks = tasksOf(report);
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${tasks.length > 0 ? `(${tasks.length}) ` : ''}Merchant</title>
<style>${new Html(STYLE)}</style>
<header>
<h1>Merchant</h1>
<p>As of ${report.at}. For programs: <a href="report.json">JSON</a>, <a href="metrics">metrics</a></p>
</header>
<main>
<section class="${tasks.length > 0 ? 'bad' : 'good'}" aria-labelledby="tasks">
<h2 id="tasks">${tasks.length > 0 ? 'To settle' : 'Nothing to settle'}</h2>
${
  tasks.length > 0
    ? html`<ul>${tasks.map(([id, task]) => html`<li><a href="#${id}">${task}</a></li>`)}</ul>
<p>Before you settle something by hand: <code>npm run merchant -- dismiss EVENT-OR-SHA256 "why"</code>.</p>`
    : ''
}
</section>
${Object.entries(SECTIONS).map(([id, [title, text]]) => section(id, title, text, rowsOf(report, id)))}
</main>
`;
  return { status: 200, answer: page.text, headers: HEADERS };
}

/** The same for programs. @param {Report} report */
export function renderJson(report) {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, answer: JSON.stringify(report, null, 2), headers };
}

/** Of a list of the report: its title, and what to do. @type {Record<string, [title: string, text: string]>} */
const SECTIONS = {
  spool: ['Spool', 'They are settled by themselves once the database is back.'],
  conflicts: [
    'Conflicts',
    'A later delivery of a settled event moves something else. The first one is settled. Ask the service which is true: one of them may be forged.',
  ],
  outcomes: [
    'Withdrawals with two outcomes',
    'Only one can be true. Ask the service whether the money was sent, and compare.',
  ],
  withoutAmount: [
    'Withdrawals without an amount',
    "They are completed, but don't say how much was sent, so nothing is debited yet.",
  ],
  refused: ['Refused bodies', 'After a fix, npm run merchant -- replay settles them.'],
  drift: ['Drift', "Where settled bodies depart from the service's documentation."],
  totals: ['Totals', 'What the service holds for you.'],
  balances: ['Balances', 'Of customers, the first of them.'],
};

/** @param {Report} report @param {string} id @returns {Row[]} */
function rowsOf({ spool, ...report }, id) {
  if (id === 'spool') return spool.bodies + spool.tornBytes > 0 ? [spool] : [];
  return /** @type {Record<string, Row[]>} */ (/** @type {unknown} */ (report))[id] ?? [];
}

/** What calls for a person: the section's id and a line. @param {Report} report */
function tasksOf(report) {
  const { spool, databaseError } = report;
  /** @type {[id: string, count: number, one: string, many: string][]} */
  const tasks = [
    ['spool', spool.bodies, 'body waits in the spool', 'bodies wait in the spool'],
    ['spool', spool.tornBytes, 'byte in spool.torn', 'bytes in spool.torn, of writes cut off'],
  ];
  if ('counts' in report) {
    const { counts, outcomes, withoutAmount } = report;
    tasks.push(
      ['conflicts', Number(counts.conflicts), 'conflict', 'conflicts'],
      [
        'outcomes',
        outcomes.length,
        'withdrawal with two outcomes',
        'withdrawals with two outcomes',
      ],
      [
        'withoutAmount',
        withoutAmount.length,
        'withdrawal without an amount',
        'withdrawals without an amount',
      ],
      ['refused', Number(counts.refused), 'refused body', 'refused bodies'],
    );
  }
  const open = tasks
    .filter(([, count]) => count > 0)
    .map(([id, count, one, many]) => [id, `${count} ${count === 1 ? one : many}`]);
  return databaseError === null
    ? open
    : [['spool', `The database is down: ${databaseError}`], ...open];
}

/** A table scrolls by itself where it is too wide, by keyboard too. @param {string} id @param {string} title @param {string} text @param {Row[]} rows */
function section(id, title, text, rows) {
  const [first] = rows;
  if (!first) return '';
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<p>${text}</p>
<div class="table" tabindex="0" role="region" aria-label="${title}, as a table"><table>
<thead><tr>${Object.keys(first).map((name) => html`<th scope="col">${name.replaceAll('_', ' ')}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${Object.entries(row).map(([name, value]) => html`<td>${cell(name, value)}</td>`)}</tr>\n`)}
</tbody></table></div>
</section>
`;
}

/** @param {string} name @param {unknown} value */
function cell(name, value) {
  if (name === 'body')
    return html`<details><summary>Show</summary><pre tabindex="0">${value}</pre></details>`;
  if (value instanceof Date) return value.toISOString();
  if (value === null || typeof value !== 'object') return html`<bdi>${value}</bdi>`;
  const parts = Object.entries(value).map(
    ([key, part]) => html`${key}: <bdi>${textOfPart(part)}</bdi>`.text,
  );
  return new Html(parts.join('<br>'));
}

/** @param {unknown} part */
function textOfPart(part) {
  return part !== null && typeof part === 'object' ? JSON.stringify(part) : (part ?? 'unknown');
}
