import { escapeUnprintable } from '../internal/issues.js';
import { idempotencyKey } from '../notification.js';
import { safeParseNotification } from '../parse.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import { cut, paint, type Terminal, wrap } from './terminal.js';
import { formatDuration } from './usage.js';

/** What came of everything that was sent. */
export interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Null for a body that a handler should refuse. */
  readonly idempotencyKey: string | null;
}

/** Where deliveries are reported as they happen. */
export interface Report {
  begin(url: string, body: string): void;
  attempt(label: string, attempt: DeliveryAttempt): void;
  end(outcome: SendSummary): void;
}

/** The key of a body's event; null for a body that is invalid. */
export function eventKeyOf(body: string): string | null {
  const result = safeParseNotification(body);
  return result.success ? idempotencyKey(result.notification) : null;
}

/** A line of JSON for each answer, and one for the outcome. */
export function jsonReport({ print }: Terminal): Report {
  const line = (data: object): void => print(`${JSON.stringify(data)}\n`);
  return {
    begin: () => {},
    attempt: (variant, attempt) => line(variant === '' ? attempt : { variant, ...attempt }),
    end: line,
  };
}

export const INDENT = '  ';
/** Longest answer that is shown where the width of the terminal sets no limit. */
const MAX_ANSWER = 200;

/** Lines for people. */
export function textReport(terminal: Terminal): Report {
  const line = (text: string): void => terminal.print(`${text}\n`);
  return {
    begin(url, body) {
      line(`POST ${url}`);
      const result = safeParseNotification(body);
      if (result.success) return;
      const [first, ...others] = result.error.issues.map(({ message }) => message);
      const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
      const note = `This body is invalid, a handler should refuse it: ${first}${more}`;
      for (const part of wrap(note, terminal.columns)) line(paint(terminal, 'yellow', part));
    },
    attempt(label, attempt) {
      const { success, answer } = attempt;
      const mark = success ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
      const parts = [outcomeOf(attempt), label, ...countsOf(attempt)].filter(Boolean);
      const room = Math.min(terminal.columns - INDENT.length * 2, MAX_ANSWER);
      const start = parts.join('  ');
      const body = escapeUnprintable(answer?.body.trim() ?? '');
      const text = cut(body === '' ? start : `${start}  ${body}`, room);
      line(
        `${INDENT}${mark} ${text.slice(0, start.length)}${paint(terminal, 'dim', text.slice(start.length))}`,
      );
    },
    end(outcome) {
      line(summary(outcome, terminal));
      const { of, idempotencyKey: key } = outcome;
      if (of === 1 || key === null) return;
      const advice = `These are all one event: credit or debit it once, as ${key}.`;
      for (const part of wrap(advice, terminal.columns)) line(part);
    },
  };
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) return `${answer.status} in ${formatDuration(durationMs)}`;
  const hint = error.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `no answer: ${escapeUnprintable(error)}${hint}`;
}

function countsOf({ copy, number }: DeliveryAttempt): string[] {
  return [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
}

function summary(outcome: SendSummary, terminal: Terminal): string {
  const { delivered, of, attempts, durationMs, interrupted } = outcome;
  const counts = `${delivered} of ${of} delivered`;
  const text = paint(terminal, delivered === of ? 'green' : 'red', counts);
  const tries = attempts === of ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return `${interrupted ? 'Interrupted: ' : ''}${text} in ${formatDuration(durationMs)}${tries}`;
}
