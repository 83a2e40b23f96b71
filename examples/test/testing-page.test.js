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
  /** @param {Record<string, string | undefined>} own @param {string[]} args */
  async function run(own, ...args) {
    // Otherwise, node:test takes itself for a part of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: merchant.folder.path,
      env: { ...env, DATABASE_URL: merchant.postgres.url, CALLBACK_SECRET: SECRET, ...own },
    });
    return stdout;
  }

  const RUNNER = "import { test } from 'vitest';\n";
  const LOOP = 'for (const { name, run } of tests) test(name, run, 60_000);\n';
  const URL_OF_SERVER = '  url: process.env.CALLBACK_URL,\n';
  const VITEST = [tool('vitest/vitest.mjs'), 'run', 'callbacks', '--no-color'];
  const [nodeRunner = '', nodeLoop = '', imports = '', direct = '', last = ''] = blocksOn(
    'docs/testing.md',
  )
    .filter(({ argument }) => argument === 'a test puts it into callbacks.test.ts')
    .map(({ code }) => code);
  /** The file of the page, with its changes. @param {[from: string, to: string][]} changes */
  const changed = (...changes) =>
    changes.reduce(
      (code, [from, to]) => replaced(code, from, to),
      page.get('callbacks.test.ts') ?? '',
    );

  test('the test compiles, and passes with server.mjs, by Vitest and by node:test', async () => {
    fs.mkdirSync(join(merchant.folder.path, 'tested'));
    const server = await merchant.start({ FOLDER: 'tested' });
    const env = { CALLBACK_URL: server.url };
    write('callbacks.test.ts');
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2022 --types node';
    await run({}, tool('typescript/bin/tsc'), ...options.split(' '), 'callbacks.test.ts');
    assert.match(await run(env, ...VITEST), /Tests +(\d+) passed \(\1\)/);

    write('callbacks.test.ts', changed([RUNNER, nodeRunner], [LOOP, nodeLoop]));
    const tsx = import.meta.resolve('tsx');
    const printed = await run(env, '--import', tsx, '--test', 'callbacks.test.ts');
    assert.match(printed, /^# pass [1-9]\d+$/m);
    assert.match(printed, /^# fail 0$/m);
    assert.equal(await server.stop(), 0);
  });

  test('it passes with a receiver in its process', async () => {
    await merchant.reset();
    await (await merchant.start()).stop(); // creates the tables
    const [settle] = PROGRAM.split('// ---- The server ----');
    const end = blocksOn('docs/credit-once.md').find(
      ({ argument }) => argument === 'a test puts it into settle.mjs',
    );
    write('settle.mjs', `${settle}${end?.code}`);
    const receiver = filesOn('docs/handlers.md').get('receiver.ts') ?? '';
    const [own = ''] = receiver.match(/^async function settleOnce.*?^}$/ms) ?? [];
    write('receiver.ts', replaced(receiver, own, "import { settleOnce } from './settle.mjs';"));
    // CommonJS can load only a module without an await outside of functions.
    await run({}, '-e', "require('./settle.mjs'); process.exit()");
    const withoutUrl = run({ DATABASE_URL: undefined }, 'settle.mjs');
    await assert.rejects(withoutUrl, /DATABASE_URL: expected/);
    write('callbacks.test.ts', changed([RUNNER, imports], [URL_OF_SERVER, direct]) + last);
    assert.match(await run({ FOLDER: 'tested' }, ...VITEST), /Tests +(\d+) passed \(\1\)/);
  });
});
