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
<p class="muted">As of ${timeOf(report.at)}. For programs: <a href="report.json">JSON</a>,
<a href="metrics">metrics</a></p>
</header>
<main>
<section class="${tasks.length > 0 ? 'bad' : 'good'}" aria-labelledby="tasks">
<h2 id="tasks">${tasks.length > 0 ? 'To settle' : 'Nothing to settle'}</h2>
${
  tasks.length > 0
    ? html`<ul>${tasks.map(([id, task]) => html`<li><a href="#${id}">${task}</a></li>`)}</ul>
<p>What you have settled goes away with <code>npm run merchant -- dismiss EVENT-OR-SHA256 "why"</code>.</p>`
    : ''
}
</section>
${spoolSection(report)}
${'counts' in report ? ledgerSections(report) : ''}
</main>
`;
  return { status: 200, answer: page.text, headers: HEADERS };
}

/** The same for programs. @param {Report} report */
export function renderJson(report) {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, answer: JSON.stringify(report, null, 2), headers };
}

/** What calls for a person: the section's id and a line. @param {Report} report */
function tasksOf(report) {
  const { spool, databaseError } = report;
  /** @type {[boolean, string, string][]} */
  const tasks = [
    [databaseError !== null, 'spool', 'The database is down: bodies go to the spool'],
    [
      spool.bodies > 0,
      'spool',
      `${counted(spool.bodies, 'body waits', 'bodies wait')} in the spool`,
    ],
    [spool.tornBytes > 0, 'spool', 'A write to the spool was cut off: look at spool.torn'],
  ];
  if ('counts' in report) {
    const { counts, outcomes, withoutAmount } = report;
    const conflicts = Number(counts.conflicts);
    const refused = Number(counts.refused);
    tasks.push(
      [conflicts > 0, 'conflicts', counted(conflicts, 'conflict', 'conflicts')],
      [
        outcomes.length > 0,
        'outcomes',
        counted(outcomes.length, 'withdrawal with two outcomes', 'withdrawals with two outcomes'),
      ],
      [
        withoutAmount.length > 0,
        'without-amount',
        counted(
          withoutAmount.length,
          'withdrawal without an amount',
          'withdrawals without an amount',
        ),
      ],
      [refused > 0, 'refused', counted(refused, 'refused body', 'refused bodies')],
    );
  }
  return tasks.filter(([isOpen]) => isOpen).map(([, id, task]) => [id, task]);
}

/** @param {number} count @param {string} one @param {string} many */
function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {Report} report */
function spoolSection({ spool, databaseError }) {
  const { bodies, bytes, oldest, tornBytes } = spool;
  if (bodies === 0 && tornBytes === 0 && databaseError === null) return '';
  return section(
    'spool',
    'Spool',
    html`${databaseError === null ? '' : html`<p>The database says: ${databaseError}</p>`}
<p>${bodies} bodies, ${bytes} bytes${oldest === null ? '' : html`, the oldest from ${timeOf(oldest)}`}. They are
settled by themselves once the database is back.
${tornBytes > 0 ? `${tornBytes} bytes of writes that were cut off are in spool.torn.` : ''}</p>`,
  );
}

/** @param {Extract<Report, { counts: Row }>} report */
function ledgerSections(report) {
  const { conflicts, outcomes, withoutAmount, refused, drift, totals, balances, counts } = report;
  return [
    conflicts.length > 0 &&
      section(
        'conflicts',
        'Conflicts',
        html`<p>A later delivery of a settled event moves something else. The first one is settled. Ask the
service which is true: one of them may be forged.</p>`,
        table(
          ['Event', 'Settled', 'Claimed later', 'Received', 'Body'],
          conflicts.map((row) => [
            row.key,
            differences(row.settled, row.claimed),
            differences(row.claimed, row.settled),
            html`${timeOf(row.received_at)}, ${row.deliveries}×`,
            bodyOf(row),
          ]),
        ),
      ),
    outcomes.length > 0 &&
      section(
        'outcomes',
        'Withdrawals with two outcomes',
        html`<p>Only one can be true. Ask the service whether the money was sent, and compare.</p>`,
        table(
          ['Latest event', 'Outcomes, as received', 'Account', 'In the ledger'],
          outcomes.map(({ key, statuses, account, amount, currency }) => [
            key,
            /** @type {string[]} */ (statuses).join(', then '),
            account,
            number(amount, currency),
          ]),
        ),
      ),
    withoutAmount.length > 0 &&
      section(
        'without-amount',
        'Withdrawals without an amount',
        html`<p>They are completed, but don't say how much was sent, so nothing is debited yet.</p>`,
        table(
          ['Event', 'Account', 'Currency', 'Received'],
          withoutAmount.map((row) => [row.key, row.account, row.currency, timeOf(row.received_at)]),
        ),
      ),
    refused.length > 0 &&
      section(
        'refused',
        'Refused bodies',
        html`<p>After a fix, <code>npm run merchant -- replay</code> settles them.</p>`,
        table(
          ['Received', 'Faults', 'Body'],
          refused.map((row) => [
            html`${timeOf(row.received_at)}, ${row.deliveries}×`,
            row.reason,
            bodyOf(row),
          ]),
        ),
      ),
    drift.length > 0 &&
      section(
        'drift',
        'Drift',
        html`<p>Where settled bodies depart from the service's documentation.</p>`,
        table(
          ['Warning', 'Field', 'Events', 'Latest'],
          drift.map(({ code, field, events, latest }) => [code, field, events, timeOf(latest)]),
        ),
      ),
    section(
      'balances',
      'Balances',
      table(
        ['Currency', 'The service holds for you'],
        totals.map(({ currency, amount }) => [currency, number(amount)]),
      ),
      html`<p>${counted(Number(counts.customers), 'customer', 'customers')}${
        Number(counts.customers) > balances.length ? '; the first of them' : ''
      }:</p>`,
      table(
        ['Customer', 'Currency', 'Balance'],
        balances.map(({ account, currency, amount }) => [account, currency, number(amount)]),
      ),
    ),
  ];
}

/** @param {string} id @param {string} title @param {unknown[]} content */
function section(id, title, ...content) {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;
}

/** It scrolls by itself where it is too wide, by keyboard too. @param {string[]} head @param {unknown[][]} rows */
function table(head, rows) {
  return html`<div class="table" tabindex="0" role="region" aria-label="${head.join(', ')}"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell instanceof Html ? cell : html`<bdi>${cell}</bdi>`}</td>`)}</tr>\n`)}
</tbody></table></div>`;
}

/** Of what moves, the part that the other one contradicts. @param {unknown} moves @param {unknown} other */
function differences(moves, other) {
  const others = /** @type {Row} */ (other);
  const differing = Object.entries(/** @type {Row} */ (moves)).filter(
    ([name, value]) => value !== others[name],
  );
  return new Html(
    differing
      .map(([name, value]) => html`${name}: <bdi>${value ?? 'unknown'}</bdi>`.text)
      .join('<br>'),
  );
}

/** @param {Row} row */
function bodyOf({ body, digest }) {
  return html`<details><summary>Show</summary><pre tabindex="0">${body}</pre><p class="muted">sha256 ${digest}</p></details>`;
}

/** @param {unknown} amount @param {unknown} [currency] */
function number(amount, currency) {
  return html`<span class="number">${amount} ${currency}</span>`;
}

/** @param {unknown} value A date, or the text of one. */
function timeOf(value) {
  const at = new Date(/** @type {string} */ (value)).toISOString();
  return html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
