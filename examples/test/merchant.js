// A merchant who has a folder with files of the pages and of examples/start, and a PostgreSQL
// server.
import fs from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { idempotencyKey, parseNotification } from 'payment-notifications';
import { copied } from './code.js';
import { startPostgres } from './postgres.js';
import { whyNoPostgres } from './programs.js';
import { atExit, SECRET } from './server.js';

/** @import { Place, Settle } from 'payment-notifications/receiver' */

export const SCHEMA = copied('schema.sql');

/** A new folder, deep enough for the packages of the examples, and of this project. */
export function openFolder() {
  const path = fs.mkdtempSync(fileURLToPath(new URL('../pages-', import.meta.url)));
  atExit(() => fs.rmSync(path, { recursive: true }));
  return pathToFileURL(`${path}/`);
}

/**
 * A new folder, which is the working directory from now on, and a PostgreSQL for what is in there.
 * Without one, the tests that need it are skipped.
 */
export async function openMerchant() {
  const folder = openFolder();
  process.chdir(fileURLToPath(folder));
  process.env.CALLBACK_SECRET = SECRET;
  const started = whyNoPostgres() ? undefined : await startPostgres();
  if (started) process.env.DATABASE_URL = started.url;
  const postgres = /** @type {Awaited<ReturnType<typeof startPostgres>>} */ (started);
  /** A module of the folder. @param {string} name @returns {Promise<any>} */
  const load = (name) => import(new URL(name, folder).href);
  return { folder, postgres, load };
}

/** The files of the bodies in a place of the store. @param {Place} place */
export const filesIn = (place, store = 'webhooks') =>
  fs.readdirSync(`${store}/${place}`).filter((file) => file.endsWith('.json'));

/** The bodies in a place of the store, each with its file. @param {Place} place */
export const bodiesIn = (place, store = 'webhooks') =>
  new Map(
    filesIn(place, store).map((file) => [
      fs.readFileSync(`${store}/${place}/${file}`, 'utf8'),
      file,
    ]),
  );

/** Calls a function as a receiver does. @param {Settle<any>} settle @param {string} body */
export async function settleBy(settle, body) {
  const notification = parseNotification(body);
  const key = idempotencyKey(notification);
  await settle(notification, { key, body: Buffer.from(body) });
}
