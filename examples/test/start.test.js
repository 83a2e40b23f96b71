import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { bodyVariants, depositReceivedBody } from 'payment-notifications/testing';
import { answersOf } from './bodies.js';
import { startServer } from './server.js';

const SERVER = fileURLToPath(new URL('../start/server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {string} */
let url;
/** @type {string[]} */
const kept = [];

async function start() {
  server = await startServer(['node', SERVER], { cwd: pathToFileURL(`${folder}/`) });
  url = `http://127.0.0.1:${server.port}/deposits`;
}

before(start);
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const answersTo = (/** @type {string} */ body, copies = 1) => answersOf([{ url }], body, copies);

test('the handler of the README credits a deposit once, in whatever encoding it comes', async () => {
  const [first, ...others] = bodyVariants(depositReceivedBody());
  assert(first);
  const repeated = Array(4).fill('200 repeated');
  assert.deepEqual(await answersTo(first.body, 5), ['200 credited', ...repeated]);
  for (const { body } of others) assert.deepEqual(await answersTo(body), ['200 repeated']);
  assert.deepEqual(await answersTo(depositReceivedBody({}, { seed: 1 })), ['200 credited']);
});

test('a known key with another amount or account is kept, and said', async () => {
  const others = [{ actualDepositAmount: '7' }, { clientPaymentId: 'another customer' }].map(
    (other) => depositReceivedBody(other),
  );
  for (const body of others) assert.deepEqual(await answersTo(body, 2), ['200 held', '200 held']);
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 repeated']);
  kept.push(...others);
});

test('a second process says whose the folder is, and ends before it touches the data', async () => {
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => {
      const { mtimeMs, size } = statSync(join(folder, file));
      return `${file} ${mtimeMs} ${size}`;
    });
  const before = files();
  const second = spawnSync('node', [SERVER], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    encoding: 'utf8',
    timeout: 60_000, // one that goes on would never end
  });
  assert.equal(second.status, 1);
  assert.match(second.stderr, new RegExp(`^\\./data belongs to process ${server.pid}\\b`));
  assert.deepEqual(files(), before);
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 repeated']);
  // One that was killed leaves its number, which is nobody's by now.
  await server.kill();
  await start();
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 repeated']);
});

test('it keeps what it refused once, however often it comes, and prints it', async () => {
  const refused = depositReceivedBody({}, { seed: 2 }).replace('CONFIRMED', 'PENDING');
  assert.deepEqual(await answersTo(refused, 3), Array(3).fill('400 unknown_value'));
  for (const body of ['{', '']) assert.deepEqual(await answersTo(body), ['400 invalid_json']);
  // Valid, but no column can store it.
  const unfit = depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 5 });
  assert.deepEqual(await answersTo(unfit), ['500 failed']);
  await server.stop();
  // Only now: its output may come later than its answers.
  const printed = server.printed.filter((line) => line.includes('received "PENDING"'));
  assert.equal(printed.length, 3);

  const database = new PGlite(join(folder, 'data'));
  const { rows } = await database.query('SELECT body FROM kept');
  const events = await database.query('SELECT FROM event WHERE key LIKE $1', ['%000005']);
  await database.close();
  const found = /** @type {{ body: Uint8Array }[]} */ (rows).map((row) => Buffer.from(row.body));
  const all = ['{', '', refused, unfit, ...kept].map((text) => Buffer.from(text));
  assert.deepEqual(found.sort(Buffer.compare), all.sort(Buffer.compare));
  assert.equal(events.rows.length, 0);
});
