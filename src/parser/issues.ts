import type { IssueCode, NotificationIssue, NotificationReference } from './errors.js';
import { escapeUnprintable } from './quote.js';

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

/** Creates an issue and its message. */
export function issue(
  code: IssueCode,
  path: readonly string[],
  expected: string,
  received: string,
): NotificationIssue {
  const message = `${nameOfPath(path)}: expected ${expected}, received ${received}`;
  return { code, path, message, expected, received };
}

/** Returns a path as messages show it: `txAddressOwner.name`, or `body` for an empty path. */
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
