// ledger.ts of the page Credit once with a reader's own orders, in each currency of balances.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { idempotencyKey, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { register } from 'tsx/esm/api';
import { createSettle } from '../start/settle.mjs';
import { filesOn } from './code.js';
import { openFolder, replaced, SCHEMA } from './merchant.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';

const LEDGER = filesOn('docs/credit-once.md').get('own/ledger.ts') ?? '';
const DEPOSIT = depositReceivedBody({ settlementCurrency: 'USDC', settlementAmount: '901.5' });
const WITHDRAWAL = withdrawalBroadcastBody();

/** What the samples add to the balances. */
const MOVED = {
  coin: { BTC: '0.01523', XRP: '-480.73' },
  display: { EUR: '950.25', USD: '-249.98' },
  settlement: { USDC: '901.5', USDT: '-250.31' },
};

describe('docs/credit-once.md', { skip: whyNoPostgres() }, () => {
  const folder = openFolder();
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  before(async () => {
    register();
    postgres = await startPostgres();
    process.env.DATABASE_URL = postgres.url;
  });
  after(async () => {
    await postgres?.remove();
    folder.remove();
  });

  for (const [balancesIn, expected] of Object.entries(MOVED))
    test(`its ledger finds the customer, and moves the ${balancesIn} amount`, async () => {
      await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${SCHEMA}
        CREATE TABLE invoice (number text PRIMARY KEY, customer_id bigint NOT NULL);
        CREATE TABLE payout (LIKE invoice);
        INSERT INTO invoice VALUES ('order-10042', 7);
        INSERT INTO payout VALUES ('payout-7731', 7)`);
      const code = replaced(LEDGER, "'coin'", `'${balancesIn}'`);
      const file = new URL(`ledger-${balancesIn}.ts`, folder.url);
      fs.writeFileSync(file, code);
      const { credit, debit } = await import(file.href);
      for (const [settle, body] of [
        [credit, DEPOSIT],
        [debit, WITHDRAWAL],
        [credit, DEPOSIT],
      ]) {
        const notification = parseNotification(body);
        const context = { key: idempotencyKey(notification), body: Buffer.from(body) };
        await settle(notification, context);
      }
      const rows = await postgres.query('SELECT * FROM balance ORDER BY currency');
      assert.deepEqual(
        rows,
        Object.entries(expected).map(([currency, amount]) => ({ account: '7', currency, amount })),
      );
    });
});

test('settle.mjs says which currencies of balances it knows', () => {
  // @ts-expect-error
  const create = () => createSettle({ query: assert.fail }, { balancesIn: 'fiat' });
  assert.throws(create, /balancesIn: expected "coin", "display" or "settlement"/);
});
