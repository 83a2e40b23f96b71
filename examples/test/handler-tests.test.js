// The tests that the package has for every handler, of postgres.mjs, and of what a merchant may
// make of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { handlerTests } from 'payment-notifications/testing';
import { filesOn } from '../../scripts/pages/code.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { SECRET, startServer } from './server.js';

/** @import { Postgres } from './postgres.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = new URL('../start/', import.meta.url);
const PROGRAM = fs.readFileSync(new URL('postgres.mjs', START), 'utf8');
const SCHEMA = fs.readFileSync(new URL('schema.sql', START), 'utf8');

/**
 * Faults of a database, and of its transactions: what replaces what, which test finds it, and the
 * cause that its failure names. Those of the handler alone are tried without a database, in
 * test/testing/merchant.ts.
 *
 * @typedef {[from: string | RegExp, to: string]} Replacement
 * @type {{
 *   fault: string, program?: Replacement, schema?: Replacement, test: string, cause: string
 * }[]}
 */
const MUTANTS = [
  {
    fault: 'balances as numeric(20,8)',
    schema: [
      /(?<=CREATE TABLE balance.*?) amount numeric NOT NULL/s,
      ' amount numeric(20,8) NOT NULL',
    ],
    test: 'deposit: 28 digits are credited exactly',
    cause:
      'The amount was rounded to 8 decimals. Look for toFixed(8), toDecimalPlaces(8), or a column such as numeric(20,8)',
  },
  {
    fault: 'every amount as numeric(20,8)',
    schema: [/ amount numeric NOT NULL/g, ' amount numeric(20,8) NOT NULL'],
    test: 'deposit: 18 decimals are credited exactly',
    cause: 'Check whether a column has too few digits, such as numeric(20,8)',
  },
  {
    fault: 'double precision',
    schema: [
      /(?<=CREATE TABLE balance.*?) amount numeric NOT NULL/s,
      ' amount double precision NOT NULL',
    ],
    test: 'withdrawal: 28 digits are debited exactly',
    cause: 'The amount was a double',
  },
  {
    fault: 'check, then insert',
    program: [
      'const { rows } = await pool.query(',
      `const known = await pool.query('SELECT FROM event WHERE starts_with(key, $1)', [key]);
  if (known.rows.length > 0) return 'repeated';
  values[0] += Math.random();
  const { rows } = await pool.query(`,
    ],
    test: 'deposit: five copies at the same time are credited once',
    cause: 'Several copies passed the check of the key',
  },
  {
    fault: 'the key committed before the credit',
    program: [
      'const { rows } = await pool.query(',
      `const insert = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
  const { rowCount } = await pool.query(insert, values);
  if (rowCount === 0) return 'repeated';
  values[0] += 'credit';
  const { rows } = await pool.query(`,
    ],
    test: 'deposit: answered 500 while the database fails, credited afterwards',
    cause: 'The key was committed without the change of the balance',
  },
  {
    fault: 'a balance that was read, and then written',
    schema: [
      /INSERT INTO balance VALUES[^;]*;/,
      `INSERT INTO balance VALUES (p_account, p_currency,
      p_amount + coalesce((SELECT amount FROM balance
        WHERE (account, currency) = (p_account, p_currency)), 0))
    ON CONFLICT (account, currency) DO UPDATE SET amount = excluded.amount;`,
    ],
    test: 'deposit: five deposits at the same time add up',
    cause: 'The balance was read and then written',
  },
];

/** The receiver.mjs of the page's reader. */
const RECEIVER = `import { createReceiver } from 'payment-notifications/receiver';
import pg from 'pg';

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, allowExitOnIdle: true });

export const receiver = createReceiver({
  secret: process.env.CALLBACK_SECRET,
  async onDepositReceived({ clientPaymentId, depositCurrency, actualDepositAmount }, { key }) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const insert = 'INSERT INTO seen VALUES ($1) ON CONFLICT DO NOTHING';
      const { rowCount: isNew } = await client.query(insert, [key]);
      const credit = 'INSERT INTO ledger SELECT customer, $2, $3 FROM payment WHERE id = $1';
      const values = [clientPaymentId, depositCurrency, actualDepositAmount.toString()];
      const { rowCount } = isNew ? await client.query(credit, values) : { rowCount: 1 };
      if (rowCount !== 1) throw new Error('unknown order');
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
  onRefused: async () => {},
  onError: async () => {},
});
`;

describe('every handler', { skip: whyNoPostgres() }, () => {
  // Within the project, which has Vitest.
  fs.mkdirSync(join(ROOT, 'coverage'), { recursive: true });
  const folder = fs.mkdtempSync(join(ROOT, 'coverage/handler-tests-'));
  /** @type {Postgres} */
  let postgres;
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;

  /** @param {string} program @param {string} schema */
  async function start(program, schema) {
    await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${schema}`);
    // What one saved while the database failed, the next would settle.
    fs.rmSync(join(folder, 'unsettled'), { recursive: true, force: true });
    fs.writeFileSync(join(folder, 'postgres.mjs'), program);
    const env = { DATABASE_URL: postgres.url() };
    const command = ['node', join(folder, 'postgres.mjs')];
    server = await startServer(command, { cwd: pathToFileURL(`${folder}/`), env });
  }
  before(async () => {
    fs.symlinkSync(
      fileURLToPath(new URL('../node_modules', import.meta.url)),
      join(folder, 'node_modules'),
    );
    postgres = await startPostgres();
    await start(PROGRAM, SCHEMA);
  });
  after(async () => {
    await server.stop();
    await postgres.remove();
    fs.rmSync(folder, { recursive: true });
  });

  const tests = handlerTests({
    url: 'http://127.0.0.1/callbacks',
    fetch: (_url, request) => fetch(server.url, request),
    async balance(currency) {
      const sum = `SELECT sum(amount)::text FROM balance WHERE currency = '${currency}'`;
      return (await postgres.query(sum))[0].sum;
    },
    async breakDatabase() {
      await postgres.query('ALTER TABLE balance RENAME TO away');
      return async () => void (await postgres.query('ALTER TABLE away RENAME TO balance'));
    },
  });
  for (const { name, run } of tests) test(name, run);

  for (const { fault, program, schema, test: name, cause } of MUTANTS) {
    test(`a fault is found: ${fault}`, async () => {
      await server.stop();
      await start(replaced(PROGRAM, program), replaced(SCHEMA, schema));
      const finder = tests.find((one) => one.name === name);
      assert(finder);
      await assert.rejects(
        finder.run(),
        (error) => error instanceof Error && error.message.includes(cause),
      );
    });
  }

  describe('docs/testing.md', () => {
    const page = filesOn('docs/testing.md');
    const tool = (/** @type {string} */ path) => join(ROOT, 'node_modules', path);
    /** @param {string[]} args */
    const run = async (...args) => {
      // Otherwise, node:test takes itself for a part of this test.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const own = {
        DATABASE_URL: postgres.url(),
        CALLBACK_URL: server.url,
        CALLBACK_SECRET: SECRET,
      };
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: folder,
        env: { ...env, ...own },
      });
      return stdout;
    };
    /** @param {string} name */
    const write = (name) => fs.writeFileSync(join(folder, name), page.get(name) ?? '');

    test('the test of Vitest compiles, and passes with the accountOf of the other page', async () => {
      const [lookUp = ''] =
        /^async function accountOf.*?^}$/ms.exec(
          fs.readFileSync(join(ROOT, 'docs/credit-once.md'), 'utf8'),
        ) ?? [];
      await server.stop();
      await start(
        PROGRAM.replace(/^async function accountOf.*?^}$/ms, () => lookUp),
        `${SCHEMA} CREATE TABLE payment (id text PRIMARY KEY, customer text NOT NULL);
         CREATE TABLE withdrawal (id uuid PRIMARY KEY, customer text NOT NULL)`,
      );
      write('callbacks.test.ts');
      // Otherwise, it finds the settings of this project.
      fs.writeFileSync(join(folder, 'vitest.config.js'), 'export default {};');
      const options =
        '--noEmit --strict --skipLibCheck --module nodenext --target es2022 --types node';
      await run(
        tool('typescript/bin/tsc'),
        '--ignoreConfig',
        ...options.split(' '),
        'callbacks.test.ts',
      );
      const printed = await run(tool('vitest/vitest.mjs'), 'run', 'callbacks', '--no-color');
      assert.match(printed, /Tests +25 passed \(25\)/);
    });

    test('the test of node:test passes with a receiver in its process', async () => {
      await postgres.query(`CREATE TABLE seen (key text PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS payment (id text PRIMARY KEY, customer text NOT NULL);
        CREATE TABLE ledger (customer text NOT NULL, currency text NOT NULL, amount numeric NOT NULL)`);
      write('callbacks.test.mjs');
      fs.writeFileSync(join(folder, 'receiver.mjs'), RECEIVER);
      const printed = await run('--test', 'callbacks.test.mjs');
      assert.match(printed, /^# pass 12$/m);
      assert.match(printed, /^# fail 0$/m);
    });
  });
});

/** @param {string} text @param {Replacement} [replacement] */
function replaced(text, replacement) {
  if (replacement === undefined) return text;
  const result = text.replace(...replacement);
  assert(result !== text);
  return result;
}
