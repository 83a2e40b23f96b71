// The pages Frameworks, Credit once and Testing, followed one after the other.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { blockOn, filesOn } from './code.js';
import { openMerchant, replaced, SETTLE, settleWith } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { SECRET, statusOf } from './server.js';

/** @import { Merchant } from './merchant.js' */
/** @import { Server } from './server.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tool = (/** @type {string} */ path) => join(ROOT, 'node_modules', path);

describe('docs/testing.md', { skip: whyNoPostgres() }, () => {
  const page = filesOn('docs/testing.md').get('callbacks.test.ts') ?? '';
  /** @type {Merchant} */
  let merchant;
  /** @type {Server} */
  let server;
  before(async () => {
    // Within the project, which has Vitest.
    const parent = join(ROOT, 'coverage');
    fs.mkdirSync(parent, { recursive: true });
    merchant = await openMerchant(parent);
    // Otherwise, it finds the settings of this project.
    write('vitest.config.js', 'export default {};');
    write('package.json', '{ "type": "module" }');
    write('receiver.ts', filesOn('docs/frameworks.md').get('receiver.ts'));
    write('ledger.ts', filesOn('docs/credit-once.md').get('ledger.ts'));
    write('callbacks.test.ts', page);
    server = await merchant.start();
  });
  after(() => merchant.close());

  /** @param {string} name @param {string} [code] */
  function write(name, code) {
    assert(code, name);
    fs.writeFileSync(join(merchant.folder.path, name), code);
  }
  /** Runs a program in the folder, as the page says. @param {string[]} args */
  async function run(...args) {
    // Otherwise, node:test takes itself for a part of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const DATABASE_URL = merchant.postgres.url;
    const own = { DATABASE_URL, CALLBACK_SECRET: SECRET, CALLBACK_URL: server.url };
    const options = { cwd: merchant.folder.path, env: { ...env, ...own } };
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  }
  const VITEST = [tool('vitest/vitest.mjs'), 'run', 'callbacks', '--no-color'];
  const ALL_PASSED = /Tests +(\d+) passed \(\1\)/;

  test('the test file compiles, and passes with server.mjs', async () => {
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --allowJs --checkJs --allowImportingTsExtensions --module nodenext --target es2022 --types node';
    const files = ['callbacks.test.ts', 'receiver.ts'];
    await run(tool('typescript/bin/tsc'), ...options.split(' '), ...files);
    assert.match(await run(...VITEST), ALL_PASSED);
  });

  test('it runs by node:test', async () => {
    const byNode = replaced(page, "{ test } from 'vitest'", "{ after, test } from 'node:test'");
    write('callbacks.test.ts', `${byNode}after(() => database.end());\n`);
    const load = ['--import', import.meta.resolve('tsx')];
    // A few of the tests, because the ones that pass by Vitest do the same here.
    const only = ['--test-reporter=tap', '--test-name-pattern=exactly|failed'];
    const printed = await run(...load, '--test', ...only, 'callbacks.test.ts');
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
    assert.equal(await server.stop(), 0);
  });

  test('it passes with a receiver in its process', async () => {
    const direct = blockOn('docs/testing.md', '  url: `http://localhost');
    const code = replaced(page, '  url: process.env.CALLBACK_URL,\n', direct);
    write('callbacks.test.ts', `import { receiver } from './receiver.ts';\n${code}`);
    assert.match(await run(...VITEST), ALL_PASSED);
  });

  test('it finds a balance that is read and then written, and names the cause', async () => {
    const statement = replaced(SETTLE, 'balance.amount + excluded.amount', '$7');
    const sum = `await (async () => {
      const find = 'SELECT amount::text FROM balance WHERE (account, currency) = ($1, $2)';
      const [balance = { amount: '0' }] = (await database.query(find, [account, currency])).rows;
      return database.query(SETTLE, [...values, amount.plus(balance.amount).toString()]);
    })();`;
    write('settle.mjs', replaced(statement, 'await database.query(SETTLE, values);', sum));
    write('callbacks.test.ts', page);
    server = await merchant.start();
    const cause = /the balance is read and then written/;
    await assert.rejects(run(...VITEST, '-t', 'five orders of one'), ({ stdout, stderr }) =>
      cause.test(stdout + stderr),
    );
    await server.stop();
  });

  test('customerOf of the page finds the customer of an invoice', async () => {
    await merchant.reset();
    await merchant.postgres.query(`CREATE TABLE invoice (number text, customer_id int);
      CREATE TABLE payout (number text, customer_id int);
      INSERT INTO invoice VALUES ('order-10042', 7), ('anonymous', NULL);
      INSERT INTO payout VALUES ('payout-7731', 8)`);
    write('settle.mjs', settleWith(blockOn('docs/credit-once.md', 'async function customerOf')));
    server = await merchant.start();
    // An invoice without a customer is nobody's.
    const anonymous = depositReceivedBody({ clientPaymentId: 'anonymous' }, { seed: 1 });
    for (const body of [depositReceivedBody(), withdrawalBroadcastBody(), anonymous])
      assert.equal(await statusOf(server.url, body), 200);
    assert.equal(merchant.reason('review', anonymous), 'the order is unknown\n');
    assert.deepEqual(await merchant.balances(), { '7 BTC': '0.01523', '8 XRP': '-480.73' });
    write('settle.mjs', SETTLE);
  });

  test('CommonJS can load the files to copy', async () => {
    const script = "require('./postgres.mjs'); require('./settle.mjs')";
    await run('--input-type=commonjs', '-e', script);
  });
});
