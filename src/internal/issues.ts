import type { IssueCode, NotificationIssue, NotificationReference } from '../errors.js';

/** Longest quotation of a received value, in characters as they are printed. */
const MAX_QUOTED = 40;
/** Longest identifier that goes into a reference, in characters. */
const MAX_REFERENCE = 128;

export const REFERENCE_FIELDS = [
  'depositId',
  'paymentId',
  'clientPaymentId',
  'withdrawalId',
  'clientWithdrawalId',
  'transactionId',
] as const;

/** A value's fault, in the words of a message. */
export type Fault = Pick<NotificationIssue, 'code' | 'expected' | 'received'>;

/** An issue with its sentence. */
export function issue(
  code: IssueCode,
  path: readonly string[],
  expected: string,
  received: string,
): NotificationIssue {
  const message = `${nameOfPath(path)}: expected ${expected}, received ${received}`;
  return { code, path, message, expected, received };
}

/** The field that a path leads to, as it is printed; an empty path is the body itself. */
export function nameOfPath(path: readonly string[]): string {
  return path.length === 0 ? 'body' : path.join('.');
}

/** Whether there is an issue: an error has at least one. */
export function isNonEmpty(
  issues: readonly NotificationIssue[],
): issues is readonly [NotificationIssue, ...NotificationIssue[]] {
  return issues.length > 0;
}

/**
 * A value as a message may show it: its JSON, escaped so that it stays one printable line and can't
 * forge a line of a log, and cut at 40 characters so that it can't flood one.
 */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return quoteText(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'object') return isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}

/**
 * The kind of a received value, without the value: for names, identifiers and addresses, which a log
 * shows only as the error's reference.
 */
export function describe(value: unknown): string {
  if (typeof value === 'string' && value !== '') {
    const fault = value.isWellFormed() ? '' : ' with a lone surrogate';
    return `a string of length ${value.length}${fault}`;
  }
  return typeof value === 'number' || typeof value === 'boolean'
    ? `a ${typeof value}`
    : quote(value);
}

/** A number literal, cut at 40 characters. */
export function quoteLiteral(literal: string): string {
  return literal.length > MAX_QUOTED
    ? `${literal.slice(0, MAX_QUOTED)}… (${literal.length} characters)`
    : literal;
}

/** Text with every character that prints nothing, or prints elsewhere, as its `\u` escape. */
export function escapeUnprintable(text: string): string {
  // Most text needs no escapes, and the expression below takes three times as long to find that out.
  if (/^[ -~]*$/.test(text)) return text;
  // Controls, formatting (bidirectional overrides among it), lone surrogates, line and paragraph
  // separators, letters that are drawn as nothing (the Hangul filler). Inline, because a constant would be
  // compiled at every import, and only a faulty body needs it.
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The identifiers of a body that are fit to be printed. */
export function referenceOf(fields: Readonly<Record<string, unknown>>): NotificationReference {
  const reference: Partial<Record<keyof NotificationReference, string>> = {};
  for (const name of REFERENCE_FIELDS) {
    const id = fields[name];
    if (typeof id !== 'string' || id === '' || id.length > MAX_REFERENCE) continue;
    if (escapeUnprintable(id) === id) reference[name] = id;
  }
  return reference;
}

/** `Array.isArray`, but a revoked proxy inside a parsed body doesn't make it throw. */
export function isArray(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function quoteText(text: string): string {
  // Most text needs neither cutting nor escapes.
  if (text.length <= MAX_QUOTED && /^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = '';
  for (const character of text) {
    const escaped = escapeUnprintable(JSON.stringify(character).slice(1, -1));
    if (quoted.length + escaped.length > MAX_QUOTED) {
      return `"${quoted}…" (${text.length} characters)`;
    }
    quoted += escaped;
  }
  return `"${quoted}"`;
}
