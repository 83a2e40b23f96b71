// A merchant who has copied examples/start into a folder, and has a PostgreSQL server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { copied } from './code.js';
import { startPostgres } from './postgres.js';
import { startServer, until } from './server.js';

/** @import { Place } from 'payment-notifications/store' */
/** @import { Server } from './server.js' */
/** @typedef {Awaited<ReturnType<typeof openMerchant>>} Merchant */

const FILES = ['server.mjs', 'stop.mjs', 'postgres.mjs', 'settle.mjs', 'schema.sql'];
export const SETTLE = copied('settle.mjs');
export const SCHEMA = copied('schema.sql');
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));

/** A new folder with the packages and the programs. @param {string} parent */
export function openFolder(parent = tmpdir()) {
  const path = fs.mkdtempSync(join(parent, 'merchant-'));
  fs.symlinkSync(PACKAGES, join(path, 'node_modules'));
  fs.writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
  const copy = () => {
    for (const name of FILES) fs.writeFileSync(join(path, name), copied(name));
  };
  copy();
  return {
    path,
    url: pathToFileURL(`${path}/`),
    copy,
    remove: () => fs.rmSync(path, { recursive: true }),
  };
}

/** @param {string} [parent] */
export async function openMerchant(parent) {
  const folder = openFolder(parent);
  const postgres = await startPostgres();
  await postgres.query(SCHEMA);
  const webhooks = join(folder.path, 'webhooks');
  /** @type {Set<Server>} */
  const servers = new Set();
  /** @param {Place} place */
  const filesIn = (place) =>
    fs.readdirSync(join(webhooks, place)).filter((file) => file.endsWith('.json'));
  /** @param {Place} place @param {string} file */
  const readBody = (place, file) => fs.readFileSync(join(webhooks, place, file), 'utf8');
  /** How many bodies wait. A round may move one to the other place meanwhile. */
  const countWaiting = () =>
    /** @type {const} */ (['retry', 'progress', 'retry']).flatMap(filesIn).length;
  /** @param {string[]} command @param {Record<string, string | undefined>} [env] */
  async function run(command, env = {}) {
    const options = { cwd: folder.url, env: { DATABASE_URL: postgres.url, ...env } };
    const server = await startServer(command, options);
    servers.add(server);
    return server;
  }
  return {
    folder,
    postgres,
    run,
    async start() {
      const server = await run(['node', 'server.mjs']);
      await until(() => server.printed.some((line) => line.startsWith('listening')));
      return server;
    },
    waiting: filesIn,
    untilSettled: () => until(() => countWaiting() === 0),
    /** The bodies in a place. Rounds of a running server may move them. @param {Place} place */
    bodies: (place) => filesIn(place).map((file) => readBody(place, file)),
    /** Why a body waits. @param {Place} place @param {string} body */
    reason(place, body) {
      const file = filesIn(place).find((one) => readBody(place, one) === body) ?? '';
      return readBody(place, file.replace('.json', '.txt')).trimEnd();
    },
    /** Moves a body from `review` to `retry`. @param {string} body */
    retry(body) {
      const file = filesIn('review').find((one) => readBody('review', one) === body) ?? '';
      fs.renameSync(join(webhooks, 'review', file), join(webhooks, 'retry', file));
    },
    /** Lets the claims of a process that has ended run out. */
    endClaims() {
      const progress = join(webhooks, 'progress');
      for (const file of fs.readdirSync(progress)) fs.utimesSync(join(progress, file), 0, 0);
    },
    /** Makes the orders of some bodies known. @param {string[]} bodies */
    async order(...bodies) {
      for (const body of bodies) {
        const { clientPaymentId, clientWithdrawalId } = JSON.parse(body);
        const order = clientPaymentId
          ? `'deposit.received', '${clientPaymentId}'`
          : `'withdrawal.broadcast', '${clientWithdrawalId}'`;
        const insert = `INSERT INTO orders VALUES (${order}, 'customer-7') ON CONFLICT DO NOTHING`;
        await postgres.query(insert);
      }
    },
    /** @returns {Promise<Record<string, string>>} By account and currency. */
    async balances() {
      const rows = await postgres.query(
        'SELECT account, currency, trim_scale(amount) AS amount FROM balance ORDER BY 1, 2',
      );
      return Object.fromEntries(
        rows.map(({ account, currency, amount }) => [`${account} ${currency}`, amount]),
      );
    },
    /** Runs SQL in a transaction that stays open. @param {string} sql */
    async hold(sql) {
      const client = new pg.Client(postgres.url);
      client.on('error', () => {});
      await client.connect();
      await client.query(`BEGIN; ${sql}`);
      return client;
    },
    /** Until so many statements wait for a lock. @param {number} [count] */
    untilBlocked: (count = 1) =>
      until(async () => {
        const find = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        return (await postgres.query(find)).length >= count;
      }),
    /** Forgets all, also what a test has changed in the files. */
    async reset() {
      folder.copy();
      await postgres.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${SCHEMA}`);
      fs.rmSync(webhooks, { recursive: true, force: true });
    },
    async close() {
      for (const server of servers) await server.kill();
      await postgres.remove();
      folder.remove();
    },
  };
}

/** A text with one part replaced. @param {string} text @param {string} from @param {string} to */
export function replaced(text, from, to) {
  assert.equal(text.split(from).length, 2, `once: ${from}`);
  return text.replace(from, () => to);
}
