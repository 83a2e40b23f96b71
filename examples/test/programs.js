import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const MARIADBD = '/usr/sbin/mariadbd';
const VERSIONS = '/usr/lib/postgresql';

/** A program of an npm package, by its name. @param {string} name */
export function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
}

/** A program of the newest PostgreSQL server. @param {string} name */
export function postgresBin(name) {
  const all = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort() : [];
  const servers = all.filter((version) => existsSync(`${VERSIONS}/${version}/bin/initdb`));
  return `${VERSIONS}/${servers.at(-1)}/bin/${name}`;
}

/** Why a program can't be tested here; false if it can. @param {string} program */
export function whyNot(program) {
  const { status, error } = spawnSync(program, ['--version']);
  if (status === 0) return false;
  return `${program} does not run on this machine: ${error?.message ?? `it exits with ${status}`}`;
}

/** Why no PostgreSQL server can be tested here; false if one can. */
export const whyNoPostgres = () => whyNot(postgresBin('initdb'));

/**
 * Installs the databases where this may: as root on Debian, which is what a container of CI is.
 * MariaDB takes long, so it comes with `.ci/run --full` only.
 */
export async function installDatabases() {
  const missing = [
    ...(whyNoPostgres() ? ['postgresql-15'] : []),
    ...(whyNot('sqlite3') ? ['sqlite3'] : []),
    ...(whyNot(MARIADBD) && process.env.FULL === 'true' ? ['mariadb-server'] : []),
  ];
  if (missing.length === 0 || process.getuid?.() !== 0 || whyNot('apt-get')) return;
  const install = `apt-get install -qq -y --no-install-recommends ${missing.join(' ')}`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const installing = promisify(execFile)('sh', ['-c', `apt-get update -qq && ${install}`], { env });
  // What is missing then is skipped, and said.
  await installing.catch(({ message }) => console.error(message));
}
