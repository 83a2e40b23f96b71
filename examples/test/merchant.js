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

const FILES = ['server.mjs', 'postgres.mjs', 'settle.mjs', 'schema.sql'];
export const SETTLE = copied('settle.mjs');
export const SCHEMA = copied('schema.sql');
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const PRELOAD = new URL('preload.js', import.meta.url).href;

/** A new folder with the packages and the programs. @param {string} parent */
export function openFolder(parent = tmpdir()) {
  const folder = fs.mkdtempSync(join(parent, 'merchant-'));
  fs.symlinkSync(PACKAGES, join(folder, 'node_modules'));
  for (const name of FILES) fs.writeFileSync(join(folder, name), copied(name));
  return {
    path: folder,
    url: pathToFileURL(`${folder}/`),
    remove: () => fs.rmSync(folder, { recursive: true }),
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
  /** @param {Place} name */
  const waiting = (name) =>
    fs.readdirSync(join(webhooks, name)).filter((file) => file.endsWith('.json'));
  /** How many bodies wait or are in progress. One may move to the other place meanwhile. */
  const unsettled = () =>
    /** @type {const} */ (['retry', 'progress', 'retry']).flatMap(waiting).length;
  /** @param {Place} name @param {string} file */
  const readBody = (name, file) => fs.readFileSync(join(webhooks, name, file), 'utf8');
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
    /** @param {Record<string, string | undefined>} [env] @param {string} [program] */
    async start(env = {}, program = 'server.mjs') {
      const server = await run(['node', '--import', PRELOAD, program], env);
      await until(() => server.printed.some((line) => line.startsWith('listening')));
      return server;
    },
    waiting,
    unsettled,
    untilSettled: () => until(() => unsettled() === 0),
    /** The bodies that wait there. @param {Place} name */
    bodies: (name) => waiting(name).map((file) => readBody(name, file)),
    /**
     * Why a body waits; null if a kill came before its reason.
     *
     * @param {Place} name
     * @param {string} body
     */
    reason(name, body) {
      const file = waiting(name).find((one) => readBody(name, one) === body);
      const path = join(webhooks, name, `${file?.slice(0, -5)}.txt`);
      return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null;
    },
    /** Puts bodies into `retry`, the first one of which is the oldest. @param {string[]} bodies */
    wait(...bodies) {
      const retry = join(webhooks, 'retry');
      fs.mkdirSync(retry, { recursive: true });
      for (const [index, body] of bodies.entries()) {
        const path = join(retry, `${index}.json`);
        fs.writeFileSync(path, body);
        fs.utimesSync(path, index, index);
      }
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
    /** Lets the claims of a process that has ended run out. */
    endClaims() {
      const progress = join(webhooks, 'progress');
      for (const file of fs.readdirSync(progress)) {
        const time = file.endsWith('.txt') ? 1 : 0; // a claim is younger than its body
        fs.utimesSync(join(progress, file), time, time);
      }
    },
    /** Moves a body from `review` to `retry`. @param {string} body */
    retry(body) {
      const file = waiting('review').find((one) => readBody('review', one) === body) ?? '';
      fs.renameSync(join(webhooks, 'review', file), join(webhooks, 'retry', file));
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
    /** How many statements wait for a lock. */
    async blocked() {
      const find = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      return (await postgres.query(find)).length;
    },
    /** Forgets all. */
    async reset() {
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

/** settle.mjs with another customerOf. @param {string} customerOf @param {string} [settle] */
export function settleWith(customerOf, settle = SETTLE) {
  const [own = ''] = /^async function customerOf.*?^}\n/ms.exec(settle) ?? [];
  return replaced(settle, own, customerOf);
}
