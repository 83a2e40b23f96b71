import { NeedsReview } from 'payment-notifications/receiver';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { DeliveryContext } from 'payment-notifications/receiver' */
/** @typedef {string | Uint8Array} Value */
/** @typedef {{ query(sql: string, values: Value[]): Promise<{ rows: any[] }> }} Database */

// Adds the amount of each event to a balance, once. The tables are in schema.sql. This file needs
// no change: createSettle has options.

/**
 * @typedef {object} SettleOptions
 * @property {(type: PaymentNotification['type'], id: string) => Promise<Customer>} [customerOf]
 *   Returns whose payment or withdrawal it is, by your `clientPaymentId` or `clientWithdrawalId`;
 *   null if you don't know it. By default, it reads the table `orders`.
 * @property {keyof typeof FIELDS} [balancesIn] The currency of your balances: the `coin` that moved
 *   on the blockchain (the default), the `display` currency that your customer sees, or the
 *   `settlement` currency of your account at the service.
 * @property {string} [statement] The SQL that settles an event, for your own table of balances.
 *
 * @typedef {string | number | bigint | null | undefined} Customer
 */

/** The currency and the amount of an event. */
const FIELDS = /** @type {const} */ ({
  coin: {
    deposit: ['depositCurrency', 'actualDepositAmount'],
    withdrawal: ['withdrawCurrency', 'actualWithdrawAmount'], // never the estimate
  },
  display: {
    deposit: ['displayCurrency', 'actualDisplayAmount'],
    withdrawal: ['displayCurrency', 'actualDisplayAmount'],
  },
  settlement: {
    deposit: ['settlementCurrency', 'settlementAmount'],
    withdrawal: ['settlementCurrency', 'deductedSettlementAmount'],
  },
});

/**
 * Returns the order of an event, and the currency and amount that it adds to a balance: negative
 * for a withdrawal.
 *
 * @param {PaymentNotification} notification
 * @param {typeof FIELDS[keyof typeof FIELDS]} fields
 */
function moveOf(notification, { deposit, withdrawal }) {
  if (notification.type === 'deposit.received') {
    const [currency, amount] = deposit;
    const order = notification.clientPaymentId;
    return { order, currency: notification[currency], amount: notification[amount] };
  }
  // The service doesn't document whether a FAILED or BLOCKED withdrawal has moved anything.
  const { status, clientWithdrawalId: order } = notification;
  if (status !== 'COMPLETED') throw new NeedsReview(`the withdrawal is ${status}`);
  const [currency, field] = withdrawal;
  const amount = notification[field];
  if (amount === null) throw new NeedsReview('the amount is missing');
  return { order, currency: notification[currency], amount: amount.negated() };
}

/**
 * One statement is one transaction: the key and the balance change together, or neither does. If
 * two deliveries of a key arrive at the same time, the second one waits for the first.
 *
 * A duplicate also writes, because it counts the delivery. So with a synchronous standby, a
 * duplicate gets no success until the standby has the event.
 *
 * The parts of the statement don't see each other's changes. If you add a part, change each row
 * only once, and don't read a row that another part changes.
 */
const SETTLE = `
  WITH delivered AS ( -- insert the key, or count a duplicate
    INSERT INTO event (key, account, currency, amount, body, order_id)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (key) DO UPDATE SET deliveries = event.deliveries + 1
    RETURNING account, currency, amount, deliveries
  ), moved AS ( -- add to the balance, the first time only
    INSERT INTO balance (account, currency, amount)
    SELECT account, currency, amount FROM delivered WHERE deliveries = 1
    ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount
  )
  SELECT (account, currency, amount) = ($2, $3, $4) AS same, -- if not, it needs review
    deliveries = 1 AS first -- if not, it is a duplicate
  FROM delivered`;

/**
 * Creates the function that settles an event. It returns, throws `NeedsReview` if someone must
 * decide, or throws the error of the database. It may run at the same time for the same event: the
 * key lets one of these calls change the balance.
 *
 * @param {Database} database A pool of pg, or an object with the same `query`.
 * @param {SettleOptions} [options]
 */
export function createSettle(database, options = {}) {
  const { customerOf = customerInOrders, balancesIn = 'coin', statement = SETTLE } = options;
  const fields = FIELDS[balancesIn];
  if (!fields) throw new Error('balancesIn: expected "coin", "display" or "settlement"');
  // That of MySQL or SQLite: the default is for PostgreSQL.
  if ('find' in database && !options.customerOf)
    throw new Error('createSettle: expected customerOf');

  /** @param {PaymentNotification['type']} type @param {string} id */
  async function customerInOrders(type, id) {
    const find = 'SELECT customer FROM orders WHERE (type, id) = ($1, $2)';
    return (await database.query(find, [type, id])).rows[0]?.customer;
  }

  /** @param {PaymentNotification} notification @param {DeliveryContext} context */
  return async function settleOnce(notification, { key, body }) {
    // Set by whoever is on call: see the page Runbook.
    if (process.env.PAUSE) throw new NeedsReview('paused');
    const { order, currency: code, amount } = moveOf(notification, fields);
    // PostgreSQL can't store this character, so another try would fail as well.
    if (order.includes('\0')) throw new NeedsReview('the identifier has a NUL character');
    const account = (await customerOf(notification.type, order))?.toString();
    if (account === undefined) throw new NeedsReview('the order is unknown');
    // ' BTC' would be another balance.
    if (!/^[!-~]{1,20}$/.test(code)) throw new NeedsReview('the currency is unusual');
    const currency = code.toUpperCase(); // 'btc' is BTC
    const values = [key, account, currency, amount.toString(), body, order];
    const { rows } = await database.query(statement, values);
    // One of the two bodies may be forged.
    if (!rows[0].same) throw new NeedsReview('settled before, with another customer or amount');
    console.log(`${key}: ${rows[0].first ? 'settled' : 'repeated'}, ${amount} ${currency}`);
  };
}
