// The tests that the package has for every handler find what a merchant may break in settle.mjs and
// schema.sql. testing-page.test.js shows that they pass with both as they are, and test/testing
// tries the faults that need no database.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { renamed, testsOf } from './kit.js';
import { openMerchant, replaced, SCHEMA, SETTLE } from './merchant.js';
import { whyNoPostgres } from './programs.js';

/** @import { Merchant } from './merchant.js' */
/** @import { Server } from './server.js' */

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
 * What replaces what, which test finds it, and the cause that its failure names.
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

describe('a fault of the copied files is found:', { skip: whyNoPostgres() }, () => {
  /** @type {Merchant} */
  let merchant;
  /** @type {Server} */
  let server;
  before(async () => {
    merchant = await openMerchant();
  });
  after(() => merchant.close());

  const tests = testsOf(
    () => server.url,
    () => merchant.folder.path,
    {
      query: (sql) => merchant.postgres.query(sql),
      balances: (currency) => `SELECT amount FROM balance WHERE currency = '${currency}'`,
      order: (isDeposit, id) => [
        `INSERT INTO orders VALUES ('${isDeposit ? 'deposit.received' : 'withdrawal.broadcast'}', '${id}', 'customer') ON CONFLICT DO NOTHING`,
      ],
      broken: (part) => renamed(part === 'keys' ? 'event' : 'balance'),
    },
  );
  for (const { fault, replace, test: name, cause } of MUTANTS)
    test(fault, async () => {
      const isSchema = replace[0]?.[0] === BALANCE;
      const changed = replace.reduce(
        (text, [from, to]) => replaced(text, from, to),
        isSchema ? SCHEMA : SETTLE,
      );
      await merchant.reset(isSchema ? changed : SCHEMA);
      fs.writeFileSync(join(merchant.folder.path, 'settle.mjs'), isSchema ? SETTLE : changed);
      server = await merchant.start();
      const finder = tests.find((one) => one.name === name);
      assert(finder, name);
      await assert.rejects(finder.run(), cause);
      await server.kill();
    });
});
