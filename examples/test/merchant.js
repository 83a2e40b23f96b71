// A merchant who has copied server.mjs into a folder, and has a PostgreSQL server.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { startPostgres } from './postgres.js';
import { startServer } from './server.js';

/** @typedef {Awaited<ReturnType<typeof openMerchant>>} Merchant */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

export const PROGRAM = fs.readFileSync(new URL('../start/server.mjs', import.meta.url), 'utf8');
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const PRELOAD = new URL('preload.js', import.meta.url).href;

/** A new folder with the packages and the program. @param {string} parent */
export function openFolder(parent = tmpdir()) {
  const folder = fs.mkdtempSync(join(parent, 'merchant-'));
  fs.symlinkSync(PACKAGES, join(folder, 'node_modules'));
  fs.writeFileSync(join(folder, 'server.mjs'), PROGRAM);
  return {
    path: folder,
    url: pathToFileURL(`${folder}/`),
    remove: () => fs.rmSync(folder, { recursive: true }),
  };
}

/** Waits until something is true. @param {() => unknown} condition */
export async function until(condition) {
  while (!(await condition())) await sleep(20);
}

/** The name of a body's file. @param {string | Uint8Array} body */
export const nameOf = (body) => createHash('sha256').update(body).digest('hex');

/** @param {string} [parent] */
export async function openMerchant(parent) {
  const folder = openFolder(parent);
  const postgres = await startPostgres();
  /** @type {Set<Server>} */
  const servers = new Set();
  /** @param {'unsettled' | 'refused'} name */
  const waiting = (name) =>
    fs.readdirSync(join(folder.path, name)).filter((file) => !file.startsWith('.'));
  return {
    folder,
    postgres,
    /** @param {Record<string, string | undefined>} [env] @param {string} [program] */
    async start(env = {}, program = 'server.mjs') {
      const server = await startServer(['node', '--import', PRELOAD, program], {
        cwd: folder.url,
        env: { DATABASE_URL: postgres.url, ...env },
      });
      servers.add(server);
      await until(() => server.printed.some((line) => line.startsWith('listening')));
      return server;
    },
    waiting,
    /** The bodies that wait there. @param {'unsettled' | 'refused'} name */
    bodies: (name) =>
      waiting(name).map((file) => fs.readFileSync(join(folder.path, name, file), 'utf8')),
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
    /** Moves a body from one of its folders to the other. @param {string} body */
    retry: (body) =>
      fs.renameSync(
        join(folder.path, 'refused', nameOf(body)),
        join(folder.path, 'unsettled', nameOf(body)),
      ),
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
      await postgres.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      for (const name of ['unsettled', 'refused'])
        fs.rmSync(join(folder.path, name), { recursive: true, force: true });
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
