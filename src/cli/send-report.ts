import { formatCount, plural, shorten } from '../inspect/display.js';
import { MAX_BYTES } from '../parser/body.js';
import type { NotificationIssue } from '../parser/errors.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import { formatDuration, highlight, paint, type Terminal, wrap } from './terminal.js';

export interface SentBody {
  /** Identifies the body in the output; empty if it is the only one. */
  readonly label: string;
  readonly body: string | Uint8Array;
  /** Whether it is one of the faulty bodies that follow a sample. */
  readonly isFaulty?: boolean;
  /** Whether it is a line of a file or of standard input. */
  readonly isLine?: boolean;
}

export interface SendSummary {
  /** For the bodies that should be accepted: all copies, delivered copies, and attempts. */
  readonly of: number;
  readonly delivered: number;
  readonly attempts: number;
  /** How many bodies should be refused, and how many were. */
  readonly faulty: number;
  readonly refused: number;
  readonly durationMs: number;
  /** Null if the bodies are several events, or if a handler should refuse one. */
  readonly idempotencyKey: string | null;
}

/** Maximum length of a displayed answer, and of the faults of a body, in characters. */
const MAX_ANSWER = 200;
/** Statuses for a wrong URL, wrong credentials or too many requests, whatever the body. */
const NOT_ABOUT_THE_BODY = [401, 403, 404, 405, 407, 429];

/** Whether an answer refuses a body, and doesn't report another failure. */
export function isRefusal({ status }: { readonly status: number }): boolean {
  return status >= 400 && status < 500 && !NOT_ABOUT_THE_BODY.includes(status);
}

/**
 * Names the likely cause of accepted faulty bodies: middleware, if decoding and parsing would make
 * all of them valid.
 */
export function causeOf(accepted: readonly SentBody[], terminal: Terminal): string[] {
  const isParsed = ({ body }: SentBody): boolean =>
    typeof body !== 'string' || body.length > MAX_BYTES || body.startsWith('"');
  if (accepted.length === 0 || !accepted.every(isParsed)) return [];
  const cause = 'Likely cause: middleware decodes or parses the body. Pass the raw bytes.';
  return highlight(terminal, 'yellow', cause);
}

/** @param issues - Why the body should be refused; empty if it should be accepted. */
export function linesOf(
  label: string,
  issues: readonly NotificationIssue[],
  attempt: DeliveryAttempt,
  terminal: Terminal,
): string[] {
  const { success, answer, copy, number } = attempt;
  const mark = success ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const shown = shorten(answer?.body.trim() ?? '', MAX_ANSWER);
  const text = [outcomeOf(attempt), label, refusalOf(issues, attempt), ...counts, shown];
  const lines = wrap(text.filter(Boolean).join('  '), terminal.columns - 4);
  return lines.map((line, index) => (index === 0 ? `  ${mark} ` : '    ') + line);
}

function refusalOf(
  issues: readonly NotificationIssue[],
  { success, answer }: DeliveryAttempt,
): string {
  if (issues.length === 0 || answer === null) return '';
  if (success) return 'refused, as it should be';
  if (answer.status >= 300) return '';
  const faults = issues.map(({ message }) => message).join('; ');
  return `accepted, but it should be refused: ${shorten(faults, MAX_ANSWER)}`;
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) {
    const hint = answer.status === 404 ? " (is the URL's secret right?)" : '';
    return `${answer.status} in ${formatDuration(durationMs)}${hint}`;
  }
  return `failed: ${shorten(error, MAX_ANSWER)}`;
}

export function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { of, delivered, attempts, faulty, refused, durationMs, idempotencyKey } = summary;
  const result = (count: number, all: number, text: string): string => {
    const color = count > 0 && count === all ? 'green' : 'red';
    return paint(terminal, color, `${formatCount(count)} of ${formatCount(all)} ${text}`);
  };
  const tries = attempts === of ? '' : `, ${plural(attempts, 'attempt')}`;
  const isRefused = `refused, as ${faulty === 1 ? 'it' : 'they'} should be,`;
  const results = [
    ...(of > 0 || faulty === 0 ? [result(delivered, of, 'delivered')] : []),
    ...(faulty > 0 ? [result(refused, faulty, isRefused)] : []),
  ];
  const interrupted = terminal.interrupt.aborted ? 'Interrupted: ' : '';
  const time = `in ${formatDuration(durationMs)}${tries}`;
  const lines = [`${interrupted}${results.join(', ')} ${time}`];
  if (Math.min(of, attempts) > 1 && idempotencyKey !== null) {
    const hint = `These are all one event: credit or debit it once, as ${idempotencyKey}.`;
    lines.push(...wrap(hint, terminal.columns));
  }
  return lines;
}
