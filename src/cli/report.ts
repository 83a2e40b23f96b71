import prettyMs from 'pretty-ms';
import { inspectBody } from '../inspect/index.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import type { SentBody } from './body.js';
import { CUT } from './endpoint.js';
import { placeOf } from './inspect.js';
import { cut, paint, type Terminal, wrap } from './terminal.js';

/** An attempt; the body of its answer is null if it must not be shown. */
export type ShownAttempt = Omit<DeliveryAttempt, 'answer'> & {
  readonly answer: { readonly status: number; readonly body: string | null } | null;
};

/** What came of everything that was sent. */
export interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Null for several events, or a body that a handler should refuse. */
  readonly idempotencyKey: string | null;
  /** Counts of faulty bodies, and the labels of those that were answered with success. */
  readonly faulty: { readonly of: number; readonly refused: number; readonly accepted: string[] };
}

export const INDENT = '  ';
/** How much of an outcome and its answer is shown, in columns. */
const MAX_SHOWN = 200;

/** A warning of a body that a handler should refuse. */
export function warningOf({ label, body }: SentBody, terminal: Terminal): string[] {
  const { issues, jsonFault } = inspectBody(body);
  if (issues.length === 0) return [];
  const reasons = issues.map(({ message }) => message);
  if (jsonFault !== null) reasons.push(placeOf(jsonFault));
  const start = `${label || 'This body'} is invalid, and a handler should refuse it: `;
  return wrap(start + reasons.join('; '), terminal.columns).map((line) =>
    paint(terminal, 'yellow', line),
  );
}

/** The lines about an attempt. */
export function linesOf(sent: SentBody, attempt: ShownAttempt, terminal: Terminal): string[] {
  const { success, answer, copy, number } = attempt;
  const isGood = sent.code === undefined ? success : answer !== null && !success;
  const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const body = answer?.body ?? '';
  const note = body.endsWith(CUT) ? CUT : '';
  const shown = escapeUnprintable(body.slice(0, body.length - note.length).trim());
  const text = [outcomeOf(attempt), sent.label, ...counts, shown].filter(Boolean).join('  ');
  const lines = wrap(cut(text, MAX_SHOWN) + note, terminal.columns - INDENT.length * 2);
  return lines.map((line, index) => INDENT + (index === 0 ? `${mark} ` : INDENT) + line);
}

function outcomeOf({ answer, error, durationMs }: ShownAttempt): string {
  if (answer !== null) return `${answer.status} in ${prettyMs(durationMs)}`;
  const hint = error?.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `failed: ${escapeUnprintable(`${error}`)}${hint}`;
}

/** The lines at the end. */
export function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { delivered, of, attempts, durationMs, interrupted, faulty, idempotencyKey } = summary;
  const result = (count: number, all: number, text: string): string =>
    paint(terminal, count === all ? 'green' : 'red', `${count} of ${all} ${text}`);
  const tries = attempts === of ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const sentences: string[] = [];
  const { accepted } = faulty;
  if (accepted.length > 0) sentences.push(`Answered with success: ${accepted.join(', ')}.`);
  const isMissing = !interrupted && faulty.refused + accepted.length < faulty.of;
  if (isMissing) sentences.push('The rest got no answer.');
  if (of > 1 && idempotencyKey !== null) {
    sentences.push(`These are all one event: credit or debit it once, as ${idempotencyKey}.`);
  }
  return [
    `${interrupted ? 'Interrupted: ' : ''}${result(delivered, of, 'delivered')}` +
      ` in ${prettyMs(durationMs)}${tries}`,
    ...(faulty.of === 0 ? [] : [result(faulty.refused, faulty.of, 'faulty bodies refused')]),
    ...sentences.flatMap((sentence) => wrap(sentence, terminal.columns)),
  ];
}
