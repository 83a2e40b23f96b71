// What must hold for every body, whatever it is.
import { Decimal as HostDecimal } from 'decimal.js';
import { isLosslessNumber, parse as parseLosslessly } from 'lossless-json';
import {
  Decimal,
  NotificationError,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { DEPOSIT_RECEIVED } from '../../src/parser/deposit-received.js';
import { OTHER_SPELLING } from '../../src/parser/spelling.js';
import { text } from '../../src/parser/values/text.js';
import {
  NOT_COMPLETED,
  TX_ADDRESS_OWNER,
  WITHDRAWAL_BROADCAST,
} from '../../src/parser/withdrawal-broadcast.js';
import { exactnessFault, LAST_ONE_COUNTS } from './texts.js';

/**
 * @import { NotificationIssue, RawBody } from 'payment-notifications'
 *
 * @typedef {Record<string, any>} Fields
 */

export const PARSERS = [
  safeParseNotification,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
];

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/u;
const MAX_MESSAGE = 300;

/**
 * Whether a value is one that a field of a kind has.
 *
 * @type {Record<string, (value: any, type: any) => boolean>}
 */
const IS_OF_KIND = {
  text: (value, type) => typeof value === 'string' && (value !== '' || type === text),
  id: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  enum: (value, { values }) => values.includes(value),
  amount: (value, type) =>
    value instanceof Decimal &&
    value.isFinite() &&
    !(value.isNegative() && (value.isZero() || type.read(-1) === null)),
  timestamp: (value) => value instanceof Date && value.getTime() >= 0,
  address: ({ raw, address, destinationTag: tag }) =>
    address !== '' && [`${address}?dt=${tag ?? ''}`, tag === null ? address : null].includes(raw),
  object: ({ additionalFields, ...owner }) =>
    isFields(additionalFields) && fieldsFault(owner, TX_ADDRESS_OWNER) === null,
};

/**
 * Parses a body, and once more the same body, with one of the parsers.
 *
 * @param {unknown} body
 * @param {(typeof PARSERS)[number]} safeParse
 * @returns {string | null} What is wrong with the outcome.
 */
export function examine(body, safeParse) {
  const { success, notification, error } = safeParse(/** @type {RawBody} */ (body));
  const json = JSON.stringify(notification ?? error);
  const again = safeParse(/** @type {RawBody} */ (body));
  if (JSON.stringify(again.notification ?? again.error) !== json)
    return 'came out differently again';
  if (!success) return errorFault(error, json);
  return shapeFault(notification) ?? lossFault(body, notification);
}

/**
 * Whether a notification is what its type declares.
 *
 * @param {Fields} notification
 */
function shapeFault({ type, additionalFields, warnings, ...fields }) {
  if (!isFields(additionalFields)) return 'has no additionalFields';
  const isDeposit = type === 'deposit.received';
  const isCompleted = fields.status === 'COMPLETED';
  const table = isDeposit ? DEPOSIT_RECEIVED : WITHDRAWAL_BROADCAST;
  const others = isDeposit || isCompleted ? {} : NOT_COMPLETED;
  return fieldsFault(fields, { ...table, ...others }) ?? issuesFault(warnings);
}

/**
 * @param {Fields} fields
 * @param {import('../../src/parser/rules.js').Rules} table
 * @returns {string | null}
 */
function fieldsFault(fields, table) {
  const rules = Object.entries(table);
  if (Object.keys(fields).length !== rules.length) return `has the fields ${Object.keys(fields)}`;
  for (const [name, { need, type }] of rules) {
    const value = fields[name];
    const isRight = value === null ? need !== 'required' : IS_OF_KIND[type.kind]?.(value, type);
    if (!isRight) return `has a wrong ${name}`;
  }
  return null;
}

/** @param {unknown} value */
function isFields(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether everything that was in a text can still be found, and every amount to the digit.
 *
 * @param {unknown} body
 * @param {Fields} notification
 */
function lossFault(body, notification) {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return null;
  const text = body.toString().replace(/^\ufeff/, '');
  /** @type {Fields} */
  const exact = /** @type {any} */ (parseLosslessly(text, undefined, LAST_ONE_COUNTS));
  const { type, additionalFields, warnings, ...fields } = notification;
  for (const [name, value] of Object.entries(JSON.parse(text))) {
    const isKnown =
      Object.hasOwn(fields, name) || (name === OTHER_SPELLING && 'toTxAddress' in fields);
    if (Object.hasOwn(additionalFields, name)) {
      const fault = exactnessFault(additionalFields[name], exact[name]);
      if (fault !== null) return `has changed its ${name}: ${fault}`;
      // An unreadable spelling may be there beside one that was read.
      const mayBeTwice = name.endsWith('SettlementAmount');
      if (isKnown && !mayBeTwice && fields[name] !== null) return `has its ${name} twice`;
    } else if (!isKnown) {
      return `has lost its ${name}`;
    } else if (value !== null && value !== '' && name !== OTHER_SPELLING) {
      if (fields[name] === null) return `has lost the value of ${name}`;
      const sent = isLosslessNumber(exact[name]) ? exact[name].toString() : value;
      if (fields[name] instanceof Decimal && !new HostDecimal(sent).equals(fields[name])) {
        return `has another ${name}`;
      }
    }
  }
  return null;
}

/**
 * @param {NotificationError} error
 * @param {string} json
 * @returns {string | null}
 */
function errorFault(error, json) {
  if (!(error instanceof NotificationError)) return 'failed with another error';
  if (error.issues.length === 0) return 'was refused without an issue';
  if (UNPRINTABLE.test(error.message)) return 'has an unprintable error message';
  if (UNPRINTABLE.test(json)) return 'has an unprintable toJSON()';
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
  for (const { path, message, expected, received } of issues) {
    if (!path.every((name) => typeof name === 'string')) return 'has an odd path';
    if (message !== `${path.join('.') || 'body'}: expected ${expected}, received ${received}`) {
      return `has the message ${message}`;
    }
    if (message.length > MAX_MESSAGE) return `has a message of ${message.length} characters`;
    if (UNPRINTABLE.test(message)) return 'has an unprintable message';
  }
  return null;
}
