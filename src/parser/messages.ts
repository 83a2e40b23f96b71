import type { IssueCode, NotificationIssue, NotificationReference } from './errors.js';

/** Maximum length of an identifier in a reference. */
const MAX_REFERENCE = 128;

export const REFERENCE_FIELDS = [
  'depositId',
  'paymentId',
  'clientPaymentId',
  'withdrawalId',
  'clientWithdrawalId',
  'transactionId',
] as const;

/** The parts of an issue that depend on the value. */
export type Fault = Pick<NotificationIssue, 'code' | 'expected' | 'received'>;

export function issue(
  code: IssueCode,
  path: readonly string[],
  expected: string,
  received: string,
): NotificationIssue {
  const message = `${nameOfPath(path)}: expected ${expected}, received ${received}`;
  return { code, path, message, expected, received };
}

/** `txAddressOwner.name`, or `body` for an empty path. */
export function nameOfPath(path: readonly string[]): string {
  return path.length === 0 ? 'body' : path.join('.');
}

export function isNonEmpty(
  issues: readonly NotificationIssue[],
): issues is readonly [NotificationIssue, ...NotificationIssue[]] {
  return issues.length > 0;
}

/** Returns the identifiers of a body that are safe to print. */
export function referenceOf(fields: Readonly<Record<string, unknown>>): NotificationReference {
  const reference: Partial<Record<keyof NotificationReference, string>> = {};
  for (const name of REFERENCE_FIELDS) {
    const id = fields[name];
    if (typeof id !== 'string' || id === '' || id.length > MAX_REFERENCE) continue;
    if (escapeUnprintable(id) === id) reference[name] = id;
  }
  return reference;
}

/** Default maximum length of a quoted text, counted after escaping. */
const MAX_QUOTED = 40;

/**
 * Quotes a value for a message, and only names an array or object. Text is written as JSON, escaped
 * to one printable line that can't forge a line of a log, and truncated.
 *
 * @param maxLength - Maximum length of a quoted text.
 */
export function quote(value: unknown, maxLength: number = MAX_QUOTED): string {
  if (value === undefined) return 'no value';
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return quoteText(value, maxLength);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}

/**
 * Describes a value without showing it, so that no name, identifier or address gets into a message.
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

/**
 * Quotes text only if all of it looks like what the field holds. Any other text may be personal
 * data, and is only described.
 *
 * @param looksRight - Must match only short text of few kinds of characters.
 */
export function quoteIf(looksRight: RegExp, value: unknown): string {
  return typeof value !== 'string' || looksRight.test(value) ? quote(value) : describe(value);
}

/** Truncates a number literal to 40 characters. */
export function quoteLiteral(literal: string): string {
  return literal.length > MAX_QUOTED
    ? `${literal.slice(0, MAX_QUOTED)}… (${literal.length} characters)`
    : literal;
}

/** Escapes invisible characters, and those that break or reverse a line, as `\uXXXX`. */
export function escapeUnprintable(text: string): string {
  // Control and format characters, lone surrogates, line and paragraph separators, invisible
  // letters (the Hangul filler). Inline, because a constant would be compiled at every import.
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function quoteText(text: string, maxLength: number): string {
  let quoted = '';
  for (const character of text) {
    const escaped = escapeUnprintable(JSON.stringify(character).slice(1, -1));
    if (quoted.length + escaped.length > maxLength) {
      return `"${quoted}…" (${text.length} characters)`;
    }
    quoted += escaped;
  }
  return `"${quoted}"`;
}
