// What must hold for every body, whatever it is.
import { isDeepStrictEqual } from 'node:util';
import { Decimal as HostDecimal } from 'decimal.js';
import { isLosslessNumber, parse as parseLosslessly } from 'lossless-json';
import {
  Decimal,
  isNotificationError,
  NotificationError,
  notificationFromJSON,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { ISSUE_CODES } from '../fixtures.js';
import { LAST_ONE_COUNTS } from './texts.js';

/**
 * @import { FieldTable } from '../../scripts/schemas/tables.js'
 * @import { BodyParser, NotificationIssue, PaymentNotification, RawBody } from 'payment-notifications'
 *
 * @typedef {typeof import('../../scripts/schemas/tables.js')} Tables The rules of the fields.
 * @typedef {(body: unknown, again: unknown, parser: number) => string | null} Examine
 * @typedef {Record<string, any>} Fields
 */

const PARSERS = /** @type {const} */ ([
  { safeParse: safeParseNotification, parse: parseNotification },
  { safeParse: safeParseDepositReceived, parse: parseDepositReceived },
  { safeParse: safeParseWithdrawalBroadcast, parse: parseWithdrawalBroadcast },
]);

/** The parsers by number, as {@link createExamine} takes them. */
export const PARSER_COUNT = PARSERS.length;

/** The documentation has two spellings of one name; this one is no field of the output. */
const OTHER_SPELLING = 'deducedSettlementAmount';
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/u;
const MAX_MESSAGE = 300;

/**
 * @param {Tables} tables
 * @returns {Examine} Parses a body, and once more the same body made again, with one of the parsers; says
 * what is wrong with the outcome, or null.
 */
export function createExamine(tables) {
  return (body, again, parser) => {
    const { safeParse, parse } = PARSERS[parser] ?? PARSERS[0];
    const { success, notification, error } = safeParse(/** @type {RawBody} */ (body));
    const json = stringify(notification ?? error);
    if (stringify(parseOrCatch(parse, again)) !== json) return 'came out differently again';
    if (!success) return errorFault(error, json);
    return (
      shapeFault(tables, notification) ??
      lossFault(tables, body, notification) ??
      roundTripFault(notification, json)
    );
  };
}

/**
 * @param {BodyParser<PaymentNotification>} parse
 * @param {unknown} body
 */
function parseOrCatch(parse, body) {
  try {
    return parse(/** @type {RawBody} */ (body));
  } catch (error) {
    if (!isNotificationError(error)) throw error;
    return error;
  }
}

/**
 * An outcome as JSON. Only the unknown fields of an object hold what has none: a cycle, a BigInt, a getter
 * that throws.
 *
 * @param {PaymentNotification | NotificationError} outcome
 * @returns {string | null}
 */
function stringify(outcome) {
  try {
    return JSON.stringify(outcome);
  } catch {
    return null;
  }
}

/**
 * Whether a notification is what its type declares.
 *
 * @param {Tables} tables
 * @param {Fields} notification
 */
function shapeFault(tables, notification) {
  const { type, status, additionalFields, warnings, ...fields } = notification;
  const { [OTHER_SPELLING]: _, ...table } = tableOf(tables, notification);
  if (Object.keys({ status, ...fields }).join() !== Object.keys(table).join()) {
    return 'has other fields than declared';
  }
  if (!isFields(additionalFields)) return 'has no additionalFields';
  if (!Array.isArray(warnings)) return 'has no warnings';
  const fault = fieldsFault(table, notification, status) ?? issuesFault(warnings);
  if (fault !== null || type === 'deposit.received') return fault;

  const { additionalFields: others, ...owner } = fields.txAddressOwner;
  if (!isFields(others)) return 'has an owner without additionalFields';
  const ownerTable = tables.TX_ADDRESS_OWNER_FIELDS;
  if (Object.keys(owner).join() !== Object.keys(ownerTable).join()) return 'has another owner';
  return fieldsFault(ownerTable, owner, status);
}

/**
 * @param {FieldTable} table
 * @param {Fields} fields
 * @param {string} status
 */
function fieldsFault(table, fields, status) {
  for (const { name, need, kind, type } of Object.values(table)) {
    const value = fields[name];
    if (
      value === null &&
      (need !== 'required' || (name === 'toTxAddress' && isNotCompleted(status)))
    ) {
      continue;
    }
    if (!IS[kind]?.(value)) return `has a ${name} that is not of its type`;
    // Each value in the form of the wire must be one that its own rule accepts.
    if (type.read(toWire(value)) === null) return `has a ${name} against its rule`;
  }
  return null;
}

/** @param {string} status */
function isNotCompleted(status) {
  return status === 'FAILED' || status === 'BLOCKED';
}

/** @param {any} value */
function toWire(value) {
  if (value instanceof Decimal) return value.toString();
  return value instanceof Date ? value.toISOString() : (value.raw ?? value);
}

/** @type {Record<string, (value: any) => boolean>} The outputs of the kinds of fields. */
const IS = {
  text: (value) => typeof value === 'string',
  id: (value) => typeof value === 'string',
  enum: (value) => typeof value === 'string',
  amount: (value) =>
    value instanceof Decimal &&
    value.isFinite() &&
    !(value.isZero() && value.isNegative()) &&
    value.precision() <= 78 &&
    Math.abs(value.e) <= 78 &&
    /^-?\d+(\.\d+)?$/.test(value.toString()),
  timestamp: (value) => value instanceof Date && value.getTime() >= 0,
  address: ({ raw, address, destinationTag }) =>
    address !== '' &&
    destinationTag !== '' &&
    (destinationTag === null ? [address, `${address}?dt=`] : [`${address}?dt=${destinationTag}`])
      // Without a mark, or with the first one behind the address.
      .includes(raw) &&
    !address.includes('?dt='),
  object: isFields,
};

/** @param {unknown} value */
function isFields(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether everything that was in a text can still be found, and every amount to the digit.
 *
 * @param {Tables} tables
 * @param {unknown} body
 * @param {Fields} notification
 */
function lossFault(tables, body, notification) {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return null;
  const text = body.toString().replace(/^\ufeff/, '');
  /** @type {Fields} */
  const exact = /** @type {any} */ (parseLosslessly(text, undefined, LAST_ONE_COUNTS));
  const table = tableOf(tables, notification);
  const { additionalFields } = notification;
  for (const [name, value] of Object.entries(JSON.parse(text))) {
    const { kind } = (Object.hasOwn(table, name) && table[name]) || {};
    if (Object.hasOwn(additionalFields, name)) {
      if (!isDeepStrictEqual(additionalFields[name], value)) return `has changed its ${name}`;
      // An unreadable spelling may stand beside one that was read, and an owner is never null.
      const mayStandTwice = name.endsWith('SettlementAmount') || kind === 'object';
      if (kind && !mayStandTwice && notification[name] !== null) return `has its ${name} twice`;
    } else if (kind === undefined) {
      return `has lost its ${name}`;
    } else if (value !== null && value !== '' && name !== OTHER_SPELLING) {
      if (notification[name] === null) return `has lost the value of ${name}`;
      const sent = isLosslessNumber(exact[name]) ? exact[name].toString() : value;
      if (kind === 'amount' && !new HostDecimal(sent).equals(notification[name])) {
        return `has another ${name}`;
      }
    }
  }
  return null;
}

/**
 * Whether a notification is the same after a way through JSON, but for what JSON makes of unknown fields: it
 * holds no -0, no Infinity, no function.
 *
 * @param {Fields} notification
 * @param {string | null} json
 */
function roundTripFault(notification, json) {
  if (json === null) return null;
  const { txAddressOwner: owner, additionalFields } = JSON.parse(json);
  // One of them was named toJSON.
  if (!isFields(additionalFields) || (owner && !isFields(owner.additionalFields))) return null;
  const expected = {
    ...notification,
    ...(owner && {
      txAddressOwner: {
        ...notification.txAddressOwner,
        additionalFields: owner.additionalFields,
      },
    }),
    additionalFields,
  };
  for (const form of [json, JSON.parse(json)]) {
    const copy = notificationFromJSON(form);
    if (!isDeepStrictEqual(copy, expected)) return 'is not the same after JSON';
    if (JSON.stringify(copy) !== json) return 'has another JSON after JSON';
  }
  return null;
}

/**
 * @param {NotificationError} error
 * @param {string | null} json
 * @returns {string | null}
 */
function errorFault(error, json) {
  if (!(error instanceof NotificationError)) return 'failed with another error';
  if (error.issues.length === 0) return 'was refused without an issue';
  if (UNPRINTABLE.test(error.message)) return 'has an unprintable error message';
  if (json === null || UNPRINTABLE.test(json)) return 'has an unprintable toJSON()';
  const ids = Object.values(error.reference);
  if (!ids.every((id) => typeof id === 'string' && id !== '' && id.length <= 128)) {
    return 'has an odd reference';
  }
  return issuesFault(error.issues);
}

/**
 * @param {readonly NotificationIssue[]} issues
 * @returns {string | null}
 */
function issuesFault(issues) {
  for (const { code, path, message, expected, received } of issues) {
    if (!ISSUE_CODES.includes(code)) return `has the code ${code}`;
    if (!path.every((name) => typeof name === 'string')) return 'has an odd path';
    if (message !== `${path.join('.') || 'body'}: expected ${expected}, received ${received}`) {
      return `has the message ${message}`;
    }
    if (message.length > MAX_MESSAGE) return `has a message of ${message.length} characters`;
    if (UNPRINTABLE.test(message)) return 'has an unprintable message';
  }
  return null;
}

/**
 * @param {Tables} tables
 * @param {Fields} notification
 */
function tableOf(tables, { type }) {
  return type === 'deposit.received'
    ? tables.DEPOSIT_RECEIVED_FIELDS
    : tables.WITHDRAWAL_BROADCAST_FIELDS;
}
