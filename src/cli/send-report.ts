import { escapeUnprintable } from '../internal/quote.js';
import { safeParseNotification } from '../parse.js';
import type { DeliveryAttempt } from '../testing/deliver.js';
import type { SentBody } from './send-bodies.js';
import { format, highlight, paint, type Terminal, wrap } from './terminal.js';

export interface SendSummary {
  readonly delivered: number;
  readonly of: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Null if the bodies are several events, or if a handler should refuse one. */
  readonly idempotencyKey: string | null;
  /** `refused` counts the faulty bodies that were answered with neither success nor 500 or more. */
  readonly faulty: { readonly of: number; readonly refused: number };
}

/** Maximum length of a displayed answer, in characters. */
const MAX_SHOWN = 200;

/** Warns that a handler should refuse this body. */
export function warningOf({ label, body }: SentBody, terminal: Terminal): string[] {
  const { success, error } = safeParseNotification(body);
  if (success) return [];
  const text = `A handler should refuse ${label || 'this body'}: ${error.message}`;
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
  const body = answer?.body.trim() ?? '';
  const end = body.length > MAX_SHOWN ? '…' : '';
  const shown = escapeUnprintable(body.slice(0, MAX_SHOWN)) + end;
  const text = [outcomeOf(attempt), sent.label, ...counts, shown];
  const lines = wrap(text.filter(Boolean).join('  '), terminal.columns - 4);
  return lines.map((line, index) => (index === 0 ? `  ${mark} ` : '    ') + line);
}

function outcomeOf({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer !== null) return `${answer.status} in ${format.duration(durationMs)}`;
  const hint = error?.includes('ECONNREFUSED') ? ' (is the server running?)' : '';
  return `failed: ${escapeUnprintable(`${error}`)}${hint}`;
}

export function endOf(summary: SendSummary, terminal: Terminal): string[] {
  const { delivered, of, attempts, durationMs, interrupted, faulty, idempotencyKey } = summary;
  const result = (count: number, all: number, text: string): string => {
    const color = count > 0 && count === all ? 'green' : 'red';
    return paint(terminal, color, `${format.count(count)} of ${format.count(all)} ${text}`);
  };
  const tries =
    attempts === of ? '' : `, ${format.count(attempts)} attempt${attempts === 1 ? '' : 's'}`;
  const isOne = Math.min(of, attempts) > 1 && idempotencyKey !== null;
  const hint = `These are all one event: credit or debit it once, as ${idempotencyKey}.`;
  return [
    `${interrupted ? 'Interrupted: ' : ''}${result(delivered, of, 'delivered')}` +
      ` in ${format.duration(durationMs)}${tries}`,
    ...(faulty.of === 0 ? [] : [result(faulty.refused, faulty.of, 'faulty bodies refused')]),
    ...(isOne ? wrap(hint, terminal.columns) : []),
  ];
}
