import { type IssueCode, NotificationError, type NotificationIssue } from './errors.js';
import { openBody } from './internal/body.js';
import { type Fields, ownProperties, withoutPrototype } from './internal/fields.js';
import {
  describe,
  escapeUnprintable,
  isNonEmpty,
  issue,
  quote,
  referenceOf,
} from './internal/issues.js';
import { type PaymentNotification, readNotification } from './notification.js';
import type { TxAddress } from './tx-address.js';

/** Largest JSON, in bytes. It is longer than the body: an amount of `1e78` takes 79 digits. */
const MAX_JSON_BYTES = 1024 * 1024;

/**
 * The inverse of `JSON.stringify(notification)`, for a notification that travelled through a queue or a
 * JSONB column. Every field is checked again by the rules of the parser.
 *
 * It reads JSON of other versions of this package, too. A missing key holds no value, and a required one is
 * refused. A key that this version doesn't know is in `additionalFields`. A warning's code may be one that
 * isn't in `IssueCode` yet. A value that this version doesn't know is handled as in a callback's body.
 *
 * @param json - The JSON of a notification, as text, bytes, or parsed; at most 1 MiB.
 * @returns The same notification: equal in every field, digit, date, warning and additional field.
 * @throws A {@link NotificationError} with everything that is wrong with the JSON.
 *
 * @example
 * ```ts
 * const copy = notificationFromJSON(JSON.stringify(notification));
 * copy.type; // 'deposit.received'
 * ```
 */
export function notificationFromJSON(json: unknown): PaymentNotification {
  const context = openBody(json, MAX_JSON_BYTES);
  if (context.fields === null) throw new NotificationError({ notificationType: null, ...context });

  const { type, additionalFields, warnings, ...rest } = context.fields;
  const fields = withoutPrototype(rest);
  const reference = referenceOf(fields);
  if (type !== 'deposit.received' && type !== 'withdrawal.broadcast') {
    const expected = 'the type of a notification';
    const issues = [issue('unrecognized_notification', ['type'], expected, quote(type))] as const;
    throw new NotificationError({ notificationType: null, issues, reference });
  }
  const { issues } = context;
  const address = ownProperties(fields.toTxAddress);
  const ownerJson = ownProperties(fields.txAddressOwner);
  const { additionalFields: ownerFields, ...owner } = ownerJson ?? withoutPrototype({});
  const wire = {
    ...fields,
    ...(address && { toTxAddress: address.raw ?? address }),
    ...(ownerJson && { txAddressOwner: owner }),
  };
  const read = readNotification({ ...context, fields: withoutPrototype(wire) }, type);
  // Warnings of the original reading are in the JSON already. A new one means that the JSON is faulty,
  // unless a later version wrote a value that this one doesn't know.
  const found = context.warnings.filter(({ code }) => code !== 'missing_field');
  issues.push(...found.filter(({ code }) => code !== 'unknown_value'));
  if (read.type === 'withdrawal.broadcast' && isContradictory(read.toTxAddress, address)) {
    const expected = 'the raw address with its two parts';
    issues.push(issue('invalid_tx_address', ['toTxAddress'], expected, describe(address)));
  }

  const notification = {
    ...withAdditional(read, additionalFields, [], issues),
    ...(read.type === 'withdrawal.broadcast' && {
      txAddressOwner:
        read.txAddressOwner &&
        withAdditional(read.txAddressOwner, ownerFields, ['txAddressOwner'], issues),
    }),
    warnings: [...readWarnings(warnings, issues), ...found],
  };
  if (!isNonEmpty(issues)) return notification;
  throw new NotificationError({ notificationType: type, issues, reference });
}

/** Whether the JSON of an address has other parts than its raw value, which is the one that counts. */
function isContradictory(read: TxAddress | null, json: Fields | null): boolean {
  return Object.entries({ ...read }).some(
    ([part, text]) => json?.[part] !== undefined && json[part] !== text,
  );
}

/** The object with the additional fields of its JSON, and those that were found while it was read. */
function withAdditional<T extends { readonly additionalFields: Fields }>(
  read: T,
  json: unknown,
  path: readonly string[],
  issues: NotificationIssue[],
): T {
  const fields = ownProperties(json ?? {});
  if (fields === null) {
    issues.push(issue('wrong_type', [...path, 'additionalFields'], 'an object', quote(json)));
  }
  return { ...read, additionalFields: { ...fields, ...read.additionalFields } };
}

function readWarnings(json: unknown, issues: NotificationIssue[]): NotificationIssue[] {
  const read = ownItems(json ?? [])?.map(readWarning) ?? [null];
  if (read.every((warning) => warning !== null)) return read;
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', quote(json)));
  return [];
}

function readWarning(json: unknown): NotificationIssue | null {
  const { code, path, expected, received } = ownProperties(json) ?? {};
  const names = ownItems(path);
  if (names === null) return null;
  const texts = [code, expected, received, ...names];
  if (!texts.every((text) => typeof text === 'string')) return null;
  const line = (text: unknown): string => escapeUnprintable(String(text));
  // A later version may have more codes.
  return issue(line(code) as IssueCode, names.map(line), line(expected), line(received));
}

/** A list's own items; null if the value is not a list, or throws when it is read. */
function ownItems(value: unknown): unknown[] | null {
  try {
    return Array.isArray(value) ? [...value] : null;
  } catch {
    return null;
  }
}
