import prettyMs from 'pretty-ms';
import { escapeUnprintable } from '../internal/issues.js';
import { safeParseNotification } from '../parse.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import type { SentBody } from './body.js';
import { CUT } from './endpoint.js';
import { paint, type Terminal, wrap } from './terminal.js';

/** What came of everything that was sent. */
export interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Null for several events, or a body that a handler should refuse. */
  readonly idempotencyKey: string | null;
  /** Refused are those that were answered, but not with success. */
  readonly faulty: { readonly of: number; readonly refused: number };
}

/** How much of an answer is shown, in characters. */
const MAX_SHOWN = 200;

/** A warning of a body that a handler should refuse. */
export function warningOf({ label, body }: SentBody, terminal: Terminal): string[] {
  const { success, error } = safeParseNotification(body);
  if (success) return [];
  const text = `A handler should refuse ${label || 'this body'}: ${error.message}`;
  return wrap(text, terminal.columns).map((line) => paint(terminal, 'yellow', line));
}

/** The lines about an attempt. */
export function linesOf(sent: SentBody, attempt: DeliveryAttempt, terminal: Terminal): string[] {
  const { success, answer, copy, number } = attempt;
  const isGood = sent.code === undefined ? success : answer !== null && !success;
  const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const body = answer?.body ?? '';
  const note = body.endsWith(CUT) ? CUT : '';
  const start = body.slice(0, body.length - note.length).trim();
  const shown = escapeUnprintable(start.slice(0, MAX_SHOWN));
  const end = start.length > MAX_SHOWN ? '…' : '';
  const text = [outcomeOf(attempt), sent.label, ...counts, shown + end + note];
  const lines = wrap(text.filter(Boolean).join('  '), terminal.columns - 4);
  return lines.map((line, index) => (index === 0 ? `  ${mark} ` : '    ') + line);
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
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
  const isOne = of > 1 && idempotencyKey !== null;
  const hint = `These are all one event: credit or debit it once, as ${idempotencyKey}.`;
  return [
    `${interrupted ? 'Interrupted: ' : ''}${result(delivered, of, 'delivered')}` +
      ` in ${prettyMs(durationMs)}${tries}`,
    ...(faulty.of === 0 ? [] : [result(faulty.refused, faulty.of, 'faulty bodies refused')]),
    ...(isOne ? wrap(hint, terminal.columns) : []),
  ];
}
