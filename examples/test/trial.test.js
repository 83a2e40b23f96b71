// trial.mjs as a newcomer starts it, and server.mjs as it must not be started.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { openFolder, until } from './merchant.js';
import { atExit, SECRET, startServer, statusOf, UNSET } from './server.js';

const TRIAL = 'node_modules/payment-notifications/examples/start/trial.mjs';
const COMMAND = 'node_modules/payment-notifications/dist/cli.js';

describe('a trial', () => {
  const folder = openFolder();
  const temporary = join(folder.path, 'tmp');
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  before(async () => {
    fs.mkdirSync(temporary);
    const env = { ...UNSET, TMPDIR: temporary };
    server = await startServer(['node', TRIAL], { cwd: folder.url, env });
    await until(() => server.printed.length === 2);
  });
  after(async () => {
    await server.kill();
    folder.remove();
  });

  test('says so first, and prints the URL and a command that credits a deposit', async () => {
    const [first, second = ''] = server.printed;
    assert.equal(first, 'This is a trial. It keeps nothing when it ends.');
    const command = 'Try it: npx payment-notifications send deposit --copies 5 --to ';
    assert(second.startsWith(command));
    const url = second.slice(command.length);
    assert.match(
      url,
      new RegExp(`^http://127\\.0\\.0\\.1:${server.port}/callbacks/[0-9a-f-]{36}$`),
    );
    server.url = url;
    for (const words of ['send deposit --copies 5', 'send withdrawal'])
      await promisify(execFile)('node', [COMMAND, ...words.split(' '), '--to', url], {
        cwd: folder.path,
      });
    await until(() => server.printed.length === 8);
    assert.deepEqual(
      server.printed.slice(2).map((line) => line.slice(line.lastIndexOf(':') + 2)),
      ['settled, 0.01523 BTC', ...Array(4).fill('repeated, 0.01523 BTC'), 'settled, -480.73 XRP'],
    );
  });

  test('takes nothing without the secret that it has made', async () => {
    const wrong = server.url.replace(/[^/]+$/, SECRET);
    assert.equal(await statusOf(wrong, depositReceivedBody()), 404);
  });

  test('keeps its bodies in a temporary folder, and leaves nothing behind', async () => {
    const before = fs.readdirSync(folder.path);
    const unknown = depositReceivedBody({ clientPaymentId: 'unknown' }, { seed: 1 });
    assert.equal(await statusOf(server.url, unknown), 200);
    const files = fs.readdirSync(temporary, { recursive: true, encoding: 'utf8' });
    assert(
      files.some((file) =>
        /review\/deposit\.received\.[0-9a-f-]{36}\.[0-9a-f]{16}\.json$/.test(file),
      ),
    );
    assert.equal(await server.stop(), 0);
    assert.deepEqual(fs.readdirSync(temporary), []);
    assert.deepEqual(fs.readdirSync(folder.path), before);
    assert(!before.includes('webhooks'));
  });
});

test('a trial goes on if nothing can be printed', async () => {
  const folder = openFolder();
  await Promise.all(
    ['> /dev/full', '| head -n 1'].map(async (target) => {
      const command = ['sh', '-c', `node trial.mjs 2>&1 ${target}`];
      const server = await startServer(command, { cwd: folder.url, env: UNSET });
      // It prints about a wrong secret.
      for (let count = 0; count < 3; count += 1)
        assert.equal(await statusOf(server.url, depositReceivedBody()), 404);
      await server.kill();
    }),
  );
  folder.remove();
});

describe('does not start', () => {
  const folder = openFolder();
  after(folder.remove);
  const url = 'postgres://merchant:a-password@127.0.0.1:1/merchant';

  /** What it prints until it ends, or listens. @param {Record<string, string>} own */
  async function start(own) {
    const child = spawn('node', ['server.mjs'], {
      cwd: folder.path,
      env: { ...process.env, ...UNSET, PORT: '0', ...own },
    });
    const forget = atExit(() => child.kill());
    const printed = text(child.stdout);
    const said = text(child.stderr);
    child.stdout.on('data', (data) => `${data}`.includes('listening') && child.kill());
    const [code] = await once(child, 'close');
    forget();
    return { code, printed: await printed, said: await said };
  }

  /** @type {[what: string, env: Record<string, string>, said: RegExp][]} */
  const WRONG = [
    [
      'on a database without a secret',
      { DATABASE_URL: url },
      /secret: expected at least 16 .* Make one with "openssl rand -hex 32"/,
    ],
    [
      'without the address of the database',
      { DATABASE_URL: '', CALLBACK_SECRET: SECRET },
      /DATABASE_URL: expected postgres:/,
    ],
    [
      'with the address of another database',
      { DATABASE_URL: url.replace('postgres', 'mysql'), CALLBACK_SECRET: SECRET },
      /DATABASE_URL: expected postgres:/,
    ],
    [
      'with a password that needs encoding',
      { DATABASE_URL: url.replace('a-password', 'a-password/#'), CALLBACK_SECRET: SECRET },
      /DATABASE_URL: expected postgres:/,
    ],
    [
      'on a port of spaces',
      { DATABASE_URL: url, CALLBACK_SECRET: SECRET, PORT: ' ' },
      /PORT: expected a number, received " "/,
    ],
  ];
  for (const [what, env, expected] of WRONG)
    test(what, async () => {
      const { code, said } = await start(env);
      assert.equal(code, 1, said);
      assert.match(said, expected);
      assert.doesNotMatch(said, /a-password|no tables/);
    });

  test('but starts on port 3000 with an empty PORT, and never prints a secret', async () => {
    const { printed, said } = await start({ DATABASE_URL: url, CALLBACK_SECRET: SECRET, PORT: '' });
    // Something else may have that port here.
    assert.match(printed + said, /127\.0\.0\.1:3000/);
    assert.doesNotMatch(printed + said, new RegExp(`${SECRET}|a-password`));
  });
});
