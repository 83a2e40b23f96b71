import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
