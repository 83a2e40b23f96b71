// The tests that the package has for every handler, of server.mjs on both of its databases, and of
// what a merchant may make of it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { handlerTests } from 'payment-notifications/testing';
import { openFolder, openMerchant, replaced, SCHEMA, SETTLE, until } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { startServer, UNSET } from './server.js';

/** @import { Merchant, Server } from './merchant.js' */

/**
 * @param {() => string} url
 * @param {(sql: string) => Promise<any[]>} query
 * @param {() => string} review The folder of bodies for review.
 */
function testsOf(url, query, review) {
  return handlerTests({
    url,
    async balance(currency) {
      const sum = `SELECT sum(amount)::text FROM balance WHERE currency = '${currency}'`;
      return (await query(sum))[0].sum;
    },
    kept: async () => fs.readdirSync(review()).filter((file) => file.endsWith('.json')).length,
    async prepare(notifications) {
      const orders = notifications.map((one) => {
        const isDeposit = one.type === 'deposit.received';
        return `('${one.type}', '${isDeposit ? one.clientPaymentId : one.clientWithdrawalId}', 'customer')`;
      });
      await query(`INSERT INTO orders VALUES ${orders} ON CONFLICT DO NOTHING`);
    },
    async breakDatabase(part) {
      const table = part === 'keys' ? 'event' : 'balance';
      await query(`ALTER TABLE ${table} RENAME TO away`);
      return () => query(`ALTER TABLE away RENAME TO ${table}`);
    },
  });
}

describe('every handler, on PGlite', () => {
  const folder = openFolder();
  const socketPath = join(folder.path, 'sql');
  const temporary = join(folder.path, 'tmp');
  /** @type {Server} */
  let server;
  before(async () => {
    fs.mkdirSync(temporary);
    const env = { ...UNSET, TMPDIR: temporary, SQL_SOCKET: socketPath };
    const preload = new URL('preload-trial.js', import.meta.url).href;
    const command = ['node', '--import', preload, 'trial.mjs'];
    server = await startServer(command, { cwd: folder.url, env });
    const printed = () => server.printed.find((line) => line.startsWith('Try it: '));
    await until(printed);
    server.url = `${printed()}`.replace(/.* --to /, '');
  });
  after(async () => {
    await server.stop();
    folder.remove();
  });

  /** Runs SQL in the server. @param {string} sql @returns {Promise<any[]>} */
  async function query(sql) {
    const sent = request({ socketPath, method: 'POST' }).end(sql);
    const response = await new Promise((resolve, reject) => {
      sent.on('response', resolve).on('error', reject);
    });
    return JSON.parse(await text(response));
  }
  const review = () => join(temporary, fs.readdirSync(temporary)[0] ?? '', 'review');
  for (const { name, run } of testsOf(() => server.url, query, review)) test(name, run);
});

/** The parts of the statement, and of the function that runs it. */
const COUNT = 'ON CONFLICT (key) DO UPDATE SET deliveries = event.deliveries + 1';
const ADD = 'SET amount = balance.amount + excluded.amount';
const RUN = 'await database.query(SETTLE, values);';
const COMPARE = 'if (!rows[0].same) throw';
const BALANCE = 'account text, currency text, amount numeric NOT NULL, PRIMARY KEY';
const EVERY_REPEAT = 'deposit: an event in another form is a repeat';
const KEPT =
  'deposit: a known key with another amount, order or currency moves nothing, and is kept';

/**
 * Faults of the statement and the tables: what replaces what, which test finds it, and the cause
 * that its failure names. Those of the handler alone are tried without a database, in test/testing.
 *
 * @type {{ fault: string, replace: [from: string, to: string][], test: string, cause: RegExp }[]}
 */
const MUTANTS = [
  {
    fault: 'no ON CONFLICT for the key',
    replace: [[COUNT, '']],
    test: EVERY_REPEAT,
    cause: /A copy failed instead of being a repeat/,
  },
  {
    fault: 'no comparison',
    replace: [[COMPARE, 'if (false) throw']],
    test: KEPT,
    cause: /kept/,
  },
  {
    fault: 'deliveries that are not checked',
    replace: [[' FROM delivered WHERE deliveries = 1', ' FROM delivered']],
    test: EVERY_REPEAT,
    cause: /The key is not checked/,
  },
  {
    fault: 'the sum in JavaScript',
    replace: [
      [ADD, 'SET amount = $7'],
      [
        RUN,
        `await (async () => {
    const find = 'SELECT amount::text FROM balance WHERE (account, currency) = ($1, $2)';
    const [balance = { amount: '0' }] = (await database.query(find, [account, currency])).rows;
    const sum = amount.plus(balance.amount).toString();
    return database.query(SETTLE, [...values, sum]);
  })();`,
      ],
    ],
    test: 'deposit: five orders of one customer at the same time add up',
    cause: /the balance is read and then written/,
  },
  {
    fault: 'a balance as numeric(20,8)',
    replace: [[BALANCE, BALANCE.replace('numeric', 'numeric(20,8)')]],
    test: 'deposit: 18 decimals are credited exactly',
    cause: /rounded to 8 decimals/,
  },
  {
    fault: 'a balance as double precision',
    replace: [[BALANCE, BALANCE.replace('numeric', 'double precision')]],
    test: 'withdrawal: 28 digits are debited exactly',
    cause: /The amount was a double/,
  },
];

describe('every handler, on PostgreSQL', { skip: whyNoPostgres() }, () => {
  /** @type {Merchant} */
  let merchant;
  /** @type {Server} */
  let server;
  /** @param {string} settle @param {string} schema */
  async function start(settle, schema) {
    await merchant.reset();
    await merchant.postgres.query(`DROP TABLE orders, event, balance; ${schema}`);
    fs.writeFileSync(join(merchant.folder.path, 'settle.mjs'), settle);
    server = await merchant.start();
  }
  before(async () => {
    merchant = await openMerchant();
    await start(SETTLE, SCHEMA);
  });
  after(() => merchant.close());

  const tests = testsOf(
    () => server.url,
    (sql) => merchant.postgres.query(sql),
    () => join(merchant.folder.path, 'webhooks/review'),
  );
  for (const { name, run } of tests) test(name, run);

  for (const { fault, replace, test: name, cause } of MUTANTS)
    test(`a fault is found: ${fault}`, async () => {
      await server.stop();
      const isSchema = replace[0]?.[0] === BALANCE;
      const change = (/** @type {string} */ text) =>
        replace.reduce((changed, [from, to]) => replaced(changed, from, to), text);
      await (isSchema ? start(SETTLE, change(SCHEMA)) : start(change(SETTLE), SCHEMA));
      const finder = tests.find((one) => one.name === name);
      assert(finder, name);
      await assert.rejects(finder.run(), cause);
    });
});
