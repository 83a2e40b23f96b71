// The tests of every handler, for one that runs on SQLite. For Deno, as in sqlite.deno.js.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';
import { depositReceivedBody, handlerTests } from 'payment-notifications/testing';

const [path = '', url = ''] = process.argv.slice(2);
const database = new DatabaseSync(path);
database.exec('PRAGMA busy_timeout = 5000');
database.exec(readFileSync(new URL('../start/schema.sqlite.sql', import.meta.url), 'utf8'));

const tests = handlerTests({
  url,
  async balance(currency) {
    const find = database.prepare('SELECT amount FROM balance WHERE currency = ?');
    return find.all(currency).reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
  },
  async breakDatabase() {
    database.exec('ALTER TABLE balance RENAME TO away');
    return async () => database.exec('ALTER TABLE away RENAME TO balance');
  },
});
for (const { run } of tests) await run();

// Held, each once: a conflict, currencies that would have balances of their own, and half a body.
const bodies = [
  { actualDepositAmount: '1', depositCurrency: 'UsdT' },
  { actualDepositAmount: '2' },
  { depositCurrency: 'uſdt' },
  { depositCurrency: ' USDT\t' },
].map((fields) => depositReceivedBody(fields, { seed: 1 }));
const isWaiting = 'SELECT body FROM held WHERE body = ?';
const bytesOf = (/** @type {string} */ body) => new TextEncoder().encode(body);
for (const [index, body] of [...bodies, '{'].entries()) {
  for (let delivery = 0; delivery < 2; delivery += 1) {
    const { status } = await fetch(url, { method: 'POST', body });
    assert.equal(status, index < 2 ? 200 : 400, body);
  }
  assert.equal(database.prepare(isWaiting).all(bytesOf(body)).length, index === 0 ? 0 : 1, body);
}
const find = database.prepare('SELECT currency, amount FROM balance WHERE account = ?');
assert.deepEqual(find.all('order-1').map(Object.entries), [
  Object.entries({ currency: 'USDT', amount: '1' }),
]);
