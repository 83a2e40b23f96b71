import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './server.js';

const VERSIONS = '/usr/lib/postgresql';

/** Where the programs of a PostgreSQL server are: of version 15, or else of another; null if nowhere. */
export function findPostgres() {
  const installed = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort().reverse() : [];
  const version = ['15', ...installed].find((name) =>
    existsSync(join(VERSIONS, name, 'bin', 'initdb')),
  );
  return version === undefined ? null : { version, bin: join(VERSIONS, version, 'bin') };
}

/**
 * Starts a PostgreSQL server on a temporary folder, with its settings as they come: each commit is
 * on the disk before it is answered. It takes no port: it listens on a socket in its folder.
 *
 * @param {{ bin: string }} postgres
 */
export async function startPostgres({ bin }) {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-postgres-'));
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? idsOf('postgres') : null;
  if (user) chownSync(folder, user.uid, user.gid);

  const settings = { cwd: folder, ...user };
  /** @type {(program: string, ...args: string[]) => Promise<void>} */
  const run = async (program, ...args) => {
    const child = spawn(join(bin, program), ['-D', folder, ...args], {
      ...settings,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} failed: see ${folder}/server.log`);
  };
  const options = `-c listen_addresses= -c unix_socket_directories=${folder}`;
  const log = join(folder, 'server.log');

  await run('initdb', '--username=merchant', '--auth=trust', '--no-sync', '--encoding=UTF8');
  const start = () => run('pg_ctl', 'start', '--silent', '-w', '-l', log, '-o', options);
  await start();
  const forget = atExit(() => {
    execFileSync(join(bin, 'pg_ctl'), ['stop', '-D', folder, '-m', 'immediate', '-s'], settings);
    rmSync(folder, { recursive: true });
  });
  return {
    /** @param {string} database */
    url: (database) =>
      `postgres://merchant@localhost/${database}?host=${encodeURIComponent(folder)}`,
    start,
    /** @param {'fast' | 'immediate'} mode Breaks off what runs; or crashes. */
    stop: (mode) => run('pg_ctl', 'stop', '--silent', '-w', '-m', mode),
    /** Stops it for good. */
    async remove() {
      await run('pg_ctl', 'stop', '--silent', '-w', '-m', 'fast');
      forget();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param {string} user */
function idsOf(user) {
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, user]).toString());
  return { uid: id('-u'), gid: id('-g') };
}
