import type { Judgement } from '../inspect/judgement.js';
import type { IssueCode } from '../parser/errors.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import { format, highlight, paint, shorten, type Terminal, wrap } from './terminal.js';

export interface SentBody {
  /** Identifies the body in the output; empty if it is the only one. */
  readonly label: string;
  readonly body: string | Uint8Array;
  /** The code that a faulty body should be refused with. */
  readonly code?: IssueCode;
  /** Whether it is one of several in a file. */
  readonly isPart?: boolean;
}

export interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  /** Null if the bodies are several events, or if a handler should refuse one. */
  readonly idempotencyKey: string | null;
  /** `refused` counts the faulty bodies that were answered with neither success nor 500 or more. */
  readonly faulty: { readonly of: number; readonly refused: number };
  /** Lines of files without a body. */
  readonly others: number;
  readonly firstOther: string | null;
}

/** Maximum length of a displayed answer, in characters. */
const MAX_ANSWER = 200;

/** Warns that a handler should refuse this body. */
export function warningOf(label: string, { issues }: Judgement, terminal: Terminal): string[] {
  if (issues.length === 0) return [];
  const faults = issues.map(({ message }) => message).join('; ');
  const text = `A handler should refuse ${label || 'this body'}: ${faults}`;
  return highlight(terminal, 'yellow', text);
}

/**
 * Names the likely cause if the only faulty bodies that were accepted are valid once they are
 * decoded and parsed.
 */
export function causeOf(accepted: readonly SentBody[], terminal: Terminal): string[] {
  const isParsed = ({ code, body }: SentBody): boolean =>
    code === 'body_too_large' || typeof body !== 'string' || body.startsWith('"');
  if (accepted.length === 0 || !accepted.every(isParsed)) return [];
  const cause = 'Likely cause: middleware decodes or parses the body. Pass the raw bytes.';
  return highlight(terminal, 'yellow', cause);
}

/** Whether a faulty body was refused, neither accepted nor lost to an error. */
export const isRefused = ({ success, answer }: DeliveryAttempt): boolean =>
  !success && (answer?.status ?? 500) < 500;

export function linesOf(sent: SentBody, attempt: DeliveryAttempt, terminal: Terminal): string[] {
  const { success, answer, copy, number } = attempt;
  const isGood = sent.code === undefined ? success : isRefused(attempt);
  const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const counts = [copy > 1 ? `copy ${copy}` : '', number > 1 ? `attempt ${number}` : ''];
  const shown = shorten(answer?.body.trim() ?? '', MAX_ANSWER);
  const text = [outcomeOf(attempt), sent.label, ...counts, shown];
  const lines = wrap(text.filter(Boolean).join('  '), terminal.columns - 4);
  return lines.map((line, index) => (index === 0 ? `  ${mark} ` : '    ') + line);
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) {
    const hint = answer.status === 404 ? " (is the URL's secret right?)" : '';
    return `${answer.status} in ${format.duration(durationMs)}${hint}`;
  }
  return `failed: ${shorten(error, MAX_ANSWER)}`;
}

export function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { delivered, of, attempts, durationMs, faulty, idempotencyKey } = summary;
  const { others, firstOther } = summary;
  const result = (count: number, all: number, text: string): string => {
    const color = count > 0 && count === all ? 'green' : 'red';
    return paint(terminal, color, `${format.count(count)} of ${format.count(all)} ${text}`);
  };
  const interrupted = terminal.interrupt.aborted ? 'Interrupted: ' : '';
  const tries =
    attempts === of ? '' : `, ${format.count(attempts)} attempt${attempts === 1 ? '' : 's'}`;
  const time = `${format.duration(durationMs)}${tries}`;
  const lines = [`${interrupted}${result(delivered, of, 'delivered')} in ${time}`];
  if (faulty.of > 0) lines.push(result(faulty.refused, faulty.of, 'faulty bodies refused'));
  const notSent = `Not sent: lines without a body (${format.count(others)}), first ${firstOther}`;
  if (others > 0) lines.push(...wrap(notSent, terminal.columns));
  if (Math.min(of, attempts) > 1 && idempotencyKey !== null) {
    const hint = `These are all one event: credit or debit it once, as ${idempotencyKey}.`;
    lines.push(...wrap(hint, terminal.columns));
  }
  return lines;
}
