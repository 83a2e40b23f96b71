import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { bodyVariants, deliver, depositReceivedBody } from 'payment-notifications/testing';
import { startServer } from './server.js';

const SERVER = fileURLToPath(new URL('../start/server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {string} */
let url;

async function start() {
  server = await startServer(['node', SERVER], { cwd: pathToFileURL(`${folder}/`) });
  url = `http://127.0.0.1:${server.port}/deposits`;
}

before(start);
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** @param {string} body @param {number} [copies] */
async function answersTo(body, copies = 1) {
  const { attempts } = await deliver(body, { url, copies });
  return attempts.map(({ answer }) => `${answer?.status} ${answer?.body}`).sort();
}

test('the handler of the README credits a deposit once, in whatever encoding it comes', async () => {
  const [first, ...others] = bodyVariants(depositReceivedBody());
  assert(first);
  const repeated = Array(4).fill('200 "repeated"');
  assert.deepEqual(await answersTo(first.body, 5), ['200 "credited"', ...repeated]);
  for (const { body } of others) assert.deepEqual(await answersTo(body), ['200 "repeated"']);
  assert.deepEqual(await answersTo(depositReceivedBody({}, { seed: 1 })), ['200 "credited"']);
});

test('it remembers what it has credited', async () => {
  await server.stop();
  await start();
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 "repeated"']);
});

test('it refuses what is no deposit, an empty body too', async () => {
  assert.deepEqual(await answersTo('{'), ['400 ["invalid_json"]']);
  assert.deepEqual(await answersTo(''), ['400 ["invalid_json"]']);
});

test('it keeps what it refused once, however often it comes, and prints it', async () => {
  const body = depositReceivedBody({}, { seed: 2 }).replace('CONFIRMED', 'PENDING');
  for (let count = 0; count < 3; count += 1) {
    assert.deepEqual(await answersTo(body), ['400 ["unknown_value"]']);
  }
  await server.stop();
  // Only now: its output may come later than its answers.
  const printed = server.printed.filter((line) => line.includes('received "PENDING"'));
  assert.equal(printed.length, 3);

  const database = new PGlite(join(folder, 'data'));
  const { rows } = await database.query('SELECT body FROM refused WHERE reason = $1', [printed[0]]);
  const count = await database.query('SELECT count(*)::int FROM refused');
  await database.close();
  const kept = /** @type {{ body: Uint8Array }[]} */ (rows).map(
    (row) => `${Buffer.from(row.body)}`,
  );
  assert.deepEqual(kept, [body]);
  // With the two of the test before.
  assert.deepEqual(count.rows, [{ count: 3 }]);
});
