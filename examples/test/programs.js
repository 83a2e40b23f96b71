import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findPostgres } from './postgres.js';

/** A program of an npm package, by its name. @param {string} name */
export function bin(name) {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
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

/** Where Debian has it, which is not on everybody's PATH. */
export const MARIADB = '/usr/sbin/mariadbd';

/** Programs that no npm package brings, by Debian's name for them. */
const PACKAGES = {
  'postgresql-15': () => findPostgres() !== null,
  'mariadb-server-core': () => existsSync(MARIADB),
};

/** What of Debian's is not installed. @param {(keyof typeof PACKAGES)[]} needed */
export function missingPackages(...needed) {
  const names = needed.length > 0 ? needed : /** @type {typeof needed} */ (Object.keys(PACKAGES));
  return names.filter((name) => !PACKAGES[name]());
}

/**
 * Installs packages where this may: as root on Debian, which is what a container of CI is.
 *
 * @param {string[]} packages
 */
export function installFromDebian(packages) {
  if (packages.length === 0 || process.getuid?.() !== 0) return;
  if (spawnSync('apt-get', ['--version']).error) return;
  console.log(`Installing ${packages.join(' and ')}.`);
  const names = packages.join(' ');
  const install = `apt-get update -qq && apt-get install -qq -y --no-install-recommends ${names}`;
  spawnSync('sh', ['-c', install], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Why something can't be tested here; false if it can. @param {(keyof typeof PACKAGES)[]} needed */
export function whyMissing(...needed) {
  const missing = missingPackages(...needed);
  return missing.length > 0 && `not installed: apt-get install ${missing.join(' ')}`;
}

/** Why nothing can be tested on a PostgreSQL server here; false if it can. */
export const whyNoPostgres = () => whyMissing('postgresql-15');

/** The reasons for all that is skipped. */
export function skipped() {
  return [...['bun', 'deno', 'workerd'].map(whyNot), whyMissing()].filter(Boolean);
}
