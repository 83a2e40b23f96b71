import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { depositReceivedBody, handlerTests } from 'payment-notifications/testing';
import { answersOf, statusOf } from './bodies.js';
import { SECRET, startServer } from './server.js';

const SERVER = fileURLToPath(new URL('../start/server.mjs', import.meta.url));
const PRELOAD = new URL('preload-server.js', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
const socketPath = join(folder, 'sql');
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @param {string[]} [program] By which it is started. */
async function start(program = []) {
  rmSync(socketPath, { force: true });
  const command = [...program, 'node', '--import', PRELOAD, SERVER];
  const cwd = pathToFileURL(`${folder}/`);
  server = await startServer(command, { cwd, env: { SQL_SOCKET: socketPath } });
}
/** What it prints when it listens, which may come later than that. */
async function shownPath() {
  const find = () => /^listening at .*(\/callbacks\/.*)$/m.exec(server.printed.join('\n'))?.[1];
  while (find() === undefined) await sleep(20);
  return find() ?? '';
}

/** Runs SQL in the server. @param {string} sql @returns {Promise<any[]>} */
async function query(sql) {
  const sent = request({ socketPath, method: 'POST' }).end(sql);
  const response = await new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  return JSON.parse(await text(response));
}

before(async () => {
  // As a newcomer starts it.
  await start(['env', '--unset=CALLBACK_SECRET']);
  server.url = new URL(await shownPath(), server.url).href;
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const answersTo = (/** @type {string} */ body, copies = 1) => answersOf([server], body, copies);

/** @param {string} body */
async function countKept(body) {
  const hex = Buffer.from(body).toString('hex');
  return (await query(`SELECT FROM kept WHERE body = decode('${hex}', 'hex')`)).length;
}

describe('the handler of the README', () => {
  const tests = handlerTests({
    url: 'http://127.0.0.1/callbacks',
    fetch: (_url, init) => fetch(server.url, init),
    receives: 'deposit.received',
    async balance(currency) {
      return (await query(`SELECT sum(amount) FROM balance WHERE currency = '${currency}'`))[0].sum;
    },
    async breakDatabase() {
      await query('ALTER TABLE balance RENAME TO away');
      return async () => void (await query('ALTER TABLE away RENAME TO balance'));
    },
  });
  for (const { name, run } of tests) test(name, run);
});

test('nobody posts without the secret, which it makes and prints', async () => {
  assert.match(await shownPath(), /^\/callbacks\/[0-9a-f-]{36}$/);
  const body = depositReceivedBody({}, { seed: 3 });
  for (const path of ['', 'callbacks', `callbacks/${SECRET}`])
    assert.equal(await statusOf(new URL(`/${path}`, server.url).href, body), 404);
  assert.equal(await statusOf(server.url, body), 200);
});

test('a known key with another amount or account is kept, and said', async () => {
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 credited']);
  const others = [{ actualDepositAmount: '7' }, { clientPaymentId: 'another customer' }].map(
    (other) => depositReceivedBody(other),
  );
  for (const body of others) assert.deepEqual(await answersTo(body, 2), ['200 held', '200 held']);
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 repeated']);
  for (const body of others) assert.equal(await countKept(body), 1);
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
  assert.equal(await shownPath(), '/callbacks/$CALLBACK_SECRET'); // as a server is started, whose logs are read
  assert.deepEqual(await answersTo(depositReceivedBody()), ['200 repeated']);
});

test('it keeps what it refused once, however often it comes, and prints it', async () => {
  const refused = depositReceivedBody({}, { seed: 2 }).replace('CONFIRMED', 'PENDING');
  assert.deepEqual(await answersTo(refused, 3), Array(3).fill('400 unknown_value'));
  assert.equal(await countKept(refused), 1);
  // Valid, but no column can store it.
  const unfit = depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 5 });
  assert.deepEqual(await answersTo(unfit), ['500 failed']);
  assert.equal(await countKept(unfit), 1);
  assert.deepEqual(await query("SELECT FROM event WHERE key LIKE '%000005'"), []);
  await server.stop();
  // Only now: its output may come later than its answers.
  const printed = server.printed.filter((line) => line.includes('received "PENDING"'));
  assert.equal(printed.length, 3);
});
