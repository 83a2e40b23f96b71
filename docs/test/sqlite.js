// What SQLite keeps of an amount, as JSON, for storing.test.js: node sqlite.js AMOUNT
// @ts-expect-error The types are those of Node 20, which doesn't have it.
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from '../../dist/index.js';

const amount = new Decimal(process.argv[2] ?? '');
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE credit (exact text, rounded numeric)');
const insert = database.prepare('INSERT INTO credit VALUES (?, ?)');
insert.run(amount.toString(), amount.toString());

let refused = null;
try {
  insert.run('', /** @type {any} */ (amount));
} catch (error) {
  refused = /** @type {NodeJS.ErrnoException} */ (error).code;
}
const rows = database.prepare('SELECT * FROM credit').all();
const { total } = database.prepare('SELECT sum(exact) AS total FROM credit').get() ?? {};
console.log(JSON.stringify({ refused, rows, total }));
