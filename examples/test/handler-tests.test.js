// The tests that the package has for every handler, of postgres.mjs, and of what a merchant may make of it.
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
const [PROGRAM, SCHEMA] = ['postgres.mjs', 'schema.sql'].map((name) =>
  fs.readFileSync(new URL(name, START), 'utf8'),
);

/**
 * A fault, by what it replaces in the program or the schema, and which test finds it.
 *
 * @type {[name: string, file: 'program' | 'schema', from: string | RegExp, to: string, found: RegExp][]}
 */
const MUTANTS = [
  ['Number()', 'program', 'amount.toString(), body', 'Number(amount), body', /exactly/],
  ['toFixed(8)', 'program', 'amount.toString(), body', 'amount.toFixed(8), body', /exactly/],
  [
    'numeric(20,8)',
    'schema',
    / amount numeric NOT NULL/g,
    ' amount numeric(20,8) NOT NULL',
    /exactly/,
  ],
  ['no key check', 'schema', /IF known.deliveries > 1[^;]*;\n *END IF;/, '', /five copies/],
  [
    'check, then insert',
    'program',
    'const { rows } = await pool.query(',
    `const known = await pool.query('SELECT FROM event WHERE starts_with(key, $1)', [key]);
  if (known.rows.length > 0) return 'repeated';
  values[0] += Math.random();
  const { rows } = await pool.query(`,
    /five copies/,
  ],
  [
    'key committed before the credit',
    'program',
    'const { rows } = await pool.query(',
    `const insert = 'INSERT INTO event VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
  const { rowCount } = await pool.query(insert, values);
  if (rowCount === 0) return 'repeated';
  values[0] += 'credit';
  const { rows } = await pool.query(`,
    /database fails/,
  ],
  [
    '200 in spite of an error',
    'program',
    'throw error;\n    return review(400',
    "return { status: 200, text: '' };\n    return review(400",
    /database fails/,
  ],
  [
    'credits on conflict',
    'schema',
    "RETURN 'conflict';",
    'known.deliveries := 1;',
    /another amount/,
  ],
  ['overwrites', 'schema', 'balance.amount + excluded.amount', 'excluded.amount', /two deposits/],
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
    await start(PROGRAM ?? '', SCHEMA ?? '');
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
      const sum = `SELECT sum(amount) FROM balance WHERE currency = '${currency}'`;
      return (await postgres.query(sum))[0].sum;
    },
    async breakDatabase() {
      await postgres.query('ALTER TABLE balance RENAME TO away');
      return async () => void (await postgres.query('ALTER TABLE away RENAME TO balance'));
    },
  });
  for (const { name, run } of tests) test(name, run);

  for (const [name, file, from, to, found] of MUTANTS) {
    test(`of one with a fault finds it: ${name}`, async (t) => {
      await server.stop();
      const [program = '', schema = ''] = [PROGRAM, SCHEMA].map((text = '', index) =>
        (file === 'program') === (index === 0) ? text.replace(from, to) : text,
      );
      assert((file === 'program' ? program : schema) !== (file === 'program' ? PROGRAM : SCHEMA));
      await start(program, schema);
      /** @type {string[]} */
      const failed = [];
      for (const { name, run } of tests)
        await run().catch((error) => {
          failed.push(name);
          t.diagnostic(`${name}: ${error.message}`);
        });
      assert.match(failed.join('\n'), found);
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
      assert.match(printed, /Tests +24 passed \(24\)/);
    });

    test('the test of node:test passes with a receiver in its process', async () => {
      await postgres.query(`CREATE TABLE seen (key text PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS payment (id text PRIMARY KEY, customer text NOT NULL);
        CREATE TABLE ledger (customer text NOT NULL, currency text NOT NULL, amount numeric NOT NULL)`);
      write('callbacks.test.mjs');
      fs.writeFileSync(join(folder, 'receiver.mjs'), RECEIVER);
      const printed = await run('--test', 'callbacks.test.mjs');
      assert.match(printed, /^# pass 11$/m);
      assert.match(printed, /^# fail 0$/m);
    });
  });
});
