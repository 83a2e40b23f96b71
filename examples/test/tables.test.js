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
  /** @type {mysql.Connection[]} */
  let connections;
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
    connections = [first, ...(await Promise.all([1, 2, 3].map(connect)))];
    for (const connection of connections) await connection.query('USE merchant');
  });
  after(async () => {
    for (const connection of connections) await connection.end();
    server.kill('SIGKILL');
  });

  /** All at once, each by a connection of its own. @param {string} key @param {ReturnType<typeof moveOf>} move */
  const bookAtOnce = async (key, move) =>
    (await Promise.all(connections.map((each) => book(each, key, BODY, move)))).sort();
  const balances = async () => {
    const sql = 'SELECT CAST(account AS CHAR) AS account, amount FROM balance ORDER BY account';
    const [rows] = await /** @type {mysql.Connection} */ (connections[0]).query(sql);
    return /** @type {{ account: string, amount: string }[]} */ (rows).map(
      ({ account, amount }) => [account, `${new Decimal(amount)}`],
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
    const [first] = connections;
    assert(first);
    for (const [key, move] of /** @type {const} */ ([
      ['too long', moveOf('x'.repeat(1_001), '1')],
      ['too large', moveOf('a', '1e40')],
      ['too small', moveOf('a', '1e-31')],
    ])) {
      await assert.rejects(book(first, key, BODY, move), /too long|out of range|rounded/i, key);
      assert.equal(await book(first, key, BODY, moveOf('b', '0')), 'settled');
    }
    assert.deepEqual(await balances(), [...before, ['b', '0']]);
  });

  test('tells the first error, not that it could not roll back', async () => {
    const [first, second] = [connections.shift(), connections[0]];
    assert(first && second);
    await second.query("BEGIN; SELECT * FROM balance WHERE account = 'a' FOR UPDATE");
    const rejected = assert.rejects(book(first, 'killed', BODY, moveOf('a', '1')), /killed|lost/i);
    const isWaiting = "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    // More often, and it would be answered from a cache.
    const waits = async () => /** @type {unknown[][]} */ (await second.query(isWaiting))[0]?.length;
    while (!(await waits())) await sleep(150);
    await second.query(`KILL ${first.threadId}; ROLLBACK`);
    await rejected;
  });
});

test('SQLite books each event once, to the digit, and notices a conflict', {
  skip: whyNot('deno'),
}, () => {
  const program = fileURLToPath(new URL('sqlite.deno.js', import.meta.url));
  const args = ['run', '--quiet', '--allow-read', '--allow-write', program];
  execFileSync(bin('deno'), [...args, join(folder, 'merchant.sqlite')]);
});
