// trial.mjs as a newcomer starts it, and server.mjs as it must not be started.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { openFolder } from './merchant.js';
import { SECRET, startServer, statusOf, until } from './server.js';

const PACKAGE = 'node_modules/payment-notifications';
const COMMAND = `${PACKAGE}/dist/cli.js`;
/** Whatever a developer has set. */
const UNSET = { CALLBACK_SECRET: undefined, DATABASE_URL: undefined, HOST: undefined };

const folder = openFolder();
after(folder.remove);

describe('a trial', { concurrency: true }, () => {
  test('credits samples once, needs its own secret, and leaves nothing behind', async () => {
    const before = fs.readdirSync(folder.path);
    const temporary = fs.mkdtempSync(join(folder.path, 'tmp-'));
    const env = { ...UNSET, TMPDIR: temporary };
    const command = ['node', `${PACKAGE}/examples/start/trial.mjs`];
    const server = await startServer(command, { cwd: folder.url, env });
    await until(() => server.printed.length === 2);
    const [first, second = ''] = server.printed;
    assert.equal(first, 'This is a trial. It keeps nothing when it ends. PostgreSQL is starting.');
    const tryIt = 'Try it: npx payment-notifications send deposit --copies 5 --to ';
    assert(second.startsWith(tryIt));
    const url = second.slice(tryIt.length);
    const root = `http://127.0.0.1:${server.port}/callbacks/`;
    assert.match(url.replace(root, ''), /^[0-9a-f-]{36}$/);

    for (const words of ['send deposit --copies 5', 'send withdrawal'])
      await promisify(execFile)('node', [COMMAND, ...words.split(' '), '--to', url], {
        cwd: folder.path,
      });
    await until(() => server.printed.length === 8);
    assert.deepEqual(
      server.printed.slice(2).map((line) => line.slice(line.lastIndexOf(':') + 2)),
      ['settled, 0.01523 BTC', ...Array(4).fill('repeated, 0.01523 BTC'), 'settled, -480.73 XRP'],
    );

    assert.equal(await statusOf(root + SECRET, depositReceivedBody()), 404);
    const unknown = depositReceivedBody({ clientPaymentId: 'unknown' }, { seed: 1 });
    assert.equal(await statusOf(url, unknown), 200);
    const files = fs.readdirSync(temporary, { recursive: true, encoding: 'utf8' });
    const isSaved = /review\/deposit\.received\.[0-9a-f-]{36}\.[0-9a-f]{16}\.json$/;
    assert(files.some((file) => isSaved.test(file)));
    assert.equal(await server.stop(), 0);
    fs.rmdirSync(temporary); // it is empty
    assert.deepEqual(fs.readdirSync(folder.path), before);
  });

  test('goes on if nothing can be printed', async () => {
    const command = ['sh', '-c', 'node trial.mjs 2>&1 | head -n 2']; // the URL, and then no more
    const server = await startServer(command, { cwd: folder.url, env: UNSET });
    await until(() => server.printed.length === 2);
    const url = `${server.printed[1]}`.replace(/.* /, '');
    for (let count = 0; count < 4; count += 1)
      assert.equal(await statusOf(url, depositReceivedBody()), 200);
    await server.kill();
  });
});

describe('server.mjs', () => {
  const url = 'postgres://merchant:a-password@127.0.0.1:1/merchant';
  const start = (/** @type {Record<string, string | undefined>} */ env) =>
    startServer(['node', 'server.mjs'], { cwd: folder.url, env: { DATABASE_URL: url, ...env } });

  /** @type {[what: string, env: Record<string, string | undefined>, said: RegExp][]} */
  const WRONG = [
    [
      'without a secret',
      { CALLBACK_SECRET: undefined },
      /secret: expected at least 16 .* Make one with "openssl rand -hex 32"/,
    ],
    ['without a database', { DATABASE_URL: '' }, /DATABASE_URL: expected postgres:/],
    [
      'with the address of another database',
      { DATABASE_URL: url.replace('postgres', 'mysql') },
      /DATABASE_URL: expected postgres:/,
    ],
    [
      'with a password that needs encoding',
      { DATABASE_URL: url.replace('a-password', 'a-password/#') },
      /DATABASE_URL: expected postgres:/,
    ],
    ['on a port of spaces', { PORT: ' ' }, /PORT: expected a number, received " "/],
  ];
  for (const [what, env, expected] of WRONG)
    test(`does not start ${what}`, () =>
      assert.rejects(start(env), ({ message }) => {
        assert.match(message, expected);
        assert.doesNotMatch(message, /a-password|no tables/);
        return true;
      }));

  test('starts on port 3000 with an empty PORT, and never prints a secret', async () => {
    const printed = await start({ PORT: '' }).then(
      async (server) => {
        await until(() => server.printed.length > 0);
        await server.kill();
        return server.printed.join('\n');
      },
      // Something else may have that port here.
      ({ message }) => message,
    );
    assert.match(printed, /127\.0\.0\.1:3000/);
    assert.doesNotMatch(printed, new RegExp(`${SECRET}|a-password`));
  });
});
