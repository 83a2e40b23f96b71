// The pages Frameworks, Credit once and Testing, followed one after the other.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blockOn, copied, copy, filesOn, replaced, write } from './code.js';
import { openMerchant, SCHEMA } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { startServer } from './server.js';

/** @import { Server } from './server.js' */

const { folder, postgres } = await openMerchant();

describe('docs/testing.md', { skip: whyNoPostgres() }, () => {
  const page = copied('callbacks.test.ts');
  /** @type {Server} */
  let server;
  before(async () => {
    await postgres.query(`${SCHEMA}
      INSERT INTO orders VALUES ('deposit.received', 'order-1', 'customer-7')`);
    for (const file of ['server', 'stop', 'postgres', 'settle']) copy(folder, `${file}.mjs`);
    // Otherwise, it finds the settings of this project.
    write(folder, 'vitest.config.js', 'export default {};');
    write(folder, 'receiver.ts', filesOn('docs/frameworks.md').get('receiver.ts'));
    write(folder, 'ledger.ts', filesOn('docs/credit-once.md').get('ledger.ts'));
    server = await startServer(['node', 'server.mjs'], { cwd: folder });
    process.env.CALLBACK_URL = server.url;
    // Otherwise, node:test takes itself for a part of this test.
    delete process.env.NODE_TEST_CONTEXT;
  });
  after(() => server?.kill());

  /** Runs a program in the folder, as the page says. @param {string[]} args */
  const run = async (...args) => (await promisify(execFile)(process.execPath, args)).stdout;
  // A few of the tests, which differ in what they need: with `.ci/run --full`, Vitest runs all.
  const SOME = 'exactly|failed';

  test('its file passes with server.mjs', async () => {
    write(folder, 'callbacks.test.ts', page);
    const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
    const args = [vitest, 'run', 'callbacks', '--no-color'];
    if (process.env.FULL === 'true') assert.match(await run(...args), /Tests +(\d+) passed \(\1\)/);
    else assert.match(await run(...args, '-t', SOME), /Tests +[1-9]\d+ passed \|/);
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
    write(folder, 'callbacks.test.ts', `import { receiver } from './receiver.ts';\n${code}`);
    const options = ['--test-reporter=tap', `--test-name-pattern=${SOME}`, '--test-force-exit'];
    const printed = await run('--import', 'tsx', '--test', ...options, 'callbacks.test.ts');
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
  });

  test('one function settles a deposit', async () => {
    write(folder, 'one-deposit.ts', filesOn('docs/testing.md').get('one-deposit.ts'));
    // Otherwise, it waits ten seconds for the idle connection.
    const code = "await import('./one-deposit.ts'); process.exit()";
    const printed = await run('--import', 'tsx', '--input-type=module', '--eval', code);
    assert.match(printed, /: settled, 0\.01523 BTC\n$/);
  });

  test('CommonJS can load the files to copy', async () => {
    const script = "require('./postgres.mjs'); require('./settle.mjs')";
    await run('--input-type=commonjs', '-e', script);
  });
});
