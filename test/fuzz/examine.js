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
import { OTHER_SPELLING } from '../../src/parser/spelling.js';
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
  return issuesFault(notification.warnings) ?? lossFault(body, notification);
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
