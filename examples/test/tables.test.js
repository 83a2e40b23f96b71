// The tables for each database, and the transaction that goes with them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { Decimal } from 'payment-notifications';
import { book } from '../start/mysql.mjs';
import { bin, MARIADB, whyNoMariadb, whyNot } from './programs.js';
import { atExit } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const BODY = Buffer.from('{}');
/** @param {string} account @param {string} amount */
const moveOf = (account, amount, currency = 'USDT') => ({
  account,
  currency,
  amount: new Decimal(amount),
});

describe('MariaDB', { skip: whyNoMariadb() }, () => {
  const socketPath = join(folder, 'socket');
  /** @type {mysql.Connection} */
  let admin;
  /** @type {mysql.Pool} */
  let pool;
  /** @type {import('node:child_process').ChildProcess} */
  let server;
  before(async () => {
    mkdirSync(join(folder, 'data'));
    const args = [
      ...['--no-defaults', '--skip-networking', '--skip-grant-tables'],
      ...[`--datadir=${join(folder, 'data')}`, `--socket=${socketPath}`],
      ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    ];
    server = spawn(MARIADB, args, { stdio: 'ignore' });
    atExit(() => server.kill('SIGKILL'));
    const connect = () =>
      mysql.createConnection({ socketPath, user: 'root', multipleStatements: true });
    let first = await connect().catch(() => null);
    while (first === null && server.exitCode === null) {
      await sleep(50);
      first = await connect().catch(() => null);
    }
    assert(first, 'MariaDB does not start');
    const schema = readFileSync(new URL('../start/schema.mysql.sql', import.meta.url), 'utf8');
    await first.query(`CREATE DATABASE merchant; USE merchant; ${schema}`);
    admin = first;
    pool = mysql.createPool({ socketPath, user: 'root', database: 'merchant' });
  });
  after(async () => {
    await pool.end();
    await admin.end();
    server.kill('SIGKILL');
  });

  /** Four times at once. @param {string} key @param {ReturnType<typeof moveOf>} move */
  const bookAtOnce = async (key, move) =>
    (await Promise.all(Array.from({ length: 4 }, () => book(pool, key, BODY, move)))).sort();
  const balances = async () => {
    const sql = 'SELECT CAST(account AS CHAR) AS account, amount FROM balance ORDER BY account';
    const [rows] = await admin.query(sql);
    return /** @type {{ account: string, amount: string }[]} */ (rows).map(
      ({ account, amount }) => /** @type {const} */ ([account, `${new Decimal(amount)}`]),
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
    assert.deepEqual(
      await bookAtOnce('one', moveOf('a', amount, ' usdt')),
      Array(4).fill('repeated'),
    );
    for (const other of [
      moveOf('a', '7'),
      moveOf('A', amount),
      moveOf('a', amount, 'BTC'),
      moveOf('a', amount, 'uſdt'), // its upper case is USDT, by Unicode
    ])
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

  test('books nothing of what a table refuses', async () => {
    const before = await balances();
    for (const [key, move] of /** @type {const} */ ([
      ['too long', moveOf('x'.repeat(1_001), '1')],
      ['too large', moveOf('a', '1e40')],
      ['too small', moveOf('a', '1e-31')],
    ])) {
      await assert.rejects(book(pool, key, BODY, move), /too long|out of range|rounded/i, key);
      assert.equal(await book(pool, key, BODY, moveOf('b', '0')), 'settled');
    }
    assert.deepEqual(await balances(), [...before, ['b', '0']]);
  });

  test('books different events at the same time, all or nothing', async () => {
    const before = await balances();
    const calls = Array.from({ length: 40 }, (_, index) =>
      // The tables refuse every other one, whose rollback must not undo the next.
      book(pool, `event ${index}`, BODY, moveOf('c', index % 2 ? '1' : '1e40')),
    );
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.deepEqual(new Map(await balances()), new Map([...before, ['c', '20']]));
    const [rows] = await admin.query("SELECT 1 FROM event WHERE account = 'c'");
    assert.equal(/** @type {unknown[]} */ (rows).length, 20);
  });

  test('gives up on a server that is frozen, and books with another connection', async () => {
    await book(pool, 'before', BODY, moveOf('d', '0'));
    // It may stop a little later, so it must not be able to commit.
    await admin.query("BEGIN; SELECT * FROM balance WHERE account = 'd' FOR UPDATE");
    server.kill('SIGSTOP');
    await assert.rejects(book(pool, 'frozen', BODY, moveOf('d', '1')), /does not answer/);
    server.kill('SIGCONT');
    await admin.query('ROLLBACK');
    assert.equal(await book(pool, 'frozen', BODY, moveOf('d', '1')), 'settled');
    assert.equal(new Map(await balances()).get('d'), '1');
  });
});

test('SQLite books each event once, to the digit, and notices a conflict', {
  skip: whyNot('deno'),
}, () => {
  const program = fileURLToPath(new URL('sqlite.deno.js', import.meta.url));
  const args = ['run', '--quiet', '--allow-read', '--allow-write', program];
  execFileSync(bin('deno'), [...args, join(folder, 'merchant.sqlite')]);
});
