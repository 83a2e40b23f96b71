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
  /** The faulty bodies: how many were sent and refused, and the labels of those that were answered with success. */
  readonly faulty: { readonly of: number; readonly refused: number; readonly accepted: string[] };
}

/** Where deliveries are reported as they happen. */
export interface Report {
  begin(url: string): void;
  body(sent: SentBody): void;
  attempt(sent: SentBody, attempt: DeliveryAttempt): void;
  end(summary: SendSummary): void;
}

/** A line of JSON for each answer, and one for the outcome. */
export function jsonReport({ print }: Terminal): Report {
  const line = (data: object): void => print(`${JSON.stringify(data)}\n`);
  return {
    begin: () => {},
    body: () => {},
    attempt: ({ label, code }, attempt) => line({ label, code, ...attempt }),
    end: line,
  };
}

export const INDENT = '  ';
/** Longest answer that is shown where the width of the terminal sets no limit. */
const MAX_ANSWER = 200;

/** Lines for people. */
export function textReport(terminal: Terminal): Report {
  const line = (text: string): void => terminal.print(`${text}\n`);
  const sentence = (text: string): void => {
    for (const part of wrap(text, terminal.columns)) line(part);
  };
  return {
    begin: (url) => line(`POST ${url}`),
    body({ label, body, code }) {
      const { issues, jsonFault } = inspectBody(body);
      const [first, ...others] = issues.map(({ message }) => message);
      if (first === undefined || code !== undefined) return;
      const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
      const place = jsonFault === null ? '' : `; ${placeOf(jsonFault)}`;
      const what = label === '' ? 'This body' : label;
      sentence(`${what} is invalid, a handler should refuse it: ${first}${more}${place}`);
    },
    attempt({ label, code }, attempt) {
      const { success, answer, copy, number } = attempt;
      const refused = answer !== null && !success;
      const isGood = code === undefined ? success : refused;
      const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
      const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
      const parts = [outcomeOf(attempt), label, ...counts].filter(Boolean);
      const room = Math.min(terminal.columns - INDENT.length * 2, MAX_ANSWER);
      const start = parts.join('  ');
      const body = escapeUnprintable(answer?.body.trim() ?? '');
      const text = cut(body === '' ? start : `${start}  ${body}`, room);
      line(
        `${INDENT}${mark} ${text.slice(0, start.length)}${paint(terminal, 'dim', text.slice(start.length))}`,
      );
    },
    end(summary) {
      const { delivered, of, attempts, durationMs, interrupted, faulty } = summary;
      const result = (isGood: boolean, text: string) =>
        paint(terminal, isGood ? 'green' : 'red', text);
      const tries = attempts === of ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`;
      const counts = result(delivered === of, `${delivered} of ${of} delivered`);
      line(
        `${interrupted ? 'Interrupted: ' : ''}${counts} in ${formatDuration(durationMs)}${tries}`,
      );
      if (faulty.of > 0) {
        const refused = `${faulty.refused} of ${faulty.of} faulty bodies refused`;
        line(result(faulty.refused === faulty.of, refused));
        if (faulty.accepted.length > 0)
          sentence(`Answered with success: ${faulty.accepted.join(', ')}.`);
      }
      if (of === 1 || summary.idempotencyKey === null) return;
      sentence(`These are all one event: credit or debit it once, as ${summary.idempotencyKey}.`);
    },
  };
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) return `${answer.status} in ${formatDuration(durationMs)}`;
  const hint = error.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `no answer: ${escapeUnprintable(error)}${hint}`;
}
