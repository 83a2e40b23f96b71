import { inspectBody } from '../inspect/inspect-body.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import type { SentBody } from './body.js';
import { placeOf } from './inspect.js';
import { cut, paint, type Terminal, wrap } from './terminal.js';
import { formatDuration } from './usage.js';

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
/** Longest answer that is shown where the width of the terminal sets no limit. */
const MAX_ANSWER = 200;

/** A warning of a body that a handler should refuse. */
export function warningOf({ label, body }: SentBody, terminal: Terminal): string[] {
  const { issues, jsonFault } = inspectBody(body);
  const [first, ...others] = issues.map(({ message }) => message);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const place = jsonFault === null ? '' : `; ${placeOf(jsonFault)}`;
  const text = `${label || 'This body'} is invalid, a handler should refuse it: ${first}${more}${place}`;
  return wrap(text, terminal.columns).map((line) => paint(terminal, 'yellow', line));
}

/** The line about an attempt. */
export function lineOf(
  { label, code }: SentBody,
  attempt: DeliveryAttempt,
  terminal: Terminal,
): string {
  const { success, answer, copy, number } = attempt;
  const isRefused = answer !== null && !success;
  const isGood = code === undefined ? success : isRefused;
  const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const start = [outcomeOf(attempt), label, ...counts].filter(Boolean).join('  ');
  const body = escapeUnprintable(answer?.body.trim() ?? '');
  const room = Math.min(terminal.columns - INDENT.length * 2, MAX_ANSWER);
  const text = cut(body === '' ? start : `${start}  ${body}`, room);
  const shown = text.slice(0, start.length) + paint(terminal, 'dim', text.slice(start.length));
  return `${INDENT}${mark} ${shown}`;
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) return `${answer.status} in ${formatDuration(durationMs)}`;
  const hint = error.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `no answer: ${escapeUnprintable(error)}${hint}`;
}

/** The lines at the end. */
export function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { delivered, of, attempts, durationMs, interrupted, faulty, idempotencyKey } = summary;
  const result = (count: number, all: number, text: string): string =>
    paint(terminal, count === all ? 'green' : 'red', `${count} of ${all} ${text}`);
  const tries = attempts === of ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const sentences = [
    ...(faulty.accepted.length === 0
      ? []
      : [`Answered with success: ${faulty.accepted.join(', ')}.`]),
    ...(of === 1 || idempotencyKey === null
      ? []
      : [`These are all one event: credit or debit it once, as ${idempotencyKey}.`]),
  ];
  return [
    `${interrupted ? 'Interrupted: ' : ''}${result(delivered, of, 'delivered')}` +
      ` in ${formatDuration(durationMs)}${tries}`,
    ...(faulty.of === 0 ? [] : [result(faulty.refused, faulty.of, 'faulty bodies refused')]),
    ...sentences.flatMap((sentence) => wrap(sentence, terminal.columns)),
  ];
}
