import * as v from 'valibot';
import { Decimal, isDecimalLiteral } from './amount.js';
import { DEPOSIT_RECEIVED_FIELDS } from './deposit-received.js';
import { type Issue, type IssueCode, NotificationError, type NotificationType } from './errors.js';
import { openBody, toBytes } from './internal/body.js';
import { type Fields, ownProperties, withoutPrototype } from './internal/fields.js';
import {
  describe,
  escapeUnprintable,
  isNonEmpty,
  issue,
  quote,
  referenceOf,
} from './internal/issues.js';
import type { FieldTable } from './internal/rules.js';
import { type Notification, readNotification } from './notification.js';
import { WITHDRAWAL_BROADCAST_FIELDS, type WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** Longest JSON of a notification, in bytes: some numbers take five times the space that they took on the wire. */
const MAX_JSON_BYTES = 1024 * 1024;

/** Longest amount in plain digits: a sign, a point, 78 zeros and 78 digits. */
const MAX_PLAIN = 160;
/** Longest text of a warning, in characters. */
const MAX_LINE = 300;

const TABLES: Readonly<Record<NotificationType, FieldTable>> = {
  'deposit.received': DEPOSIT_RECEIVED_FIELDS,
  'withdrawal.broadcast': WITHDRAWAL_BROADCAST_FIELDS,
};

/** A value per code, so that the compiler misses none. */
const CODES: Readonly<Record<IssueCode, IssueCode>> = {
  invalid_json: 'invalid_json',
  body_too_large: 'body_too_large',
  not_an_object: 'not_an_object',
  unrecognized_notification: 'unrecognized_notification',
  missing_field: 'missing_field',
  wrong_type: 'wrong_type',
  invalid_amount: 'invalid_amount',
  negative_amount: 'negative_amount',
  inexact_number: 'inexact_number',
  invalid_timestamp: 'invalid_timestamp',
  invalid_id: 'invalid_id',
  unknown_value: 'unknown_value',
  invalid_tx_address: 'invalid_tx_address',
  conflicting_fields: 'conflicting_fields',
};

/** A line of an issue: no longer than any that a parser writes, and printable. */
const LineSchema = v.pipe(v.string(), v.maxLength(MAX_LINE), v.transform(escapeUnprintable));

const WarningsSchema: v.GenericSchema<
  unknown,
  { code: IssueCode; path: string[]; expected: string; received: string }[]
> = v.array(
  v.object({
    code: v.picklist(Object.values(CODES)),
    path: v.array(LineSchema),
    expected: LineSchema,
    received: LineSchema,
  }),
);

/**
 * The inverse of `JSON.stringify(notification)`, for a notification that travelled through a queue or a
 * JSONB column. Every field is checked again by the rules of the parser.
 *
 * @param json - The JSON of a notification, as text, bytes, or parsed.
 * At most 1 MiB of it is read. What JSON itself can't hold is lost: a number beyond a double's range in
 * `additionalFields` is null there.
 * @returns The same notification: equal in every field, digit, date, warning and additional field.
 * @throws {@link NotificationError} with everything that is wrong with the JSON.
 *
 * @example
 * ```ts
 * const copy = notificationFromJSON(JSON.stringify(notification));
 * copy.type; // 'deposit.received'
 * ```
 */
export function notificationFromJSON(json: unknown): Notification {
  const context = openBody(toText(json), MAX_JSON_BYTES);
  if (context.fields === null) throw new NotificationError({ notificationType: null, ...context });

  const fields = withoutPrototype(context.fields);
  const { type } = fields;
  if (type !== 'deposit.received' && type !== 'withdrawal.broadcast') {
    throw refusal(null, fields, [
      issue('unrecognized_notification', ['type'], 'the type of a notification', quote(type)),
    ]);
  }
  const notification = readNotification(type, { ...context, fields: flatten(type, fields) });
  // What was missing or unreadable on the wire is null in the JSON, and its warnings are in there, too.
  context.issues.push(...findLost(notification, fields, context.warnings));
  const restored = restore(notification, fields, context.issues);
  if (isNonEmpty(context.issues)) throw refusal(type, fields, context.issues);
  return restored;
}

/** The text to read. What was parsed becomes text again, so that Dates and Decimals do. */
function toText(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || toBytes(json) !== null) return json;
  const { fields } = openBody(json);
  if (fields === null) return json;
  try {
    return JSON.stringify(json);
  } catch (cause) {
    // An exhausted stack is not the fault of the JSON.
    if (cause instanceof RangeError) throw cause;
    const received = 'a value that JSON can not hold';
    const fault = issue('not_an_object', [], 'the JSON of a notification', received);
    throw new NotificationError({ notificationType: null, issues: [fault], cause });
  }
}

/** The fields of a notification's JSON, as the reader of a body expects them. */
function flatten(notificationType: NotificationType, json: Fields): Fields {
  const { type, additionalFields, warnings, ...rest } = json;
  const fields: Record<string, unknown> = rest;
  const address = ownProperties(fields.toTxAddress);
  if (address !== null) fields.toTxAddress = address.raw;
  const owner = ownProperties(fields.txAddressOwner);
  if (owner !== null) {
    const { additionalFields, ...parts } = owner;
    fields.txAddressOwner = parts;
  }
  for (const { name, kind } of Object.values(TABLES[notificationType])) {
    if (kind === 'amount') fields[name] = toShortLiteral(fields[name]);
  }
  return fields;
}

/** An amount in plain digits may be longer than any literal of one may be. */
function toShortLiteral(value: unknown): unknown {
  return typeof value === 'string' && value.length <= MAX_PLAIN && isDecimalLiteral(value)
    ? new Decimal(value).toExponential()
    : value;
}

/** The fields that hold something in the JSON, but nothing in what was read of it. */
function findLost(
  notification: Notification,
  json: Fields,
  warnings: readonly Issue[],
): readonly Issue[] {
  return Object.entries(notification).flatMap(([name, value]) => {
    const noted = warnings.filter(({ path, code }) => path[0] === name && code !== 'missing_field');
    if (noted.length > 0 || value !== null || json[name] === null) return noted;
    return [issue('missing_field', [name], 'a value or null', describe(json[name]))];
  });
}

/** Adds what a notification holds beside its fields. What is wrong with that goes into the issues. */
function restore(notification: Notification, json: Fields, issues: Issue[]): Notification {
  const read = (path: string[], value: unknown) => {
    const fields = ownProperties(value);
    if (fields === null) issues.push(issue('wrong_type', path, 'an object', quote(value)));
    return { ...fields };
  };
  const rest = {
    additionalFields: {
      ...notification.additionalFields,
      ...read(['additionalFields'], json.additionalFields),
    },
    warnings: readWarnings(json.warnings, issues),
  };
  if (notification.type === 'deposit.received') return { ...notification, ...rest };

  checkAddress(notification, json.toTxAddress, issues);
  const { txAddressOwner } = notification;
  const owner = read(['txAddressOwner'], json.txAddressOwner);
  const path = ['txAddressOwner', 'additionalFields'];
  const additionalFields = {
    ...txAddressOwner.additionalFields,
    ...read(path, owner.additionalFields),
  };
  return { ...notification, txAddressOwner: { ...txAddressOwner, additionalFields }, ...rest };
}

function readWarnings(value: unknown, issues: Issue[]): readonly Issue[] {
  // Stops at the first that is not a warning: the list may be long.
  const { success, output } = v.safeParse(WarningsSchema, value, { abortEarly: true });
  if (success) {
    return output.map(({ code, path, expected, received }) =>
      issue(code, path, expected, received),
    );
  }
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', quote(value)));
  return [];
}

/** An address that was split must still have the parts that its original value has. */
function checkAddress({ toTxAddress }: WithdrawalBroadcast, json: unknown, issues: Issue[]): void {
  const { address, destinationTag } = ownProperties(json) ?? {};
  const isSplit =
    toTxAddress === null ||
    (toTxAddress.address === address && toTxAddress.destinationTag === destinationTag);
  if (isSplit) return;
  const expected = 'the raw address with its two parts';
  issues.push(issue('invalid_tx_address', ['toTxAddress'], expected, describe(json)));
}

function refusal(
  notificationType: NotificationType | null,
  fields: Fields,
  issues: readonly [Issue, ...Issue[]],
): NotificationError {
  return new NotificationError({ notificationType, issues, reference: referenceOf(fields) });
}
