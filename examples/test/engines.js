import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded, openServer } from '../merchant/database.js';
import { check } from '../merchant/ledger.js';
import { findPostgres, startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { atExit, startServer } from './server.js';

/** @import { Database } from '../merchant/database.js' */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

const MERCHANT = new URL('../merchant/', import.meta.url);

/**
 * @typedef {object} Storage A database that is empty at first, and how a merchant reaches it.
 * @property {(index: number) => Record<string, string>} env Of a process: each has its own folder.
 * @property {(index: number) => string} folder
 * @property {() => Database} open From here, beside the merchants if they use a server.
 */

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {number} processes How many merchants share one database.
 * @property {{ deposits: number, hostile: number, kills: number }} load What a test can afford: with
 * PGlite, each kill costs two starts of the database.
 * @property {(name: string) => Promise<Storage>} create
 * @property {{ stop(mode: 'fast' | 'immediate'): Promise<void>, start(): Promise<void> } | null} server
 * Null if the database is a part of the merchant's process.
 * @property {() => Promise<void>} close
 */

/** Those of a test that failed would keep its process alive. @type {Set<Server>} */
const started = new Set();

async function killLeftovers() {
  for (const merchant of started) await merchant.kill();
  started.clear();
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns {Promise<Engine>} */
export async function openPGlite() {
  const folder = temporaryFolder();
  return {
    name: 'PGlite',
    processes: 1,
    load: { deposits: 60, hostile: 60, kills: 2 },
    async create(name) {
      const data = join(folder, name);
      mkdirSync(data);
      return {
        env: () => ({ DATA_FOLDER: data, DATABASE_URL: '' }),
        folder: () => data,
        open: () => openEmbedded(join(data, 'database')),
      };
    },
    server: null,
    close: killLeftovers,
  };
}

/** @returns {Promise<Engine>} */
export async function openPostgres() {
  const found = findPostgres();
  if (!found) throw new Error('no PostgreSQL server is installed');
  const postgres = await startPostgres(found);
  const folder = temporaryFolder();
  return {
    name: `PostgreSQL ${found.version}`,
    processes: 2,
    load: { deposits: 300, hostile: 500, kills: 10 },
    async create(name) {
      const admin = openServer(postgres.url('postgres'));
      await admin.query(`CREATE DATABASE ${name}`);
      await admin.close();
      const url = postgres.url(name);
      const folderOf = (/** @type {number} */ index) => join(folder, `${name}-${index}`);
      return {
        env: (index) => ({ DATABASE_URL: url, DATA_FOLDER: folderOf(index) }),
        folder: folderOf,
        open: () => openServer(url),
      };
    },
    server: postgres,
    async close() {
      await killLeftovers();
      await postgres.remove();
    },
  };
}

/** @type {{ name: string, skip: string | false, open: () => Promise<Engine> }[]} */
export const ENGINES = [
  { name: 'PGlite', skip: false, open: openPGlite },
  { name: 'PostgreSQL', skip: whyNoPostgres(), open: openPostgres },
];

/**
 * @param {Storage} storage
 * @param {{ index?: number, command?: string[], shell?: string[], env?: Record<string, string>, exits?: boolean }} [options]
 */
export async function startMerchant(
  storage,
  { index = 0, command = [], shell = [], env, exits = false } = {},
) {
  const merchant = await startServer([...shell, process.execPath, 'merchant.js', ...command], {
    cwd: MERCHANT,
    env: { ...storage.env(index), ...env },
    exits,
  });
  started.add(merchant);
  return merchant;
}

/** @param {Storage} storage @param {number} count */
export function startMerchants(storage, count) {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return Promise.all(indexes.map((index) => startMerchant(storage, { index })));
}

/** @param {Server[]} merchants */
export async function stop(merchants) {
  await Promise.all(merchants.map((merchant) => merchant.stop()));
}

/** How many events are settled; the books hold. @param {Storage} storage */
export async function settledIn({ open }) {
  const database = open();
  const books = await check(database.query);
  await database.close();
  assert(books.isBalanced, JSON.stringify(books));
  return Number(books.events);
}

/** What programs see at a merchant. @param {Server} merchant @returns {Promise<any>} */
export async function reportOf({ url }) {
  return (await fetch(new URL('/report.json', url))).json();
}

/** @param {Server} merchant */
export async function untilDrained(merchant) {
  while ((await reportOf(merchant)).spool.bodies > 0) await sleep(50);
}
