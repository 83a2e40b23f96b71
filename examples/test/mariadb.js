import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { MARIADB } from './programs.js';
import { atExit } from './server.js';

/**
 * Starts a MariaDB server on a temporary folder, with its settings as they come. It takes no port:
 * it listens on a socket in its folder.
 */
export async function startMariadb() {
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'));
  const socket = join(folder, 'socket');
  mkdirSync(join(folder, 'data'));
  const args = [
    ...['--no-defaults', '--skip-networking', '--skip-grant-tables'],
    ...[`--datadir=${join(folder, 'data')}`, `--socket=${socket}`],
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  const server = spawn(MARIADB, args, { stdio: 'ignore' });
  const stopped = once(server, 'exit');
  const forget = atExit(() => server.kill('SIGKILL'));
  const connect = () =>
    mysql.createConnection({ socketPath: socket, user: 'root', multipleStatements: true });
  let first = await connect().catch(() => null);
  while (first === null && server.exitCode === null) {
    await sleep(50);
    first = await connect().catch(() => null);
  }
  assert(first, 'MariaDB does not start');
  const admin = first;
  return {
    /** @param {string} database */
    url: (database) => `mysql://root@localhost/${database}?socketPath=${socket}`,
    /** @param {string} sql @returns {Promise<any>} */
    query: async (sql) => (await admin.query(sql))[0],
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async remove() {
      await admin.end();
      server.kill('SIGKILL');
      await stopped;
      forget();
      rmSync(folder, { recursive: true });
    },
  };
}
