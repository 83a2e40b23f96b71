// The tables for each database, and the transaction that goes with them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Decimal } from 'payment-notifications';
import { depositReceivedBody, handlerTests } from 'payment-notifications/testing';
import { statusOf } from './bodies.js';
import { startMariadb } from './mariadb.js';
import { bin, whyNoMariadb, whyNot } from './programs.js';
import { startServer } from './server.js';

const START = new URL('../start/', import.meta.url);
const read = (/** @type {string} */ name) => fs.readFileSync(new URL(name, START), 'utf8');
const folder = fs.mkdtempSync(join(tmpdir(), 'tables-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/**
 * Starts postgres.mjs on another database, changed as docs/credit-once.md says.
 *
 * @param {string} database
 * @param {string[]} command
 * @param {string} url
 */
async function startOn(database, command, url) {
  const cwd = join(folder, database);
  fs.mkdirSync(cwd);
  fs.symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), `${cwd}/node_modules`);
  fs.writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
  fs.writeFileSync(join(cwd, `${database}.mjs`), read(`${database}.mjs`));
  const program = read('postgres.mjs')
    .replace(/^import pg .*$/m, `import { book, hold, isRefusal } from './${database}.mjs';`)
    .replace(/^\/\/ ---- The database.*?(?=^\/\/ ---- )/ms, '');
  fs.writeFileSync(join(cwd, 'handler.mjs'), program);
  const whole = [...command, 'handler.mjs'];
  return startServer(whole, { cwd: pathToFileURL(`${cwd}/`), env: { DATABASE_URL: url } });
}

const BODY = Buffer.from('{}');
/** @param {string} account @param {string} amount */
const moveOf = (account, amount, currency = 'USDT') => ({
  account,
  currency,
  amount: new Decimal(amount),
});

describe('MariaDB', { skip: whyNoMariadb() }, () => {
  /** @type {Awaited<ReturnType<typeof startMariadb>>} */
  let mariadb;
  /** @type {typeof import('../start/mysql.mjs')} */
  let merchant;
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  before(async () => {
    mariadb = await startMariadb();
    // The tests of every handler compare the balances of a database of their own.
    for (const name of ['handler', 'merchant'])
      await mariadb.query(`CREATE DATABASE ${name}; USE ${name}; ${read('schema.mysql.sql')}`);
    process.env.DATABASE_URL = mariadb.url('merchant');
    merchant = await import('../start/mysql.mjs');
    server = await startOn('mysql', ['node'], mariadb.url('handler'));
  });
  after(async () => {
    await server.stop();
    await merchant.pool.end();
    await mariadb.remove();
  });

  describe('postgres.mjs, with mysql.mjs', () => {
    const tests = handlerTests({
      url: 'http://127.0.0.1/callbacks',
      fetch: (_url, request) => fetch(server.url, request),
      async balance(currency) {
        const sum = `SELECT sum(amount) AS sum FROM handler.balance WHERE currency = '${currency}'`;
        return (await mariadb.query(sum))[0].sum;
      },
      async breakDatabase() {
        await mariadb.query('RENAME TABLE handler.balance TO handler.away');
        return () => mariadb.query('RENAME TABLE handler.away TO handler.balance');
      },
    });
    for (const { name, run } of tests) test(name, run);

    test('holds, each once, what has no place in the tables', async () => {
      const bodies = [
        { actualDepositAmount: '1', depositCurrency: 'UsdT' },
        { actualDepositAmount: '2' },
        { depositCurrency: 'uſdt' },
        { depositCurrency: ' USDT\t' },
        { clientPaymentId: 'x'.repeat(1_001) },
        { actualDepositAmount: '1e-31' },
        { actualDepositAmount: '1e40' },
      ].map((fields, index) => depositReceivedBody(fields, { seed: Math.max(1, index) }));
      for (const [index, body] of [...bodies, '{'].entries()) {
        for (let delivery = 0; delivery < 2; delivery += 1)
          assert.equal(await statusOf(server.url, body), index < 2 ? 200 : 400, body);
        const waiting = `SELECT 1 FROM handler.held WHERE body = x'${Buffer.from(body).toString('hex')}'`;
        assert.equal((await mariadb.query(waiting)).length, index === 0 ? 0 : 1, body);
      }
      const find = "SELECT currency, amount FROM handler.balance WHERE account = 'order-1'";
      const [{ currency, amount }] = await mariadb.query(find);
      assert.equal(`${new Decimal(amount)} ${currency}`, '1 USDT');
    });
  });

  /** Four times at once. @param {string} key @param {ReturnType<typeof moveOf>} move */
  const bookAtOnce = async (key, move) =>
    (await Promise.all(Array.from({ length: 4 }, () => merchant.book(key, BODY, move)))).sort();
  const balances = async () => {
    const sql = 'SELECT CAST(account AS CHAR) AS account, amount FROM balance ORDER BY account';
    return (await mariadb.query(sql)).map(
      (/** @type {{ account: string, amount: string }} */ { account, amount }) =>
        /** @type {const} */ ([account, `${new Decimal(amount)}`]),
    );
  };

  test('books each event once, to the digit, and notices a conflict', async () => {
    const others = Array(3).fill('repeated');
    for (const [key, amount] of [
      ['one', '1000000.000000000000000001'],
      ['two', '-0.000000000000000000000000000001'],
    ])
      assert.deepEqual(await bookAtOnce(key ?? '', moveOf('a', amount ?? '')), [
        ...others,
        'settled',
      ]);
    const amount = '1000000.000000000000000001';
    assert.deepEqual(await bookAtOnce('one', moveOf('a', amount)), Array(4).fill('repeated'));
    for (const other of [moveOf('a', '7'), moveOf('A', amount), moveOf('a', amount, 'BTC')])
      assert.deepEqual(await bookAtOnce('one', other), Array(4).fill('conflict'));
    // Accounts that the usual collations don't tell apart.
    for (const account of ['A', 'a ', 'ä'])
      assert.deepEqual(await bookAtOnce(account, moveOf(account, '1')), [...others, 'settled']);
    assert.deepEqual(await balances(), [
      ['A', '1'],
      ['a', '1000000.000000000000000000999999999999'],
      ['a ', '1'],
      ['ä', '1'],
    ]);
  });

  test('books different events at the same time, all or nothing', async () => {
    const before = await balances();
    const calls = Array.from({ length: 40 }, (_, index) =>
      // The tables refuse every other one, whose rollback must not undo the next.
      merchant.book(`event ${index}`, BODY, moveOf('c', index % 2 ? '1' : '1e40')),
    );
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.deepEqual(new Map(await balances()), new Map([...before, ['c', '20']]));
    const rows = await mariadb.query("SELECT 1 FROM event WHERE account = 'c'");
    assert.equal(rows.length, 20);
  });

  test('gives up on a server that is frozen, and books with another connection', async () => {
    await merchant.book('before', BODY, moveOf('d', '0'));
    // It may stop a little later, so it must not be able to commit.
    await mariadb.query("BEGIN; SELECT * FROM balance WHERE account = 'd' FOR UPDATE");
    mariadb.freeze();
    const booked = merchant.book('frozen', BODY, moveOf('d', '1'));
    await Promise.all([
      assert.rejects(booked, /does not answer/),
      assert.rejects(merchant.hold(BODY, 'frozen'), /does not answer|ETIMEDOUT/),
    ]);
    mariadb.thaw();
    await mariadb.query('ROLLBACK');
    assert.equal(await merchant.book('frozen', BODY, moveOf('d', '1')), 'settled');
    assert.equal(new Map(await balances()).get('d'), '1');
  });
});

describe('SQLite', { skip: whyNot('deno') }, () => {
  const deno = [bin('deno'), 'run', '--quiet', '--allow-all', '--node-modules-dir=manual'];
  /** @param {string} name @param {string[]} args */
  function run(name, ...args) {
    const [program = '', ...options] = deno;
    const path = fileURLToPath(new URL(name, import.meta.url));
    execFileSync(program, [...options, path, ...args], { stdio: ['ignore', 'inherit', 'pipe'] });
  }

  test('books each event once, to the digit, and notices a conflict', () =>
    run('sqlite.deno.js', join(folder, 'merchant.sqlite')));

  test('postgres.mjs, with sqlite.mjs, passes the tests of every handler', async (t) => {
    const path = join(folder, 'handler.sqlite');
    const server = await startOn('sqlite', deno, path);
    t.after(server.stop);
    run('sqlite-handler.deno.js', path, server.url);
  });
});
