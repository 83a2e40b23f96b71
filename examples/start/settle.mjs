import { NeedsReview } from 'payment-notifications/receiver';

/** @import { PaymentNotification } from 'payment-notifications' */
/** @import { DeliveryContext } from 'payment-notifications/receiver' */
/** @typedef {{ query(sql: string, values: unknown[]): Promise<{ rows: any[] }> }} Database */

// Adds the amount of each event to a balance, once. The tables are in schema.sql.

// ---- What an event moves: change this ----

/**
 * Returns whose payment or withdrawal it is; null if you don't know it.
 *
 * @param {Database} database
 * @param {PaymentNotification['type']} type
 * @param {string} id The `clientPaymentId` or `clientWithdrawalId`.
 * @returns {Promise<string | null>}
 */
async function customerOf(database, type, id) {
  // Replace the table `orders` with yours.
  const find = 'SELECT customer FROM orders WHERE (type, id) = ($1, $2)';
  const { rows } = await database.query(find, [type, id]);
  return rows[0]?.customer ?? null;
}

/**
 * Returns the order of an event, and the currency and amount that it adds to a balance: negative
 * for a withdrawal.
 *
 * @param {PaymentNotification} notification
 */
function moveOf(notification) {
  if (notification.type === 'deposit.received') {
    const { clientPaymentId, depositCurrency, actualDepositAmount } = notification;
    return { order: clientPaymentId, currency: depositCurrency, amount: actualDepositAmount };
  }
  const { status, clientWithdrawalId, withdrawCurrency, actualWithdrawAmount } = notification;
  // The service doesn't document whether a FAILED or BLOCKED withdrawal has moved anything.
  if (status !== 'COMPLETED') throw new NeedsReview(`the withdrawal is ${status}`);
  // Never debit the estimate.
  if (actualWithdrawAmount === null) throw new NeedsReview('the amount is missing');
  const amount = actualWithdrawAmount.negated();
  return { order: clientWithdrawalId, currency: withdrawCurrency, amount };
}

// ---- Each event once ----

/**
 * One statement is one transaction: the key and the balance change together, or neither does. If
 * two deliveries of a key arrive at the same time, the second one waits for the first.
 *
 * A repeat also writes, because it counts the delivery. So if you have a synchronous standby, a
 * repeat waits for it too, and isn't answered with success while only the primary has the event.
 *
 * The parts of the statement don't see each other's changes. If you add a part, change each table
 * only once, and don't read a table that another part changes.
 */
const SETTLE = `
  WITH delivered AS ( -- insert the key, or count a repeat
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
    deliveries = 1 AS first -- if not, it is a repeat
  FROM delivered`;

/**
 * Creates the function that settles an event. It returns, throws `NeedsReview` if someone must
 * decide, or throws the error of the database.
 *
 * @param {Database} database A pool of pg, or anything with its function `query`.
 */
export function createSettle(database) {
  /** @param {PaymentNotification} notification @param {DeliveryContext} context */
  return async function settleOnce(notification, { key, body }) {
    const { order, currency: code, amount } = moveOf(notification);
    // PostgreSQL can't store this character, so another try would fail as well.
    if (order.includes('\0')) throw new NeedsReview('the identifier has a NUL character');
    const account = await customerOf(database, notification.type, order);
    if (account === null) throw new NeedsReview('the order is unknown');
    // ' BTC' would be another balance.
    if (!/^[!-~]{1,20}$/.test(code)) throw new NeedsReview('the currency is unusual');
    const currency = code.toUpperCase(); // 'btc' is BTC
    const values = [key, account, currency, amount.toString(), body, order];
    const { rows } = await database.query(SETTLE, values);
    // One of the two bodies may be forged.
    if (!rows[0].same) throw new NeedsReview('settled before, with another customer or amount');
    console.log(`${key}: ${rows[0].first ? 'settled' : 'repeated'}, ${amount} ${currency}`);
  };
}
