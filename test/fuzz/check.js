import {
  Decimal,
  NotificationError,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';

const FUNCTIONS = [safeParseDepositReceived, safeParseWithdrawalBroadcast, safeParseNotification];

const CODES = new Set([
  'invalid_json',
  'body_too_large',
  'not_an_object',
  'unrecognized_notification',
  'missing_field',
  'wrong_type',
  'invalid_amount',
  'negative_amount',
  'invalid_timestamp',
  'invalid_id',
  'unknown_value',
  'invalid_tx_address',
  'conflicting_fields',
]);

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const MAX_MESSAGE = 300;

/** Most time for a body: so much, and so much for each of its bytes. */
const MILLISECONDS = 5;
const MILLISECONDS_PER_BYTE = 0.001;

/** @typedef {(value: any) => boolean} Is */

/** @type {Is} */
const isText = (value) => typeof value === 'string' && value !== '';
/** @type {Is} */
const isString = (value) => typeof value === 'string';
/** @type {Is} */
const isId = (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
/** @type {Is} */
const isAmount = (value) =>
  value instanceof Decimal &&
  value.isFinite() &&
  !Object.is(value.toNumber(), -0) &&
  value.precision() <= 78 &&
  Math.abs(value.e) <= 78 &&
  /^-?\d+(\.\d+)?$/.test(value.toString());
/** @type {Is} */
const isQuantity = (value) => isAmount(value) && !value.isNegative();
/** @type {Is} */
const isTime = (value) => value instanceof Date && value.getTime() >= 0;
/** @type {Is} */
const isFields = (value) => typeof value === 'object' && value !== null;
/** @type {(is: Is) => Is} */
const orNull = (is) => (value) => value === null || is(value);
/** @type {(...values: string[]) => Is} */
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
/** @type {(is: Is, ...names: string[]) => Record<string, Is>} */
const each = (is, ...names) => Object.fromEntries(names.map((name) => [name, is]));

/** @type {Record<string, Record<string, Is>>} The declared types, as a runtime can see them. */
const SHAPES = {
  'deposit.received': {
    type: oneOf('deposit.received'),
    status: oneOf('CONFIRMED'),
    ...each(isId, 'depositId', 'paymentId'),
    ...each(isText, 'clientPaymentId', 'depositCurrency', 'displayCurrency', 'settlementCurrency'),
    ...each(isQuantity, 'actualDepositAmount', 'actualDisplayAmount', 'settlementAmount'),
    ...each(orNull(isQuantity), 'expectedDepositAmount', 'expectedDisplayAmount'),
    ...each(
      orNull(isAmount),
      'displayServiceFee',
      'settlementServiceFee',
      'onChainFee',
      'displayRateDepegLossAmount',
      'settlementRateDepegLossAmount',
      'displayDistributedUserServiceFee',
      'settlementDistributedUserServiceFee',
    ),
    ...each(orNull(isText), 'network', 'depositAddress', 'fromAddress', 'transactionId'),
    ...each(orNull(isTime), 'paymentRequestedAt', 'paymentReceivedAt', 'expirationTime'),
    rateType: orNull(oneOf('FIXED', 'FLOATING')),
    additionalFields: isFields,
  },
  'withdrawal.broadcast': {
    type: oneOf('withdrawal.broadcast'),
    status: oneOf('COMPLETED', 'FAILED', 'BLOCKED'),
    ...each(isId, 'withdrawalId', 'businessId'),
    ...each(
      isText,
      'clientWithdrawalId',
      'withdrawCurrency',
      'displayCurrency',
      'settlementCurrency',
    ),
    ...each(isQuantity, 'estimatedWithdrawAmount', 'expectedDisplayAmount'),
    ...each(
      orNull(isQuantity),
      'actualWithdrawAmount',
      'actualDisplayAmount',
      'deductedSettlementAmount',
    ),
    ...each(
      orNull(isAmount),
      'withdrawFee',
      'displayFee',
      'displayRateDepegLossAmount',
      'settlementRateDepegLossAmount',
    ),
    toTxAddress: (value) =>
      isText(value.raw) &&
      isText(value.address) &&
      orNull(isText)(value.destinationTag) &&
      value.raw.startsWith(value.address),
    txAddressOwner: (value) =>
      isString(value.name) && isString(value.category) && isFields(value.additionalFields),
    transactionId: orNull(isText),
    additionalFields: isFields,
  },
};

/**
 * What is wrong with how a body is handled, null if nothing is, and whether it was read. Throws only
 * what the package throws.
 *
 * @param {unknown} body
 * @param {number} turn Which of the functions is called.
 */
export function examine(body, turn) {
  const safeParse = FUNCTIONS[turn % FUNCTIONS.length] ?? safeParseNotification;
  const start = performance.now();
  const result = safeParse(body);
  const elapsed = performance.now() - start;
  if (elapsed > allowedTime(body) && fastest(() => safeParse(body)) > allowedTime(body)) {
    return { fault: `took ${elapsed.toFixed(1)} ms`, isValid: result.success };
  }
  const fault = result.success ? shapeFault(result.notification) : errorFault(result.error);
  const isSame = fault !== null || outline(safeParse(body)) === outline(result);
  return { fault: isSame ? fault : 'came out differently again', isValid: result.success };
}

/**
 * @param {any} notification
 * @returns {string | null}
 */
function shapeFault(notification) {
  const shape = SHAPES[notification.type];
  if (!shape) return `has the type ${notification.type}`;
  if (Object.keys(notification).sort().join() !== Object.keys(shape).sort().join()) {
    return 'has other keys than declared';
  }
  const wrong = Object.entries(shape).find(([name, is]) => !is(notification[name]));
  return wrong ? `has a ${wrong[0]} that is not of its type` : null;
}

/**
 * @param {NotificationError} error
 * @returns {string | null}
 */
function errorFault(error) {
  if (!(error instanceof NotificationError)) return 'failed with another error';
  if (error.issues.length === 0) return 'was refused without an issue';
  for (const { code, message, expected, received } of error.issues) {
    if (!CODES.has(code)) return `has the code ${code}`;
    if (message.length > MAX_MESSAGE) return `has a message of ${message.length} characters`;
    if (UNPRINTABLE.test(message + expected + received)) return 'has an unprintable message';
  }
  if (UNPRINTABLE.test(error.message)) return 'has an unprintable error message';
  if (UNPRINTABLE.test(JSON.stringify(error))) return 'has an unprintable toJSON()';
  const ids = Object.values(error.reference);
  return ids.every((id) => isText(id) && id.length <= 128) ? null : 'has an odd reference';
}

/**
 * A result as text, to compare two of them; unknown fields may hold anything, so only their names count.
 *
 * @param {ReturnType<typeof safeParseNotification>} result
 */
function outline(result) {
  if (!result.success) return JSON.stringify(result.error);
  const { additionalFields, ...fields } = result.notification;
  return JSON.stringify([outlineOf(fields), Object.keys(additionalFields)]);
}

/** @param {any} fields */
function outlineOf(fields) {
  const { txAddressOwner: owner, ...others } = fields;
  return owner ? [others, owner.name, owner.category, Object.keys(owner.additionalFields)] : others;
}

/** @param {unknown} body */
function allowedTime(body) {
  // Not instanceof, at which a revoked proxy throws.
  const length = ArrayBuffer.isView(body)
    ? body.byteLength
    : typeof body === 'string'
      ? body.length
      : 0;
  return MILLISECONDS + MILLISECONDS_PER_BYTE * length;
}

/** The time without what else the machine did. @param {() => void} run */
function fastest(run) {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
