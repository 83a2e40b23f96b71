// Books a hundred events, as another process does at the same time; prints what became of each. For Deno, which
// has node:sqlite as newer versions of Node.js have it.
import { readFileSync } from 'node:fs';
import process from 'node:process';
// @ts-expect-error The types are those of Node.js 20, which doesn't have it.
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';
import { book } from '../start/sqlite.mjs';

const database = new DatabaseSync(process.argv[2]);
database.exec('PRAGMA busy_timeout = 30000'); // to wait for the other
const schema = readFileSync(new URL('../start/schema.sqlite.sql', import.meta.url), 'utf8');
database.exec(
  `BEGIN IMMEDIATE; ${schema.replaceAll('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS')}; COMMIT`,
);

console.log('ready');
readFileSync(0);

const body = new Uint8Array([123, 125]);
const move = { account: 'a', currency: 'ETH', amount: new Decimal('0.1000000000000000001') };
const keys = Array.from({ length: 100 }, (_, number) => `event ${number}`);
const outcomes = keys.map((key) => book(database, key, body, move));
const conflicts = [{ account: 'b' }, { currency: 'BTC' }, { amount: new Decimal(1) }].map((other) =>
  book(database, 'event 0', body, { ...move, ...other }),
);
let refused = '';
try {
  book(database, 'event 100', body, { ...move, currency: /** @type {any} */ (null) });
} catch (error) {
  refused = `${error}`;
}
const balances = database.prepare('SELECT * FROM balance').all();
console.log(JSON.stringify({ outcomes, conflicts, refused, balances }));
