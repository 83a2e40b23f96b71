// The tests of docs/testing.md, as a reader runs them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { filesOn } from '../../scripts/pages/code.js';
import { openMerchant } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { Merchant } from './merchant.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tool = (/** @type {string} */ path) => join(ROOT, 'node_modules', path);

/** The deposits.mjs of the page's reader, and its tables. */
const RECEIVER = `import { createReceiver } from 'payment-notifications/receiver';
import pg from 'pg';

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const settle = \`WITH delivered AS (
    INSERT INTO callback VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET deliveries = callback.deliveries + 1 RETURNING *
  ), moved AS (
    INSERT INTO account SELECT customer, currency, amount FROM delivered WHERE deliveries = 1
    ON CONFLICT (customer, currency) DO UPDATE SET amount = account.amount + excluded.amount
  )
  SELECT (customer, currency, amount) = ($2, $3, $4) AS same FROM delivered\`;
const review = (body) =>
  pool.query('INSERT INTO review VALUES ($1) ON CONFLICT DO NOTHING', [body]);

export const receiver = createReceiver({
  secret: process.env.CALLBACK_SECRET,
  async onDepositReceived(deposit, { key, body }) {
    const find = 'SELECT customer FROM payment WHERE id = $1';
    const [order] = (await pool.query(find, [deposit.clientPaymentId])).rows;
    if (!order) return review(body);
    const values = [order.customer, deposit.depositCurrency, deposit.actualDepositAmount.toString()];
    const [{ same }] = (await pool.query(settle, [key, ...values])).rows;
    if (!same) await review(body);
  },
  onRefused: async (_, { body }) => void (await review(body)),
  onError: async () => {},
});
`;
const TABLES = `
  CREATE TABLE payment (id text PRIMARY KEY, customer text NOT NULL);
  CREATE TABLE callback (key text PRIMARY KEY, customer text NOT NULL, currency text NOT NULL,
    amount numeric NOT NULL, deliveries bigint DEFAULT 1);
  CREATE TABLE account (customer text, currency text, amount numeric NOT NULL,
    PRIMARY KEY (customer, currency));
  CREATE TABLE review (body bytea PRIMARY KEY)`;

describe('docs/testing.md', { skip: whyNoPostgres() }, () => {
  const page = filesOn('docs/testing.md');
  /** @type {Merchant} */
  let merchant;
  before(async () => {
    // Within the project, which has Vitest.
    const parent = join(ROOT, 'coverage');
    fs.mkdirSync(parent, { recursive: true });
    merchant = await openMerchant(parent);
    // Otherwise, it finds the settings of this project.
    write('vitest.config.js', 'export default {};');
  });
  after(() => merchant.close());

  /** @param {string} name @param {string} [code] */
  function write(name, code = page.get(name)) {
    assert(code, name);
    fs.writeFileSync(join(merchant.folder.path, name), code);
  }
  /** @param {Record<string, string>} own @param {string[]} args */
  async function run(own, ...args) {
    // Otherwise, node:test takes itself for a part of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: merchant.folder.path,
      env: { ...env, DATABASE_URL: merchant.postgres.url, CALLBACK_SECRET: SECRET, ...own },
    });
    return stdout;
  }

  test('the test of Vitest compiles, and passes with server.mjs', async () => {
    fs.mkdirSync(join(merchant.folder.path, 'tested'));
    const server = await merchant.start({ FOLDER: 'tested' });
    write('callbacks.test.ts');
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2022 --types node';
    await run({}, tool('typescript/bin/tsc'), ...options.split(' '), 'callbacks.test.ts');
    const vitest = [tool('vitest/vitest.mjs'), 'run', 'callbacks', '--no-color'];
    const printed = await run({ CALLBACK_URL: server.url }, ...vitest);
    assert.match(printed, /Tests +(\d+) passed \(\1\)/);
    assert.equal(await server.stop(), 0);
  });

  test('the test of node:test passes with a receiver in its process', async () => {
    await merchant.reset();
    await merchant.postgres.query(TABLES);
    write('deposits.mjs', RECEIVER);
    write('test-callbacks.mjs');
    const printed = await run({}, '--test', 'test-callbacks.mjs');
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
  });
});
