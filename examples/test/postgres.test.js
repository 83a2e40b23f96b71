// postgres.mjs in two processes, which share a folder and a PostgreSQL server.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import pg from 'pg';
import { answersOf, GZIPPED, statusOf } from './bodies.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { startServer } from './server.js';

/** @import { Postgres } from './postgres.js' */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

const START = new URL('../start/', import.meta.url);
const PROGRAM = fs.readFileSync(new URL('postgres.mjs', START), 'utf8');
const pageOf = (/** @type {string} */ name) =>
  fs.readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const PRELOAD = new URL('preload.js', import.meta.url).href;
const digestOf = (/** @type {string} */ body) => createHash('sha256').update(body).digest('hex');

describe('postgres.mjs', { skip: whyNoPostgres() }, () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'handlers-'));
  const unsettled = join(folder, 'unsettled');
  /** @type {Postgres} */
  let postgres;
  /** @type {[Server, Server]} */
  let servers;

  function startHandler(name = 'postgres.mjs', url = postgres.url()) {
    const env = { DATABASE_URL: url };
    const cwd = pathToFileURL(`${folder}/`);
    return startServer(['node', '--import', PRELOAD, join(folder, name)], { cwd, env });
  }

  before(async () => {
    // As it is copied: into a folder with the packages.
    fs.writeFileSync(join(folder, 'postgres.mjs'), PROGRAM);
    const packages = new URL('../node_modules', import.meta.url);
    fs.symlinkSync(fileURLToPath(packages), join(folder, 'node_modules'));
    postgres = await startPostgres();
    await postgres.query(fs.readFileSync(new URL('schema.sql', START), 'utf8'));
    servers = await Promise.all([startHandler(), startHandler()]);
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await postgres.remove();
    fs.rmSync(folder, { recursive: true });
  });

  const answers = (/** @type {string} */ body, copies = 1) => answersOf(servers, body, copies);
  const [held, failed, refused] = ['200 held', '500 failed', '400 invalid_amount'].map((answer) =>
    Array(2).fill(answer),
  );
  const repeated = (/** @type {number} */ count) => Array(count).fill('200 repeated');
  const settledOnce = [...repeated(1), '200 settled'];

  /** Holds up what comes, until it is let go. */
  async function lockEvents() {
    const client = new pg.Client(postgres.url());
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN; LOCK TABLE event');
    return client;
  }

  /** Waits until this many deliveries wait for a lock. @param {number} count */
  async function untilWaiting(count) {
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await postgres.query(waiting)).length < count) await sleep(20);
  }

  test('credits and debits once, however many copies two processes get', async () => {
    const bodies = [depositReceivedBody(), withdrawalBroadcastBody()];
    for (const body of bodies)
      assert.deepEqual(await answers(body, 5), [...repeated(9), '200 settled']);
    assert.deepEqual(
      await postgres.query('SELECT account, currency, amount FROM balance ORDER BY account'),
      [
        { account: 'order-10042', currency: 'BTC', amount: '0.01523' },
        { account: 'payout-7731', currency: 'XRP', amount: '-480.73' },
      ],
    );
  });

  test('holds what it can not settle, once, and without its key', async () => {
    const seed = { seed: 7 };
    const failed = withdrawalBroadcastBody({ status: 'FAILED' }, seed);
    const unknown = withdrawalBroadcastBody({ actualWithdrawAmount: null }, seed);
    for (const body of [failed, unknown]) assert.deepEqual(await answers(body), held);
    for (const { url } of servers) assert.equal(await statusOf(url, GZIPPED), 400);
    const bodies = (await postgres.query('SELECT body FROM held ORDER BY at')).map(
      (row) => row.body,
    );
    assert.deepEqual(
      bodies,
      [failed, unknown, GZIPPED].map((body) => Buffer.from(body)),
    );
    // The amount comes later.
    assert.deepEqual(await answers(withdrawalBroadcastBody({}, seed)), settledOnce);
  });

  test('holds what the tables refuse, until a later delivery is settled', async () => {
    const body = depositReceivedBody({ clientPaymentId: 'unknown' }, { seed: 9 });
    await postgres.query("ALTER TABLE balance ADD CONSTRAINT known CHECK (account <> 'unknown')");
    for (const unfit of [body, depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 10 })])
      assert.deepEqual(await answers(unfit), Array(2).fill('400 held'));
    const find = `SELECT done FROM held WHERE digest = decode('${digestOf(body)}', 'hex')`;
    assert.deepEqual(await postgres.query(find), [{ done: null }]);
    await postgres.query('ALTER TABLE balance DROP CONSTRAINT known');
    assert.deepEqual(await answers(body), settledOnce);
    assert.deepEqual(await postgres.query(find), [{ done: 'settled' }]);
  });

  test('holds an unknown order, until the look-up of the page finds it', async (t) => {
    const [lookUp = ''] = /^async function accountOf.*?^}$/ms.exec(pageOf('credit-once')) ?? [];
    const own = PROGRAM.replace(/^async function accountOf.*?^}$/ms, () => lookUp);
    assert(lookUp !== '' && own.includes(lookUp));
    fs.writeFileSync(join(folder, 'own.mjs'), own);
    await postgres.query(`CREATE TABLE payment (id text PRIMARY KEY, customer text NOT NULL);
      CREATE TABLE withdrawal (id uuid PRIMARY KEY, customer text NOT NULL)`);
    const server = await startHandler('own.mjs');
    t.after(server.stop);
    const answer = (/** @type {string} */ body) => answersOf([server], body);
    const id = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a18';
    const deposit = depositReceivedBody({ clientPaymentId: id }, { seed: 18 });
    const withdrawal = withdrawalBroadcastBody({ clientWithdrawalId: id }, { seed: 18 });
    // PostgreSQL quotes it in its message.
    const forged = withdrawalBroadcastBody({ clientWithdrawalId: 'a\nb' }, { seed: 19 });
    for (const body of [deposit, withdrawal, forged])
      assert.deepEqual(await answer(body), ['400 held']);
    const reason = 'SELECT FROM held WHERE reason LIKE \'%type uuid: "a?b"\'';
    assert.equal((await postgres.query(reason)).length, 1);
    await postgres.query(`INSERT INTO payment VALUES ('${id}', 'customer')`);
    assert.deepEqual(await answer(deposit), ['200 settled']);
    assert.deepEqual(await answer(withdrawal), ['400 held']);
    const find = "SELECT done FROM held WHERE reason LIKE '%the order is unknown' ORDER BY at";
    assert.deepEqual(await postgres.query(find), [{ done: 'settled' }, { done: null }]);
    const events = await postgres.query("SELECT amount FROM event WHERE account = 'customer'");
    assert.deepEqual(events, [{ amount: '0.01523' }]);
  });

  test('books a currency under one spelling, and holds what is none', async () => {
    const codes = ['uſdt', ' USDT', 'USDT\t', 'USDT\u00a0'];
    for (const depositCurrency of codes)
      assert.deepEqual(await answers(depositReceivedBody({ depositCurrency }, { seed: 21 })), [
        '400 held',
        '400 held',
      ]);
    for (const [index, depositCurrency] of ['usdt', 'UsdT'].entries()) {
      const fields = { depositCurrency, clientPaymentId: 'spelled' };
      assert.deepEqual(
        await answers(depositReceivedBody(fields, { seed: 22 + index })),
        settledOnce,
      );
    }
    assert.deepEqual(await postgres.query("SELECT * FROM balance WHERE account = 'spelled'"), [
      { account: 'spelled', currency: 'USDT', amount: '0.03046' },
    ]);
    // Nor does a person make another balance by a slip.
    for (const code of [...codes, 'usdt', '']) {
      const slip = `SELECT book('by hand', 'spelled', '${code}', 1, '')`;
      await assert.rejects(postgres.query(slip), /violates check constraint/, code);
    }
  });

  test('holds a body with a known key that says something else, and books nothing', async () => {
    const seed = { seed: 12 };
    const usual = { depositCurrency: 'USDT' };
    assert.deepEqual(await answers(depositReceivedBody(usual, seed)), settledOnce);
    const find = 'SELECT * FROM balance ORDER BY account, currency';
    const balances = await postgres.query(find);
    const others = [
      { ...usual, actualDepositAmount: '7' },
      { depositCurrency: 'ETH' },
      { ...usual, clientPaymentId: 'another customer' },
    ].map((other) => depositReceivedBody(other, seed));
    for (const body of others) assert.deepEqual(await answers(body), held);
    const rows = await postgres.query(
      "SELECT body FROM held WHERE reason LIKE '%settled before%' ORDER BY at",
    );
    assert.deepEqual(
      rows.map((row) => `${row.body}`),
      others,
    );
    assert.deepEqual(await postgres.query(find), balances);
    // The same, written otherwise.
    for (const { body } of bodyVariants(depositReceivedBody({ depositCurrency: 'usdt' }, seed)))
      assert.deepEqual(await answers(body), repeated(2));
    assert.match(servers[0].printed.join('\n'), /settled before, with another account/);
  });

  test('saves a body while the database is down or crashes, and settles it within a minute', async () => {
    const bodies = [depositReceivedBody({}, { seed: 8 }), withdrawalBroadcastBody({}, { seed: 8 })];
    const [interrupted = '', late = ''] = bodies;
    await lockEvents();
    const answersOfCrash = answers(interrupted);
    await untilWaiting(2);
    await postgres.crash();
    assert.deepEqual(await answersOfCrash, failed);
    assert.deepEqual(await answers(late), failed);
    const texts = fs
      .readdirSync(unsettled)
      .map((name) => fs.readFileSync(join(unsettled, name), 'utf8'));
    assert.deepEqual(texts.sort(), [...bodies].sort());
    // Not only the file, but its name and its folder's survive a power cut.
    for (const { printed } of servers)
      assert(printed.filter((line) => line === `synced ${unsettled}`).length >= bodies.length);
    // By the process that has created it.
    assert(servers.some(({ printed }) => printed.includes(`synced ${folder}`)));
    // One that can't be saved, for a folder is in its way, leaves no draft, and stops none of the
    // others.
    const unsaved = depositReceivedBody({}, { seed: 13 });
    const obstacle = join(unsettled, digestOf(unsaved));
    fs.mkdirSync(obstacle);
    for (const { url } of servers) assert.equal(await statusOf(url, unsaved), 500);
    assert.equal(fs.readdirSync(unsettled).length, bodies.length + 1);
    await postgres.start();
    while (fs.readdirSync(unsettled).length > 1) await sleep(20);
    for (const body of bodies) assert.deepEqual(await answers(body), repeated(2));
    fs.rmdirSync(obstacle);
  });

  test('settles what a crash left in the order of arrival, and holds half a body', async () => {
    const later = depositReceivedBody({ actualDepositAmount: '2' }, { seed: 16 });
    const first = depositReceivedBody({ actualDepositAmount: '1' }, { seed: 16 });
    /** @type {[name: string, body: string, age: number][]} */
    const files = [
      [digestOf(first), first, 9],
      [`.${randomUUID()}`, later, 8],
      [`.${randomUUID()}`, first.slice(0, 99), 7],
    ];
    for (const server of servers) await server.stop();
    for (const [name, body, minutes] of files) {
      const at = Date.now() / 1000 - minutes * 60;
      fs.writeFileSync(join(unsettled, name), body);
      fs.utimesSync(join(unsettled, name), at, at);
    }
    const recent = `.${randomUUID()}`;
    fs.writeFileSync(join(unsettled, recent), '{'); // it may still be written
    servers = await Promise.all([startHandler(), startHandler()]);
    while (fs.readdirSync(unsettled).length > 1) await sleep(20);
    assert.deepEqual(fs.readdirSync(unsettled), [recent]);
    fs.rmSync(join(unsettled, recent));
    assert.deepEqual(await answers(first), repeated(2));
    const find =
      "SELECT body FROM held WHERE reason LIKE '%settled before%' ORDER BY at DESC LIMIT 1";
    assert.deepEqual(await postgres.query(find), [{ body: Buffer.from(later) }]);
    const half = "SELECT FROM held WHERE reason LIKE '%incomplete JSON of 99%'";
    assert.equal((await postgres.query(half)).length, 1);
  });

  test('logs names that are not documented, quoted and cut', async () => {
    const [server] = servers;
    const name = `a\n\u202eb${'x'.repeat(300)}`;
    const body = depositReceivedBody({}, { seed: 17, additional: { [name]: '1' } });
    assert.equal(await statusOf(server.url, body), 200);
    const isLogged = () => server.printed.find((line) => line.includes('additional fields'));
    while (!isLogged()) await sleep(20);
    assert.match(isLogged() ?? '', /additional fields: \["a\\n\?bx{150,195}$/);
  });

  test('answers what has arrived when it is stopped, and ends though connections are kept', async () => {
    const [server] = servers;
    const post = (/** @type {number} */ seed) =>
      statusOf(server.url, withdrawalBroadcastBody({}, { seed }));
    // It is stopped in the middle of this one's headers.
    const begun = connect(server.port, '127.0.0.1');
    begun.write('POST /callbacks HTTP/1.1\r\nhost: merchant\r\ncontent-length: 0\r\n');
    assert.equal(await post(14), 200);
    const lock = await lockEvents();
    const last = post(15);
    await untilWaiting(1);
    const stopped = server.stop();
    while ((await statusOf(server.url, '').catch(() => null)) !== null) await sleep(20);
    begun.write('\r\n');
    assert.match(String(await once(begun, 'data')), /^connection: close/im);
    await lock.end();
    assert.equal(await last, 200);
    await stopped;
    servers[0] = await startHandler();
  });

  test('ends though someone connects and sends nothing', async () => {
    const program = PROGRAM.replace('15_000', '100');
    assert.notEqual(program, PROGRAM);
    fs.writeFileSync(join(folder, 'impatient.mjs'), program);
    const server = await startHandler('impatient.mjs');
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const closed = once(silent, 'close');
    await server.stop();
    await closed;
  });

  test('keeps what it works on when it is stopped, though the database hangs and the sender has left', async () => {
    const server = await startHandler('postgres.mjs', `${postgres.url()}&query_timeout=1000`);
    const body = withdrawalBroadcastBody({}, { seed: 20 });
    const lock = await lockEvents();
    const sender = connect(server.port, '127.0.0.1');
    const { pathname } = new URL(server.url);
    sender.write(`POST ${pathname} HTTP/1.1\r\nhost: merchant\r\n`);
    sender.write(`content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    await untilWaiting(1);
    postgres.freeze();
    sender.destroy();
    await server.stop();
    postgres.thaw();
    assert.deepEqual(fs.readdirSync(unsettled), [digestOf(body)]);
    await lock.end();
    const again = await startHandler();
    while (fs.readdirSync(unsettled).length > 0) await sleep(20);
    await again.stop();
    const find = "SELECT amount FROM event WHERE key LIKE '%000000000014:COMPLETED'";
    assert.deepEqual(await postgres.query(find), [{ amount: '-480.73' }]);
  });

  test("lets a person settle, dismiss and correct by the page's own statements", async () => {
    const [sql = '', release = ''] = [
      ...pageOf('operations').matchAll(/(?<=^```sql\n).*?(?=^```)/gms),
    ].map(([block]) => block);
    const [waiting = '', settle = '', dismiss = '', correct = '', check = ''] = sql.split(/;$/m);
    const amount = async () => {
      const [row] = await postgres.query(
        "SELECT amount FROM balance WHERE (account, currency) = ('customer-7', 'BTC')",
      );
      return row?.amount;
    };
    // In capitals, as a body may have it; its key is in lower case. The account is the
    // clientPaymentId here.
    const id = 'ABCDEF00-9D0C-4F9E-8D4A-0C3F6F3B5A99';
    const mended = depositReceivedBody({
      depositId: id,
      clientPaymentId: 'customer-7',
      actualDepositAmount: '1.5',
    });
    const faulty = mended.replace('1.5', '"1,5"');
    const forged = '{"depositId":""}';
    await answers(forged);
    assert.deepEqual(await answers(faulty), refused);
    const waits = async () => (await postgres.query(waiting)).map((row) => row.digest);
    assert.deepEqual((await waits()).slice(-2), [digestOf(forged), digestOf(faulty)]);
    const [last] = (await postgres.query(waiting)).slice(-1);
    assert.match(last.reason, new RegExp(id), 'the reason tells the identifier');

    const own = settle.replace(/[0-9A-F-]{36}/, id).replace('4bf5…', digestOf(faulty));
    assert.deepEqual(await postgres.query(own), [{ book: 'settled' }]);
    await postgres.query(dismiss.replace('4bf5…', digestOf(forged)));
    for (const again of [faulty, forged]) await answers(again);
    assert(!(await waits()).some((digest) => [faulty, forged].map(digestOf).includes(digest)));
    assert.deepEqual(await answers(mended), repeated(2));
    assert.deepEqual(await postgres.query(own), [{ book: 'repeated' }]);
    assert.equal(await amount(), '1.5');

    // With the amount 0, it is rejected for good.
    const rejected = depositReceivedBody({ clientPaymentId: 'customer-7' }, { seed: 98 });
    const zero = settle.replace(/[0-9A-F-]{36}/, JSON.parse(rejected).depositId);
    await postgres.query(zero.replace('1.5', '0').replace('4bf5…', digestOf(faulty)));
    assert.deepEqual(await answers(rejected), held);
    assert.equal(await amount(), '1.5');

    assert.deepEqual(await postgres.query(correct), [{ book: 'settled' }]);
    assert.equal(await amount(), '0.0');
    assert.deepEqual(await postgres.query(check), []);

    // Twice, and it is released once.
    for (const _ of [1, 2]) await postgres.query(release);
    assert.equal(await amount(), '1.5');
    await postgres.query("UPDATE balance SET account = 'another' WHERE account = 'order-10042'");
    assert.equal((await postgres.query(check)).length, 2);
  });
});
