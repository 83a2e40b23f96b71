import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findPostgres } from './postgres.js';

/** A program of an npm package, by its name. @param {string} name */
export function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
}

/** Why a runtime can't be tested here; false if it can. @param {string} runtime */
export function whyNot(runtime) {
  const { status, error } = spawnSync(bin(runtime), ['--version']);
  if (status === 0) return false;
  return `${runtime} does not run on this machine: ${error?.message ?? `it exits with ${status}`}`;
}

/** Where Debian has it, which is not on everybody's PATH. */
export const MARIADB = '/usr/sbin/mariadbd';

const missing = (/** @type {string} */ name) => `not installed: apt-get install ${name}`;
export const whyNoPostgres = () => findPostgres() === null && missing('postgresql-15');
export const whyNoMariadb = () => !existsSync(MARIADB) && missing('mariadb-server-core');

/** Installs the databases where this may: as root on Debian, which is what a container of CI is. */
export function installDatabases() {
  if (!whyNoPostgres() && !whyNoMariadb()) return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return;
  const install =
    'apt-get install -qq -y --no-install-recommends postgresql-15 mariadb-server-core';
  spawnSync('sh', ['-c', `apt-get update -qq && ${install}`], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
