// All of the pipeline on this machine, for a look and for the tests: three NATS servers, a PostgreSQL
// server, two receivers and two settlers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { openServer } from '../merchant/database.js';
import { findPostgres, startPostgres } from '../test/postgres.js';
import { installFromDebian, missingPackages, NATS_SERVER, whyMissing } from '../test/programs.js';
import { atExit, claimNetwork } from '../test/server.js';
import { CONSUMER, connectTo, STREAM } from './stream.js';

/** @typedef {Awaited<ReturnType<typeof startPipeline>>} Pipeline */

const SERVERS = /** @type {const} */ (['nats-server', 'postgresql-15']);
/** Below those that a system gives to outgoing connections. */
const [NATS_PORT, CLUSTER_PORT, RECEIVER_PORT] = ['19222', '19622', '19000'];
/** Many times what anything here takes on a slow machine: it has failed then. */
const PATIENCE_MS = 600_000;
const RESTART_MS = 200;

export async function startPipeline() {
  installFromDebian(missingPackages(...SERVERS));
  if (whyMissing(...SERVERS)) throw new Error(`${whyMissing(...SERVERS)}`);
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  /** @type {Map<string, import('node:child_process').ChildProcess>} */
  const processes = new Map();
  /** @type {Promise<void>[]} */
  const ended = [];
  let isStopping = false;
  const logOf = (/** @type {string} */ name) => join(folder, `${name}.log`);
  const readLog = (/** @type {string} */ name) => readFileSync(logOf(name), 'utf8');

  /** Runs a process, and again whenever it ends, as your platform does. @type {(name: string, command: string[], env?: Record<string, string>) => Promise<void>} */
  async function keepRunning(name, [program = '', ...args], env = {}) {
    const log = openSync(logOf(name), 'a');
    while (!isStopping) {
      const child = spawn(program, args, {
        cwd: new URL('.', import.meta.url),
        env: { ...process.env, ...env },
        stdio: ['ignore', log, log],
      });
      processes.set(name, child);
      await once(child, 'exit');
      await sleep(RESTART_MS);
    }
    closeSync(log);
  }

  function killAll() {
    isStopping = true;
    for (const child of processes.values()) child.kill('SIGKILL');
  }
  atExit(() => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  // Started again, a server must have its address again: so each has one of its own, with fixed ports.
  const network = await claimNetwork();
  const hosts = [1, 2, 3].map((number) => `${network}.${number}`);
  const routes = hosts.map((host) => `nats-route://${host}:${CLUSTER_PORT}`);
  for (const [index, host] of hosts.entries()) {
    const name = `nats-${index + 1}`;
    const flags = [
      ...['--name', name, '--addr', host, '--port', NATS_PORT, '--routes', routes.join()],
      ...['--cluster_name', 'pipeline', '--cluster', `nats://${host}:${CLUSTER_PORT}`],
      ...['--jetstream', '--store_dir', join(folder, name)],
    ];
    ended.push(keepRunning(name, [NATS_SERVER, ...flags]));
  }
  const NATS_SERVERS = hosts.map((host) => `${host}:${NATS_PORT}`).join();
  const postgres = await startPostgres(findPostgres() ?? { bin: '' });
  const env = { NATS_SERVERS, DATABASE_URL: postgres.url('postgres') };
  const receivers = [1, 2].map((number) => {
    ended.push(keepRunning(`settler-${number}`, ['node', 'settler.js'], env));
    const HOST = `${network}.${10 + number}`;
    const DATA_FOLDER = join(folder, `receiver-${number}`);
    const own = { ...env, HOST, PORT: RECEIVER_PORT, DATA_FOLDER };
    ended.push(keepRunning(`receiver-${number}`, ['node', 'receiver.js'], own));
    return { url: `http://${HOST}:${RECEIVER_PORT}/callbacks`, journal: DATA_FOLDER };
  });
  const urls = receivers.map(({ url }) => url);

  const database = openServer(env.DATABASE_URL);
  const connection = await connectTo(NATS_SERVERS);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 });

  /** How far it is; null for what does not answer. */
  async function status() {
    const [consumer, rows] = await Promise.all([
      manager.consumers.info(STREAM, CONSUMER).catch(() => null),
      database.query('SELECT count(*)::int AS events FROM event').catch(() => null),
    ]);
    return {
      unsettled: consumer ? consumer.num_pending + consumer.num_ack_pending : null,
      settled: rows ? Number(rows[0]?.events) : null,
    };
  }

  /** Waits for something. @param {string} what @param {() => Promise<boolean>} hasHappened */
  async function until(what, hasHappened) {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await hasHappened())) {
      if (performance.now() > deadline) {
        const logs = [...processes.keys()].map((name) => readLog(name).slice(-1_000));
        throw new Error(`not ${what}: ${[JSON.stringify(await status()), ...logs].join('\n\n')}`);
      }
      await sleep(100);
    }
  }

  await until('a stream and a ledger', async () => !Object.values(await status()).includes(null));
  for (const url of urls)
    await until(`listening: ${url}`, () => fetch(new URL('/', url)).then(Boolean, () => false));

  return {
    names: () => [...processes.keys()],
    /** Whether there was such a process. @param {string} name @param {NodeJS.Signals} signal */
    kill: (name, signal = 'SIGKILL') => processes.get(name)?.kill(signal) ?? false,
    /** Whether every thread of a process has stopped: a signal reaches one first. @param {string} name */
    isStopped(name) {
      const threads = `/proc/${processes.get(name)?.pid}/task`;
      const stateOf = (/** @type {string} */ id) => readFileSync(`${threads}/${id}/stat`, 'latin1');
      return readdirSync(threads).every((id) => stateOf(id).includes(') T '));
    },
    /** All that a process printed. @param {string} name */
    log: readLog,
    urls,
    postgres,
    database,
    connection,
    status,
    until,
    /** Waits until so many events are settled, and nothing waits. @param {number} events */
    settled: (events) =>
      until(`${events} settled`, async () => {
        const { unsettled, settled } = await status();
        return unsettled === 0 && settled === events;
      }),
    /** Waits until the receivers know that the ledger has all that they kept. */
    confirmed: () =>
      until('confirmed', async () => {
        const files = receivers.flatMap(({ journal }) => readdirSync(journal));
        return !files.some((name) => name.endsWith('.journal'));
      }),
    async stop() {
      await connection.close();
      await database.close();
      killAll();
      await Promise.all(ended);
      await postgres.remove();
    },
  };
}
