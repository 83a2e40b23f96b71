import { spawnSync } from 'node:child_process';
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

/** Why no PostgreSQL server can be tested here; false if one can. */
export const whyNoPostgres = () =>
  findPostgres() === null && 'not installed: apt-get install postgresql-15';

/** Installs PostgreSQL where this may: as root on Debian, which is what a container of CI is. */
export function installPostgres() {
  if (!whyNoPostgres()) return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return;
  const install = 'apt-get install -qq -y --no-install-recommends postgresql-15';
  spawnSync('sh', ['-c', `apt-get update -qq && ${install}`], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
