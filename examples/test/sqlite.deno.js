// sqlite.mjs, twice, as two processes have it. For Deno, which has node:sqlite as newer versions of
// Node.js have it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';

process.env.DATABASE_URL = process.argv[2];
const load = (/** @type {string} */ query) => import(`../start/sqlite.mjs?${query}`);
/** @type {(typeof import('../start/sqlite.mjs'))[]} */
const [one, other] = [await load('one'), await load('other')];
const database = new DatabaseSync(process.argv[2] ?? '');
const { prepare } = DatabaseSync.prototype;
assert(one && other);
database.exec(readFileSync(new URL('../start/schema.sqlite.sql', import.meta.url), 'utf8'));

const body = new Uint8Array([123, 125]);
const move = { account: 'a', currency: 'USDT', amount: new Decimal('0.1000000000000000001') };
for (let number = 0; number < 100; number += 1) {
  assert.equal(one.book(`event ${number}`, body, move), 'settled');
  assert.equal(other.book(`event ${number}`, body, move), 'repeated');
}
for (const field of [{ account: 'b' }, { currency: 'BTC' }, { amount: new Decimal(1) }])
  assert.equal(other.book('event 0', body, { ...move, ...field }), 'conflict');

/**
 * Runs `check` once, in the middle of the next transaction.
 *
 * @param {(sql: string, own: DatabaseSync) => void} check
 */
function interrupt(check) {
  DatabaseSync.prototype.prepare = function (/** @type {string} */ sql) {
    if (sql.startsWith('INSERT INTO event')) {
      DatabaseSync.prototype.prepare = prepare;
      check(sql, this);
    }
    return prepare.call(this, sql);
  };
}

// Once this transaction has read, another must not write, or this one would fail.
interrupt((_, own) => {
  database.exec('PRAGMA busy_timeout = 0'); // it fails instead of waiting
  assert.throws(() => database.exec('BEGIN IMMEDIATE'), /database is locked/);
  const { synchronous } = prepare.call(own, 'PRAGMA synchronous').get();
  assert.equal(synchronous, 2); // each commit is on the disk
});
assert.equal(one.book('event 100', body, move), 'settled');
assert.equal(DatabaseSync.prototype.prepare, prepare);
assert.equal(other.book('event 100', body, move), 'repeated');

/** @param {() => void} run @param {RegExp} message @param {boolean} isRefusal */
function assertFails(run, message, isRefusal) {
  assert.throws(run, (error) => {
    assert.match(String(error), message);
    assert.equal(one?.isRefusal(error), isRefusal);
    return true;
  });
}
const unfit = { ...move, account: /** @type {any} */ (null) };
assertFails(() => one.book('event 101', body, unfit), /NOT NULL/, true);
for (const currency of ['usdt', 'uſdt', ' USDT', 'USDT\t', 'USDT\u00a0', ''])
  assertFails(() => one.book('event 101', body, { ...move, currency }), /CHECK/, true);

for (const reason of ['first', 'second']) one.hold(body, reason);
const held = prepare.call(database, 'SELECT body, reason FROM held').all();
assert.deepEqual(
  held.map(({ body, reason }) => [...body, reason]),
  [[123, 125, 'second']],
);

// On a full disk, SQLite rolls back by itself, and the disk is what has to be told.
interrupt((_, own) => own.exec('PRAGMA max_page_count = 1')); // no fewer than it has
const large = new Uint8Array(1e6);
assertFails(() => one.book('event 102', large, move), /disk is full/, false);
const balances = prepare.call(database, 'SELECT * FROM balance').all().map(Object.entries);
assert.deepEqual(balances, [Object.entries({ ...move, amount: '10.1000000000000000101' })]);
