// The pages Frameworks, Credit once and Testing, followed one after the other.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { blockOn, copied, filesOn } from './code.js';
import { openMerchant, replaced } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { Merchant } from './merchant.js' */
/** @import { Server } from './server.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('docs/testing.md', { skip: whyNoPostgres() }, () => {
  const page = copied('callbacks.test.ts');
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
    write('receiver.ts', filesOn('docs/frameworks.md').get('receiver.ts') ?? '');
    write('ledger.ts', filesOn('docs/credit-once.md').get('ledger.ts') ?? '');
    server = await merchant.start();
  });
  after(() => merchant.close());

  /** @param {string} name @param {string} code */
  const write = (name, code) => fs.writeFileSync(join(merchant.folder.path, name), code);
  /** Runs a program in the folder, as the page says. @param {string[]} args */
  async function run(...args) {
    // Otherwise, node:test takes itself for a part of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const DATABASE_URL = merchant.postgres.url;
    const own = { DATABASE_URL, CALLBACK_SECRET: SECRET, CALLBACK_URL: server.url };
    const options = { cwd: merchant.folder.path, env: { ...env, ...own } };
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  }
  const TSX = import.meta.resolve('tsx');
  // A few of the tests, which differ in what they need: with `.ci/run --full`, Vitest runs all.
  const SOME = 'exactly|failed';

  test('its file passes with server.mjs', async () => {
    write('callbacks.test.ts', page);
    const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'callbacks', '--no-color'];
    if (process.env.FULL === 'true')
      assert.match(await run(...vitest), /Tests +(\d+) passed \(\1\)/);
    else assert.match(await run(...vitest, '-t', SOME), /Tests +[1-9]\d+ passed \|/);
    assert.equal(await server.stop(), 0);
  });

  test('it runs by node:test, and with a receiver in its process', async () => {
    const block = blockOn('docs/testing.md', 'import { after, test }');
    const [imported = '', ...rest] = block.split('\n');
    let code = replaced(page, "import { test } from 'vitest';", imported);
    const last = 'for (const { name, run } of tests) test(name, run, 60_000);\n';
    code = replaced(code, last, rest.join('\n'));
    const direct = blockOn('docs/testing.md', '  url: `http://localhost');
    code = replaced(code, '  url: process.env.CALLBACK_URL,\n', direct);
    write('callbacks.test.ts', `import { receiver } from './receiver.ts';\n${code}`);
    const options = ['--test-reporter=tap', `--test-name-pattern=${SOME}`, '--test-force-exit'];
    const printed = await run('--import', TSX, '--test', ...options, 'callbacks.test.ts');
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
  });

  test('one function settles a deposit', async () => {
    write('one-deposit.ts', filesOn('docs/testing.md').get('one-deposit.ts') ?? '');
    await merchant.order(depositReceivedBody({ clientPaymentId: 'order-1' }));
    // Otherwise, it waits ten seconds for the idle connection.
    const code = "await import('./one-deposit.ts'); process.exit()";
    const printed = await run('--import', TSX, '--input-type=module', '--eval', code);
    assert.match(printed, /: settled, 0\.01523 BTC\n$/);
  });

  test('CommonJS can load the files to copy', async () => {
    const script = "require('./postgres.mjs'); require('./settle.mjs')";
    await run('--input-type=commonjs', '-e', script);
  });
});
