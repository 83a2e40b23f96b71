import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findPostgres } from './postgres.js';

/** A program of an npm package, by its name. @param {string} name */
export function bin(name) {
  return new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname;
}

/**
 * Why a runtime can't be tested here; false if it can.
 *
 * @param {string} runtime
 */
export function whyNot(runtime) {
  const { status, error } = spawnSync(bin(runtime), ['--version']);
  if (status === 0) return false;
  return `${runtime} does not run on this machine: ${error?.message ?? `it exits with ${status}`}`;
}

/** Why the merchant can't be tested on a PostgreSQL server here; false if it can. */
export function whyNoPostgres() {
  return findPostgres()
    ? false
    : 'no PostgreSQL server is installed: apt-get install postgresql-15';
}

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why the merchant's page can't be tested here; false if it can. */
export function whyNoChromium() {
  return existsSync(CHROMIUM) ? false : 'no Chromium is installed: apt-get install chromium';
}

/** The reasons for all that is skipped. */
export function skipped() {
  return [...['bun', 'deno', 'workerd'].map(whyNot), whyNoPostgres(), whyNoChromium()].filter(
    Boolean,
  );
}
