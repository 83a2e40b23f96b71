// The tests of docs/testing.md, as a reader runs them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOn, filesOn } from '../../scripts/pages/code.js';
import { openMerchant, PROGRAM, replaced } from './merchant.js';
import { whyNoPostgres } from './programs.js';
import { SECRET } from './server.js';

/** @import { Merchant } from './merchant.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tool = (/** @type {string} */ path) => join(ROOT, 'node_modules', path);

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

  test('its changes for node:test, and for a receiver in its process, pass as well', async () => {
    await merchant.reset();
    const [receiver] = PROGRAM.split('// ---- The HTTP server');
    write('receiver.mjs', receiver);
    const [runner = '', loop = '', inProcess = ''] = blocksOn('docs/testing.md')
      .filter(({ argument }) => argument === 'a test puts it into callbacks.test.ts')
      .map(({ code }) => code);
    let code = `import { receiver, stopSpool } from './receiver.mjs';\n${page.get('callbacks.test.ts')}`;
    code = replaced(code, "import { test } from 'vitest';\n", runner);
    code = replaced(code, 'for (const { name, run } of tests) test(name, run, 60_000);\n', loop);
    code = replaced(code, '  url: process.env.CALLBACK_URL,\n', inProcess);
    write('in-process.test.ts', `${code}after(stopSpool);\n`);
    const tsx = import.meta.resolve('tsx');
    const printed = await run(
      { FOLDER: 'tested' },
      '--import',
      tsx,
      '--test',
      'in-process.test.ts',
    );
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
  });
});
