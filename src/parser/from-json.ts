import { openBody } from './body.js';
import { type IssueCode, NotificationError, type NotificationIssue } from './errors.js';
import {
  describe,
  escapeUnprintable,
  isNonEmpty,
  issue,
  quoteIf,
  referenceOf,
} from './messages.js';
import { type PaymentNotification, readNotification } from './notification.js';
import { type Fields, fieldsOf, withoutPrototype } from './objects.js';
import { pickFields } from './read.js';
import type { TxAddress } from './values/tx-address.js';

/**
 * Maximum size in bytes. A notification's JSON is longer than its body: `1e78` becomes 79 digits.
 */
const MAX_JSON_BYTES = 1024 * 1024;

/**
 * Restores a notification from its JSON, for example from a queue or a JSONB column. Every field
 * is validated again.
 *
 * It also reads JSON written by other versions of this package. A missing key becomes null, or is
 * refused if the field is required. Unknown keys are kept in `additionalFields`, and unknown
 * values treated as in a callback body. A warning may have a code that is not in `IssueCode`.
 *
 * @param json - JSON as text or bytes (at most 1 MiB), or the object parsed from it.
 * @returns A notification that equals the original.
 * @throws A {@link NotificationError} that lists every fault.
 *
 * @example
 * ```ts
 * const copy = notificationFromJSON(JSON.stringify(notification));
 * copy.type; // 'deposit.received'
 * ```
 */
export function notificationFromJSON(json: unknown): PaymentNotification {
  const opened = openBody(json, MAX_JSON_BYTES);
  if (opened.fields === null) throw new NotificationError({ notificationType: null, ...opened });

  const { type, additionalFields, warnings, ...rest } = opened.fields;
  const fields = withoutPrototype(rest);
  const reference = referenceOf(fields);
  if (type !== 'deposit.received' && type !== 'withdrawal.broadcast') {
    const expected = 'the type of a notification';
    const received = `${quoteIf(/^[a-z]{1,20}\.[a-z]{1,20}$/, type)}. Parse the body of a callback with parseNotification`;
    const issues = [issue('unrecognized_notification', ['type'], expected, received)] as const;
    throw new NotificationError({ notificationType: null, issues, reference });
  }
  // A later version may add fields of these names to a deposit. Here, they are unknown ones.
  const isWithdrawal = type === 'withdrawal.broadcast';
  const address = isWithdrawal ? fieldsOf(fields.toTxAddress) : null;
  if (address !== null) fields.toTxAddress = address.raw ?? address;
  const ownerJson = isWithdrawal ? fieldsOf(fields.txAddressOwner) : null;
  const { additionalFields: ownerFields, ...owner } = ownerJson ?? withoutPrototype({});
  if (ownerJson !== null) fields.txAddressOwner = owner;
  const { notification: read, issues: refusals } = readNotification({ ...opened, fields }, type);
  // The JSON has the warnings about missing fields and about an address that was read, so they
  // don't count again. Any other one means that the JSON is faulty, except for an unknown value,
  // which a later version may have written.
  const hasAddress = read.type === 'withdrawal.broadcast' && read.toTxAddress !== null;
  const original = ['missing_field', ...(hasAddress ? ['invalid_tx_address'] : [])];
  const found = read.warnings.filter(({ code }) => !original.includes(code));
  const issues = [...refusals, ...found.filter(({ code }) => code !== 'unknown_value')];
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
  // Without an issue, no required field is null.
  if (!isNonEmpty(issues)) return notification as PaymentNotification;
  throw new NotificationError({ notificationType: type, issues, reference });
}

/** Whether `address` or `destinationTag` in the JSON is not what `raw` is split into. */
function isContradictory(read: TxAddress | null, json: Fields | null): boolean {
  return Object.entries({ ...read }).some(
    ([part, text]) => json?.[part] !== undefined && json[part] !== text,
  );
}

/** Merges the additional fields stored in the JSON with those found while reading it. */
function withAdditional<T extends { readonly additionalFields: Fields }>(
  read: T,
  json: unknown,
  path: readonly string[],
  issues: NotificationIssue[],
): T {
  const place = [...path, 'additionalFields'];
  const fields = fieldsOf(json ?? {});
  if (fields === null) {
    issues.push(issue('wrong_type', place, 'an object', describe(json)));
    return read;
  }
  const stored = pickFields(fields, Object.keys(fields), place, issues);
  return { ...read, additionalFields: { ...stored, ...read.additionalFields } };
}

function readWarnings(sent: unknown, issues: NotificationIssue[]): NotificationIssue[] {
  const json = sent ?? [];
  const read = Array.isArray(json) ? json.map(readWarning) : [null];
  if (read.every((warning) => warning !== null)) return read;
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', describe(json)));
  return [];
}

function readWarning(json: unknown): NotificationIssue | null {
  const { code, path, expected, received } = fieldsOf(json) ?? {};
  if (!Array.isArray(path)) return null;
  const texts = [code, expected, received, ...path];
  if (!texts.every((text) => typeof text === 'string')) return null;
  const line = (text: unknown): string => escapeUnprintable(String(text));
  // A later version may have more codes.
  return issue(line(code) as IssueCode, path.map(line), line(expected), line(received));
}
