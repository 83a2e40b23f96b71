import { safeParseNotification } from 'payment-notifications';
import { bodyVariants, depositReceivedBody } from 'payment-notifications/testing';
import { nextBody } from '../../test/fuzz/bodies.js';
import { LIMIT } from './bodies.js';

/** @import { Random } from '../../test/fuzz/random.js' */

const DECIMALS = 18;

/**
 * @typedef {object} Deposit
 * @property {string} key Its idempotency key.
 * @property {string} account
 * @property {string} currency
 * @property {bigint} units Its amount in units of 10^-18, apart from the package's arithmetic.
 * @property {string} body
 */

/**
 * A deposit of its own for each seed, of up to 18 decimals, to one of 40 accounts.
 *
 * @param {number} seed
 * @param {Random} random
 * @returns {Deposit}
 */
export function nextDeposit(seed, random) {
  const currency = random.pick(['BTC', 'ETH']);
  const account = `customer-${1 + random.below(40)}`;
  const fraction = Array.from({ length: 1 + random.below(DECIMALS) }, () => random.below(10));
  const amount = `${random.below(1000)}.${fraction.join('')}`;
  const body = depositReceivedBody(
    { clientPaymentId: account, depositCurrency: currency, actualDepositAmount: amount },
    { seed },
  );
  const key = `deposit.received:${JSON.parse(body).depositId}`;
  return { key, account, currency, units: unitsOf(amount), body };
}

/**
 * So many copies of a deposit, in encodings picked from all that a receiver must tolerate.
 *
 * @param {Deposit} deposit
 * @param {number} count
 * @param {Random} random
 */
export function copiesOf({ body }, count, random) {
  const variants = bodyVariants(body);
  return Array.from({ length: count }, () => random.pick(variants).body);
}

/** Bytes that are refused for what they say, not for their length. @param {Random} random */
export function nextRefused(random) {
  for (;;) {
    const body = nextBody(random);
    if (typeof body !== 'string' && !ArrayBuffer.isView(body)) continue; // objects come by no wire
    const bytes = Buffer.from(/** @type {string | Buffer} */ (body));
    if (bytes.length <= LIMIT && !safeParseNotification(bytes).success) return bytes;
  }
}

/** A decimal text, as PostgreSQL writes it, in units of 10^-18. @param {string} text */
export function unitsOf(text) {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const rest = fraction.slice(DECIMALS);
  if (whole === '' || /[1-9]/.test(rest)) throw new Error(`${text} is beyond ${DECIMALS} decimals`);
  return BigInt(sign + whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
}

/**
 * In an order of its own for each source of choices.
 *
 * @template T
 * @param {T[]} items
 * @param {Random} random
 */
export function shuffle(items, random) {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [items[last], items[other]] = /** @type {[T, T]} */ ([items[other], items[last]]);
  }
  return items;
}
