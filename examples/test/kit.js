import fs from 'node:fs';
import { Decimal } from 'payment-notifications';
import { handlerTests } from 'payment-notifications/testing';

/** @import { PaymentNotification } from 'payment-notifications' */

/**
 * @typedef {object} Tables A merchant's database, in the hands of a test.
 * @property {(sql: string) => Promise<Record<string, any>[]>} query
 * @property {(currency: string) => string} balances Selects each `amount`.
 * @property {(isDeposit: boolean, id: string, one: PaymentNotification) => string[]} order Makes an
 *   order known, and gives its customer enough for a debit.
 * @property {(part: 'keys' | 'balances') => [fail: string[], mend: string[]]} broken
 */

/**
 * The tests that the package has for every handler.
 *
 * @param {() => string} url
 * @param {() => string} folder Where the handler runs.
 * @param {Tables} tables
 */
export function testsOf(url, folder, { query, balances, order, broken }) {
  /** @param {string[]} statements */
  async function run(statements) {
    for (const sql of statements) await query(sql);
  }
  return handlerTests({
    url,
    async balance(currency) {
      const rows = await query(balances(currency));
      return Decimal.sum(0, ...rows.map(({ amount }) => amount));
    },
    kept: async () =>
      fs.readdirSync(`${folder()}/webhooks/review`).filter((name) => name.endsWith('.json')).length,
    prepare: (notifications) =>
      run(
        notifications.flatMap((one) =>
          one.type === 'deposit.received'
            ? order(true, one.clientPaymentId, one)
            : order(false, one.clientWithdrawalId, one),
        ),
      ),
    async breakDatabase(part) {
      const [fail, mend] = broken(part);
      await run(fail);
      return () => run(mend);
    },
  });
}

/** Breaks a table of PostgreSQL. @param {string} table @returns {[string[], string[]]} */
export const renamed = (table) => [
  [`ALTER TABLE ${table} RENAME TO away`],
  [`ALTER TABLE away RENAME TO ${table}`],
];
