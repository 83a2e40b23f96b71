// The tables and the transaction for SQLite. For Deno, which has node:sqlite as newer versions of Node.js have it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
// @ts-expect-error The types are those of Node.js 20, which doesn't have it.
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';
import { book } from '../start/sqlite.mjs';

/** As two processes have them. */
const [one, other] = [1, 2].map(() => new DatabaseSync(process.argv[2]));
const schema = readFileSync(new URL('../start/schema.sqlite.sql', import.meta.url), 'utf8');
one.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`); // as better-sqlite3

const body = new Uint8Array([123, 125]);
const move = { account: 'a', currency: 'USDT', amount: new Decimal('0.1000000000000000001') };
for (let number = 0; number < 100; number += 1) {
  assert.equal(book(one, `event ${number}`, body, move), 'settled');
  assert.equal(book(other, `event ${number}`, body, move), 'repeated');
}
assert.equal(one.prepare('PRAGMA synchronous').get().synchronous, 2); // each commit is on the disk
assert.equal(book(other, 'event 0', body, { ...move, currency: ' usdt' }), 'repeated');
for (const field of [
  { account: 'b' },
  { currency: 'BTC' },
  { currency: 'uſdt' }, // its upper case is USDT, by Unicode
  { amount: new Decimal(1) },
])
  assert.equal(book(other, 'event 0', body, { ...move, ...field }), 'conflict');

// Once this transaction has read, another must not write, or this one would fail.
other.exec('PRAGMA busy_timeout = 0'); // it fails instead of waiting
const interrupted = {
  exec: (/** @type {string} */ sql) => one.exec(sql),
  prepare(/** @type {string} */ sql) {
    if (sql.startsWith('INSERT INTO event'))
      assert.throws(() => book(other, 'event 100', body, move), /database is locked/);
    return one.prepare(sql);
  },
};
assert.equal(book(interrupted, 'event 100', body, move), 'settled');
assert.equal(book(other, 'event 100', body, move), 'repeated');

const refused = { ...move, account: /** @type {any} */ (null) };
assert.throws(() => book(one, 'event 101', body, refused), /NOT NULL/);
// On a full disk, SQLite rolls back by itself, and the disk is what has to be told.
const { page_count: pages } = one.prepare('PRAGMA page_count').get();
one.exec(`PRAGMA max_page_count = ${pages}`);
assert.throws(() => book(one, 'event 102', new Uint8Array(1e6), move), /disk is full/);
const balances = one.prepare('SELECT * FROM balance').all().map(Object.entries);
assert.deepEqual(balances, [Object.entries({ ...move, amount: '10.1000000000000000101' })]);
