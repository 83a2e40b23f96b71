import * as v from 'valibot';
import { Decimal, MAX_LENGTH } from './amount.js';
import { DEPOSIT_RECEIVED_FIELDS } from './deposit-received.js';
import {
  type IssueCode,
  NotificationError,
  type NotificationIssue,
  type NotificationType,
} from './errors.js';
import { openBody, toBytes } from './internal/body.js';
import {
  type Fields,
  ownProperties,
  type ReadContext,
  withoutPrototype,
} from './internal/fields.js';
import {
  describe,
  escapeUnprintable,
  isNonEmpty,
  issue,
  quote,
  referenceOf,
} from './internal/issues.js';
import type { FieldTable } from './internal/rules.js';
import { OWN_CONFIG } from './internal/schemas.js';
import { type PaymentNotification, readNotification } from './notification.js';
import {
  type TxAddressOwner,
  WITHDRAWAL_BROADCAST_FIELDS,
  type WithdrawalBroadcast,
} from './withdrawal-broadcast.js';

/** Longest JSON of a notification, in bytes: some numbers take five times the space that they took on the wire. */
const MAX_JSON_BYTES = 1024 * 1024;

/** Longest amount in plain digits: a sign, a point, 78 zeros and 78 digits. */
const MAX_PLAIN = 160;
/** The only amounts whose plain digits can exceed the 128 characters of a literal are those below 1. */
const BELOW_ONE = /^-?0\.\d+$/;
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
export function notificationFromJSON(json: unknown): PaymentNotification {
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
  // What was missing or unreadable on the wire is null in the JSON, which has the original warnings, too.
  context.issues.push(...findLost(notification, fields, context));
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
    const issues = [issue('not_an_object', [], 'the JSON of a notification', received)] as const;
    throw new NotificationError({ notificationType: null, issues, cause });
  }
}

/** The fields of a notification's JSON, as the reader of a body expects them. */
function flatten(notificationType: NotificationType, json: Fields): Fields {
  const { type, additionalFields, warnings, ...rest } = json;
  const fields: Record<string, unknown> = withoutPrototype(rest);
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

/** With an exponent, an amount is never longer than a literal may be. */
function toShortLiteral(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MAX_LENGTH) return value;
  const isPlain = value.length <= MAX_PLAIN && BELOW_ONE.test(value);
  return isPlain ? new Decimal(value).toExponential() : value;
}

/** An issue for each field whose value in the JSON was not read. */
function findLost(
  notification: PaymentNotification,
  json: Fields,
  { issues, warnings }: ReadContext,
): readonly NotificationIssue[] {
  const noted = warnings.filter(({ code }) => code !== 'missing_field');
  const isNoted = (name: string) => [...issues, ...noted].some(({ path }) => path[0] === name);
  const lost = Object.entries(notification)
    .filter(([name, value]) => value === null && json[name] !== null && !isNoted(name))
    .map(([name]) => issue('missing_field', [name], 'a value or null', describe(json[name])));
  return [...noted, ...lost];
}

/** Adds `additionalFields` and `warnings`. What is wrong with them goes into the issues. */
function restore(
  notification: PaymentNotification,
  json: Fields,
  issues: NotificationIssue[],
): PaymentNotification {
  const rest = {
    additionalFields: {
      ...notification.additionalFields,
      ...readAdditional(['additionalFields'], json.additionalFields, issues),
    },
    warnings: readWarnings(json.warnings, issues),
  };
  if (notification.type === 'deposit.received') return { ...notification, ...rest };

  checkAddress(notification, json.toTxAddress, issues);
  const txAddressOwner = restoreOwner(notification.txAddressOwner, json.txAddressOwner, issues);
  return { ...notification, txAddressOwner, ...rest };
}

function restoreOwner(
  owner: TxAddressOwner,
  value: unknown,
  issues: NotificationIssue[],
): TxAddressOwner {
  const json = ownProperties(value);
  if (json === null) {
    const isKnown = issues.some(({ path }) => path[0] === 'txAddressOwner');
    if (!isKnown) issues.push(issue('wrong_type', ['txAddressOwner'], 'an object', quote(value)));
    return owner;
  }
  for (const name of ['name', 'category']) {
    if (json[name] !== undefined) continue;
    issues.push(issue('missing_field', ['txAddressOwner', name], 'a value or null', 'nothing'));
  }
  const path = ['txAddressOwner', 'additionalFields'];
  const additional = readAdditional(path, json.additionalFields, issues);
  return { ...owner, additionalFields: { ...owner.additionalFields, ...additional } };
}

function readAdditional(path: string[], value: unknown, issues: NotificationIssue[]): Fields {
  const fields = ownProperties(value);
  if (fields === null) issues.push(issue('wrong_type', path, 'an object', quote(value)));
  return { ...fields };
}

function readWarnings(value: unknown, issues: NotificationIssue[]): readonly NotificationIssue[] {
  // Stops at the first that is not a warning: the list may be long.
  const { success, output } = v.safeParse(WarningsSchema, value, {
    ...OWN_CONFIG,
    abortEarly: true,
  });
  if (success) {
    return output.map(({ code, path, expected, received }) =>
      issue(code, path, expected, received),
    );
  }
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', quote(value)));
  return [];
}

/** An address that was split must still have the parts that its original value has. */
function checkAddress(
  { toTxAddress }: WithdrawalBroadcast,
  json: unknown,
  issues: NotificationIssue[],
): void {
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
  issues: readonly [NotificationIssue, ...NotificationIssue[]],
): NotificationError {
  return new NotificationError({ notificationType, issues, reference: referenceOf(fields) });
}
