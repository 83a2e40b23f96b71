// The tests that the package has for every handler, of postgres.mjs, and of what a merchant may make of it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { handlerTests } from 'payment-notifications/testing';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { startServer } from './server.js';

/** @import { Postgres } from './postgres.js' */

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

describe('every handler', { skip: whyNoPostgres() }, () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'handler-tests-'));
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
});
