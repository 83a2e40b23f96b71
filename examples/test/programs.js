import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MARIADBD = '/usr/sbin/mariadbd';
const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** A program of an npm package, by its name. @param {string} name */
export function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
}

/** Where the programs of a PostgreSQL server are; null if nowhere. */
export function findPostgres() {
  const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
  const folders = versions
    .sort()
    .reverse()
    .map((version) => join(POSTGRES_VERSIONS, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** Why a runtime can't be tested here; false if it can. @param {string} runtime */
export function whyNot(runtime) {
  const { status, error } = spawnSync(bin(runtime), ['--version']);
  if (status === 0) return false;
  return `${runtime} does not run on this machine: ${error?.message ?? `it exits with ${status}`}`;
}

/** Why no PostgreSQL server can be tested here; false if one can. */
export const whyNoPostgres = () =>
  findPostgres() === null && 'not installed: apt-get install postgresql-15';

/** Why no MariaDB server can be tested here; false if one can. */
export const whyNoMariaDb = () =>
  !existsSync(MARIADBD) && 'not installed: apt-get install mariadb-server';

/** Why the shell of SQLite can't be tested here; false if it can. */
export const whyNoSqlite = () =>
  spawnSync('sqlite3', ['--version']).status !== 0 && 'not installed: apt-get install sqlite3';

/**
 * Installs the databases where this may: as root on Debian, which is what a container of CI is.
 * MariaDB takes long, so it comes with `.ci/run --full` only.
 */
export async function installDatabases() {
  const missing = [
    ...(whyNoPostgres() ? ['postgresql-15'] : []),
    ...(whyNoSqlite() ? ['sqlite3'] : []),
    ...(whyNoMariaDb() && process.env.FULL === 'true' ? ['mariadb-server'] : []),
  ];
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return;
  const install = `apt-get install -qq -y --no-install-recommends ${missing.join(' ')}`;
  const installing = spawn('sh', ['-c', `apt-get update -qq && ${install}`], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(installing, 'exit');
}
