import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresBin } from './programs.js';
import { atExit } from './server.js';

/**
 * Starts a PostgreSQL server on a temporary folder. It takes no port: it listens on a socket in its
 * folder. No test cuts the power, so nothing waits for the disk: a commit survives a crash of the
 * server nevertheless. The server is a child of this process, which reaps it: until then, a killed
 * server keeps the lock on its folder.
 */
export async function startPostgres() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  const log = fs.openSync(join(folder, 'server.log'), 'a+');
  const logged = () => fs.readFileSync(join(folder, 'server.log'), 'utf8');
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? idsOf('postgres') : null;
  if (user) fs.chownSync(folder, user.uid, user.gid);

  /** @param {string} program @param {string[]} args */
  const run = (program, ...args) =>
    spawn(postgresBin(program), ['-D', data, ...args], {
      cwd: folder,
      ...user,
      stdio: ['ignore', log, log],
    });
  const [code] = await once(
    run('initdb', '--username=merchant', '--auth=trust', '--no-sync', '--locale=C.UTF-8'),
    'exit',
  );
  if (code !== 0) throw new Error(`initdb failed: ${logged()}`);

  /** @type {import('node:child_process').ChildProcess} */
  let server;
  /** @type {Promise<unknown>} */
  let stopped;
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  async function start() {
    server = run('postgres', '-c', 'listen_addresses=', '-c', 'fsync=off', '-k', folder);
    stopped = once(server, 'exit');
    while (spawnSync(postgresBin('pg_isready'), ['-h', folder]).status !== 0) {
      if (!isRunning()) throw new Error(logged());
      await sleep(20);
    }
  }
  /**
   * Its processes of now, itself first, so that it starts no more.
   *
   * @param {NodeJS.Signals} signal
   */
  function signalAll(signal) {
    const { pid = 0 } = server;
    process.kill(pid, 'SIGSTOP');
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
    for (const id of children.split(' ').filter(Boolean)) process.kill(Number(id), signal);
    process.kill(pid, signal);
  }
  const thaw = () => signalAll('SIGCONT');
  async function crash() {
    if (isRunning()) thaw();
    server.kill('SIGQUIT');
    await stopped;
  }
  await start();
  atExit(() => {
    const args = ['stop', '-D', data, '-m', 'immediate', '-s'];
    if (isRunning()) {
      thaw(); // a test may have failed meanwhile
      execFileSync(postgresBin('pg_ctl'), args, { cwd: folder, ...user });
    }
    fs.rmSync(folder, { recursive: true });
  });
  // A crash ends the connections of a test's modules, which would keep its process running.
  after(crash);
  const url = `postgres://merchant@localhost/postgres?host=${encodeURIComponent(folder)}`;
  // Its connection waits for queries, because a new one each time would take longer than these.
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {}); // a crash ends it
  return {
    url,
    start,
    /** @param {string} sql @returns {Promise<any[]>} */
    query: async (sql) => (await pool.query(sql)).rows,
    crash,
    /** Lets it hang: it keeps its connections, takes new ones, and answers none. */
    freeze: () => signalAll('SIGSTOP'),
    thaw,
  };
}

/** @param {string} user */
function idsOf(user) {
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, user]).toString());
  return { uid: id('-u'), gid: id('-g') };
}
