import * as v from 'valibot';
import { type Issue, type IssueCode, NotificationError, type NotificationType } from './errors.js';
import { openBody } from './internal/body.js';
import {
  type Fields,
  ownProperties,
  type ReadContext,
  withoutInherited,
} from './internal/fields.js';
import { describe, isNonEmpty, issue, quote, referenceOf } from './internal/issues.js';
import { type Notification, readNotification } from './notification.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

/** Longest JSON of a notification, in bytes: some numbers take five times the space that they took on the wire. */
const MAX_JSON_BYTES = 1024 * 1024;

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

const WarningsSchema: v.GenericSchema<unknown, Issue[]> = /* @__PURE__ */ v.array(
  /* @__PURE__ */ v.object({
    code: /* @__PURE__ */ v.picklist(/* @__PURE__ */ Object.values(CODES)),
    path: /* @__PURE__ */ v.array(/* @__PURE__ */ v.string()),
    message: /* @__PURE__ */ v.string(),
    expected: /* @__PURE__ */ v.string(),
    received: /* @__PURE__ */ v.string(),
  }),
);

/**
 * The inverse of `JSON.stringify(notification)`, for a notification that travelled through a queue or a
 * JSONB column. Every field is checked again by the rules of the parser.
 *
 * @param json - The JSON of a notification, as text, bytes, or parsed.
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
  const context = openBody(isRaw(json) ? json : stringify(json), MAX_JSON_BYTES);
  if (!('fields' in context)) throw new NotificationError({ notificationType: null, ...context });

  const { fields } = context;
  const { type } = fields;
  if (type !== 'deposit.received' && type !== 'withdrawal.broadcast') {
    throw refusal(null, fields, [
      issue('unrecognized_notification', ['type'], 'the type of a notification', quote(type)),
    ]);
  }
  const notification = readNotification(type, { ...context, fields: flatten(fields) });
  const restored = restore(notification, context);
  if (isNonEmpty(context.issues)) throw refusal(type, fields, context.issues);
  return restored;
}

/** The fields of a notification's JSON as they were on the wire, but for what was unknown there. */
function flatten({ type, additionalFields, warnings, ...fields }: Fields): Fields {
  const address = ownProperties(fields.toTxAddress);
  const owner = ownProperties(fields.txAddressOwner);
  return withoutInherited({
    ...fields,
    ...(address && { toTxAddress: address.raw }),
    ...(owner && { txAddressOwner: { name: owner.name, category: owner.category } }),
  });
}

/** Adds what a notification holds beside its fields. What is wrong goes into the context's issues. */
function restore(notification: Notification, context: ReadContext): Notification {
  const { fields, issues } = context;
  // A field that was unreadable on the wire is null here: it should have nothing to complain of now.
  issues.push(...context.warnings.filter(({ code }) => code !== 'missing_field'));
  const additionalFields = {
    ...notification.additionalFields,
    ...readObject(context, ['additionalFields'], fields.additionalFields),
  };
  const warnings = readWarnings(context, fields.warnings);
  if (notification.type === 'deposit.received') {
    return { ...notification, additionalFields, warnings };
  }
  checkAddress(context, notification);
  const owner = readObject(context, ['txAddressOwner'], fields.txAddressOwner);
  const path = ['txAddressOwner', 'additionalFields'];
  const txAddressOwner = {
    ...notification.txAddressOwner,
    additionalFields: { ...readObject(context, path, owner?.additionalFields) },
  };
  return { ...notification, txAddressOwner, additionalFields, warnings };
}

function readObject({ issues }: ReadContext, path: string[], value: unknown): Fields | null {
  const fields = ownProperties(value);
  if (fields === null) issues.push(issue('wrong_type', path, 'an object', quote(value)));
  return fields;
}

function readWarnings({ issues }: ReadContext, value: unknown): readonly Issue[] {
  const { success, output } = v.safeParse(WarningsSchema, value);
  if (success) return output;
  issues.push(issue('wrong_type', ['warnings'], 'a list of issues', quote(value)));
  return [];
}

/** An address that was split must still have the parts that its original value has. */
function checkAddress({ fields, issues }: ReadContext, { toTxAddress }: WithdrawalBroadcast): void {
  const { address, destinationTag } = ownProperties(fields.toTxAddress) ?? {};
  const isSplit =
    toTxAddress === null ||
    (toTxAddress.address === address && toTxAddress.destinationTag === destinationTag);
  if (isSplit) return;
  const expected = 'the raw address with its two parts';
  const received = describe(fields.toTxAddress);
  issues.push(issue('invalid_tx_address', ['toTxAddress'], expected, received));
}

function refusal(
  notificationType: NotificationType | null,
  fields: Fields,
  issues: readonly [Issue, ...Issue[]],
): NotificationError {
  return new NotificationError({ notificationType, issues, reference: referenceOf(fields) });
}

function isRaw(json: unknown): boolean {
  return typeof json === 'string' || ArrayBuffer.isView(json) || json instanceof ArrayBuffer;
}

/** What throws, e.g. for a BigInt, is no JSON of a notification. */
function stringify(json: unknown): unknown {
  try {
    return JSON.stringify(json);
  } catch {
    return json;
  }
}
