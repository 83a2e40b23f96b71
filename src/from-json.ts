import * as v from 'valibot';
import { type IssueCode, NotificationError, type NotificationIssue } from './errors.js';
import { openBody } from './internal/body.js';
import { OWN_CONFIG } from './internal/field-types.js';
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

/** Largest JSON, in bytes: an amount may take five times the space that it took on the wire. */
const MAX_JSON_BYTES = 1024 * 1024;

const LineSchema = v.pipe(v.string(), v.transform(escapeUnprintable));

const WarningsSchema = v.array(
  v.object({
    // Any text: a later version may have more codes.
    code: LineSchema,
    path: v.array(LineSchema),
    expected: LineSchema,
    received: LineSchema,
  }),
);

/**
 * The inverse of `JSON.stringify(notification)`, for a notification that travelled through a queue or a
 * JSONB column. Every field is checked again by the rules of the parser.
 *
 * It reads JSON of other versions of this package, too. A key that is missing holds no value. A key that
 * this version doesn't know is in `additionalFields`. A warning's code may be one that isn't in
 * `IssueCode` yet, and a documented value that this version doesn't know costs what it costs on the wire.
 *
 * @param json - The JSON of a notification, as text, bytes, or parsed; at most 1 MiB.
 * @returns The same notification: equal in every field, digit, date, warning and additional field. Only a
 * number beyond a double's range in `additionalFields` is null, as `JSON.stringify` writes it.
 * @throws {@link NotificationError} with everything that is wrong with the JSON.
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

  const { type, additionalFields, warnings, ...fields } = context.fields;
  const reference = referenceOf(fields);
  if (type !== 'deposit.received' && type !== 'withdrawal.broadcast') {
    const expected = 'the type of a notification';
    const issues = [issue('unrecognized_notification', ['type'], expected, quote(type))] as const;
    throw new NotificationError({ notificationType: null, issues, reference });
  }
  const { issues } = context;
  const address = ownProperties(fields.toTxAddress);
  const ownerJson = ownProperties(fields.txAddressOwner);
  const { additionalFields: ownerFields, ...owner } = ownerJson ?? {};
  const wire = {
    ...fields,
    ...(address && { toTxAddress: address.raw ?? address }),
    ...(ownerJson && { txAddressOwner: owner }),
  };
  const read = readNotification(type, { ...context, fields: withoutPrototype(wire) });
  // A warning about a value on the wire is in the JSON already, and the field null. So one of this
  // reading is a fault of the JSON, unless a later version has written a value that isn't known yet.
  const isTolerated = ({ code }: NotificationIssue) => code === 'unknown_value';
  const found = context.warnings.filter(({ code }) => code !== 'missing_field');
  issues.push(...found.filter((warning) => !isTolerated(warning)));
  if (read.type === 'withdrawal.broadcast' && isContradictory(read.toTxAddress, address)) {
    const expected = 'the raw address with its two parts';
    issues.push(issue('invalid_tx_address', ['toTxAddress'], expected, describe(address)));
  }

  const notification = {
    ...withAdditional(read, additionalFields, [], issues),
    ...(read.type === 'withdrawal.broadcast' && {
      txAddressOwner: withAdditional(read.txAddressOwner, ownerFields, ['txAddressOwner'], issues),
    }),
    warnings: [...readWarnings(warnings, issues), ...found.filter(isTolerated)],
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

function readWarnings(json: unknown, issues: NotificationIssue[]): readonly NotificationIssue[] {
  const { success, output } = v.safeParse(WarningsSchema, json ?? [], OWN_CONFIG);
  if (success) return output.map((w) => issue(w.code as IssueCode, w.path, w.expected, w.received));
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', quote(json)));
  return [];
}
