// The rehearsal of docs/go-live.md, as it stands there, with the page's handler that looks its
// customers up.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bodyVariants, depositReceivedBody, faultyBodies } from 'payment-notifications/testing';
import { blocksOn } from '../../scripts/pages/code.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { SECRET, startServer } from './server.js';

const START = new URL('../start/', import.meta.url);
const PRELOAD = new URL('preload.js', import.meta.url).href;
const read = (/** @type {string} */ name) => fs.readFileSync(new URL(name, START), 'utf8');

/** The only block of a page that has some text. @param {string} page @param {string} text */
function blockOf(page, text) {
  const [block, ...others] = blocksOn(page).filter(({ code }) => code.includes(text));
  assert(block && others.length === 0, text);
  return block.code;
}
const PAGE = 'docs/go-live.md';
const LOOK_UP = blockOf('docs/credit-once.md', 'async function accountOf');
const ORDERS = blockOf(PAGE, 'INSERT INTO payment');
const [SETUP = '', LINES = ''] = blockOf(PAGE, 'send()').split('\n\n');

/**
 * What each line is answered with, and how often.
 *
 * @type {[start: string, answers: Record<string, number>][]}
 */
const ANSWERS = [
  ['deposit --copies 5', { '200 settled': 1, '200 repeated': 4 }],
  ['deposit --variants', { '200 repeated': bodyVariants(depositReceivedBody()).length }],
  ['deposit --seed 1', { '200 settled': 1 }],
  ['withdrawal #', { '200 settled': 1 }],
  ['withdrawal --status FAILED', { '200 held': 1 }],
  ['deposit --set actualDepositAmount=7', { '200 held': 1 }],
  ['withdrawal --omit', { '200 repeated': 1 }],
  ['deposit --seed 3 --faulty', { '200 settled': 1, 400: faultyBodies().length - 1, 413: 1 }],
  ['(URL=$', { 404: 1 }],
];

describe('the rehearsal', { skip: whyNoPostgres() }, () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'rehearsal-'));
  const unsettled = join(folder, 'unsettled');
  /** @type {Awaited<ReturnType<typeof startPostgres>>} */
  let postgres;
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** An address that stays when the handler is restarted. */
  const front = createServer((socket) => {
    const handler = connect(server.port, '127.0.0.1');
    pipeline(socket, handler, socket, () => {}); // destroys both if one fails
  });

  before(async () => {
    const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
    fs.symlinkSync(packages, join(folder, 'node_modules'));
    const program = read('postgres.mjs').replace(/^async function accountOf.*?^}\n/ms, LOOK_UP);
    assert(program.includes(LOOK_UP));
    fs.writeFileSync(join(folder, 'postgres.mjs'), program);
    postgres = await startPostgres();
    await once(front.listen(0, '127.0.0.1'), 'listening');
  });
  after(async () => {
    front.close();
    await server.kill();
    await postgres.remove();
    fs.rmSync(folder, { recursive: true });
  });

  async function startHandler() {
    const env = { DATABASE_URL: postgres.url() };
    const cwd = pathToFileURL(`${folder}/`);
    const command = ['node', '--import', PRELOAD, join(folder, 'postgres.mjs')];
    server = await startServer(command, { cwd, env });
  }

  /** Runs a line. Returns how often each answer came. @param {string} line @param {string} setup */
  async function run(line, setup) {
    const address = front.address();
    const port = typeof address === 'object' ? address?.port : null;
    // Npx itself takes a second, and the page waits for people.
    const own = `npx() { "$@"; }\n${setup.replace('3000', `${port}`)}`;
    const script = `${own}\n${line.replace(/--every \d+s/, '--every 100ms')}`;
    const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`;
    const env = { ...process.env, CALLBACK_SECRET: SECRET, PATH };
    const output = await new Promise((resolve) => {
      const options = { cwd: folder, env, maxBuffer: 1e8 };
      execFile('bash', ['-c', script], options, (_, stdout) => resolve(stdout));
    });
    /** @type {Record<string, number>} */
    const counts = {};
    for (const [, status, words] of output.matchAll(/^ +\S (\d{3}) in \S+(.*)$/gm)) {
      const [answer = ''] = /settled|repeated|held/.exec(words) ?? [];
      const name = `${status} ${answer}`.trim();
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** @param {string} orders @param {string} type */
  async function startOnTables(orders, type) {
    await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${read('schema.sql')};
      CREATE TABLE payment (id ${type} PRIMARY KEY, customer text NOT NULL);
      CREATE TABLE withdrawal (id ${type} PRIMARY KEY, customer text NOT NULL); ${orders}`);
    await startHandler();
  }

  test('passes as the page says it', async () => {
    await startOnTables(ORDERS, 'text');
    const lines = LINES.split('\n').filter((line) => line && !line.startsWith('#'));
    const [outage = '', loop = ''] = lines.splice(-2);
    assert.equal(lines.length, ANSWERS.length);
    for (const [index, [start, answers]] of ANSWERS.entries()) {
      const line = lines[index] ?? '';
      assert(line.startsWith(start), line);
      assert.deepEqual(await run(line, SETUP), answers, line);
    }
    assert.match(server.printed.join('\n'), /:COMPLETED: txAddressOwner: /);

    await postgres.crash();
    const sent = run(outage, SETUP);
    while (fs.readdirSync(unsettled).length === 0) await sleep(20);
    await postgres.start();
    const { 500: failed = 0, ...last } = await sent;
    assert(failed > 0);
    assert(['200 settled', '200 repeated'].includes(`${Object.keys(last)}`), outage);

    const count = async () => (await postgres.query('SELECT FROM event')).length;
    const looped = run(loop, SETUP);
    for (let kill = 1; kill <= 3; kill += 1) {
      const before = await count();
      while ((await count()) < before + 3) await sleep(20);
      await server.kill();
      await startHandler();
    }
    await looped;
    while (fs.readdirSync(unsettled).length > 0) await sleep(20);

    const sum = 'SELECT currency, sum(amount) FROM balance GROUP BY currency ORDER BY currency';
    assert.deepEqual(await postgres.query(sum), [
      { currency: 'BTC', sum: '0.473746789012345678' },
      { currency: 'XRP', sum: '-480.73' },
    ]);
    const held = await postgres.query('SELECT FROM held');
    assert.equal(held.length, faultyBodies().length + 2);
    await server.stop();
  });

  test('takes identifiers of another form', async () => {
    const [order, payout] = [randomUUID(), randomUUID()];
    const [orders = '', setup = ''] = [ORDERS, SETUP].map((code) =>
      code.replace('order-10042', order).replace('payout-7731', payout),
    );
    await startOnTables(orders, 'uuid');
    for (const line of ['deposit', 'withdrawal'])
      assert.deepEqual(await run(line, setup), { '200 settled': 1 });
  });
});
