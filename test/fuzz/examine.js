// What must hold for every body, whatever it is.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
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
import { exactnessFault, LAST_ONE_COUNTS } from './texts.js';

/**
 * @import { BodyParser, RawBody } from 'payment-notifications'
 * @import { NotificationIssue, PaymentNotification } from 'payment-notifications'
 *
 * @typedef {Record<string, any>} Fields
 */

const PARSERS = /** @type {const} */ ([
  { safeParse: safeParseNotification, parse: parseNotification },
  { safeParse: safeParseDepositReceived, parse: parseDepositReceived },
  { safeParse: safeParseWithdrawalBroadcast, parse: parseWithdrawalBroadcast },
]);

/** The parsers by number, as {@link examine} takes them. */
export const PARSER_COUNT = PARSERS.length;

/** The documentation has two spellings of one name; this one is no field of the output. */
const OTHER_SPELLING = 'deducedSettlementAmount';
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/u;
const MAX_MESSAGE = 300;

const schema = new URL('../../schemas/notification.schema.json', import.meta.url);

const notificationSchema = JSON.parse(readFileSync(schema, 'utf8'));

/** Whether JSON is that of a notification, by its schema. */
export const isNotification = new Ajv2020({ strict: true, strictTypes: true }).compile(
  notificationSchema,
);

/** Every code of an issue. @type {readonly string[]} */
export const ISSUE_CODES = notificationSchema.$defs.NotificationIssue.properties.code.oneOf.map(
  (/** @type {{ const: string }} */ one) => one.const,
);

/**
 * Parses a body, and once more the same body made again, with one of the parsers.
 *
 * @param {unknown} body
 * @param {unknown} again
 * @param {number} parser
 * @returns {string | null} What is wrong with the outcome.
 */
export function examine(body, again, parser) {
  const { safeParse, parse } = PARSERS[parser] ?? PARSERS[0];
  const { success, notification, error } = safeParse(/** @type {RawBody} */ (body));
  const json = stringify(notification ?? error);
  if (stringify(parseOrCatch(parse, again)) !== json) return 'came out differently again';
  if (!success) return errorFault(error, json);
  return (
    shapeFault(notification) ?? lossFault(body, notification) ?? roundTripFault(notification, json)
  );
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
 * An outcome as JSON. Only the unknown fields of an object hold what has none: a cycle, a BigInt, a
 * getter that throws.
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
 * Whether a notification is what its type declares. What JSON doesn't tell, the way through JSON
 * shows.
 *
 * @param {Fields} notification
 */
function shapeFault(notification) {
  const { toTxAddress, txAddressOwner: owner, additionalFields, warnings } = notification;
  if (!isFields(additionalFields)) return 'has no additionalFields';
  if (owner && !isFields(owner.additionalFields)) return 'has an owner without additionalFields';
  // Without what may have no JSON.
  const txAddressOwner = owner && { ...owner, additionalFields: {} };
  const known = { ...notification, additionalFields: {}, ...(owner && { txAddressOwner }) };
  if (!isNotification(JSON.parse(JSON.stringify(known)))) {
    return `is against its schema: ${JSON.stringify(isNotification.errors)}`;
  }
  if (toTxAddress) {
    const { raw, address, destinationTag } = toTxAddress;
    const marks = destinationTag === null ? ['', '?dt='] : [`?dt=${destinationTag}`];
    if (!marks.includes(raw.slice(address.length)) || !raw.startsWith(address)) {
      return 'has an address that is not its two parts';
    }
  }
  return issuesFault(warnings);
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
 * Whether a notification is the same after a way through JSON, but for what JSON makes of unknown
 * fields: it holds no -0, no Infinity, no function.
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
