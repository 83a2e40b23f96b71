// What SQLite keeps of an amount, by Node's own driver, as JSON.
// @ts-expect-error The types are those of Node 20, which doesn't have it.
import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'payment-notifications';

const amount = new Decimal('0.123456789012345678');
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE credit (exact text, rounded numeric)');
const insert = database.prepare('INSERT INTO credit VALUES (?, ?)');
insert.run(amount.toString(), amount.toString());

let refused = null;
try {
  insert.run('', amount);
} catch (error) {
  refused = /** @type {NodeJS.ErrnoException} */ (error).code;
}
const rows = database.prepare('SELECT * FROM credit').all();
const { total } = database.prepare('SELECT sum(exact) AS total FROM credit').get();
console.log(JSON.stringify({ refused, rows, total }));
