// All of the pipeline on this machine, for a look and for the tests: three NATS servers, a PostgreSQL
// server, receivers and settlers, each started again when it ends. In production, your platform does
// this, on several machines.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { openServer } from '../merchant/database.js';
import { findPostgres, startPostgres } from '../test/postgres.js';
import { atExit, freePort } from '../test/server.js';
import { CONSUMER, connectTo, STREAM } from './stream.js';

/** @typedef {Awaited<ReturnType<typeof startPipeline>>} Pipeline */

const RESTART_MS = 200;
/** Far more than it takes anywhere: what is not settled then, is lost. */
const SETTLED_MS = 600_000;
/** Debian's packages. */
const PACKAGES = ['nats-server', 'postgresql-15'];

/** Installs what is missing, where this may: as root on Debian. */
export function installServers() {
  const isThere = () => !spawnSync('nats-server', ['--version']).error && findPostgres() !== null;
  if (isThere()) return;
  if (process.getuid?.() === 0) {
    console.log(`Installing ${PACKAGES.join(' and ')}.`);
    const install = `apt-get update -qq && apt-get install -qq -y ${PACKAGES.join(' ')}`;
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('sh', ['-c', install], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  if (!isThere()) throw new Error(`This needs servers: apt-get install ${PACKAGES.join(' ')}`);
}

/** @param {{ receivers: number, settlers: number }} counts */
export async function startPipeline({ receivers, settlers }) {
  installServers();
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  const found = findPostgres();
  if (!found) throw new Error('no PostgreSQL');
  const postgres = await startPostgres(found);

  /** @type {Map<string, { process: import('node:child_process').ChildProcess, ended: Promise<void> }>} */
  const running = new Map();
  let isStopping = false;
  let restarts = 0;

  /** @type {(name: string, command: string[], env?: Record<string, string>) => void} */
  function start(name, [program = '', ...args], env) {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(program, args, {
      cwd: new URL('.', import.meta.url),
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    running.set(name, { process: child, ended: supervise() });
    async function supervise() {
      await once(child, 'exit');
      if (isStopping) return;
      restarts += 1;
      await sleep(RESTART_MS);
      if (!isStopping) start(name, [program, ...args], env);
    }
  }
  const forget = atExit(() => {
    for (const { process } of running.values()) process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const servers = await Promise.all(
    [1, 2, 3].map(async (number) => ({
      name: `nats-${number}`,
      listen: `127.0.0.1:${await freePort()}`,
      cluster: `127.0.0.1:${await freePort()}`,
    })),
  );
  for (const { name, listen, cluster } of servers) {
    const path = join(folder, `${name}.conf`);
    const config = {
      server_name: name,
      listen,
      jetstream: { store_dir: join(folder, name) },
      cluster: {
        name: 'pipeline',
        listen: cluster,
        routes: servers.map((other) => `nats-route://${other.cluster}`),
      },
    };
    writeFileSync(path, JSON.stringify(config)); // its own format has JSON within
    start(name, ['nats-server', '--config', path]);
  }

  const NATS_SERVERS = servers.map(({ listen }) => listen).join();
  const DATABASE_URL = postgres.url('postgres');
  const connection = await connectTo(NATS_SERVERS);
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const database = openServer(DATABASE_URL);
  /** @type {string[]} */
  const urls = [];
  for (let number = 1; number <= settlers; number += 1) startSettler(number);
  for (let number = 1; number <= receivers; number += 1) {
    const PORT = `${await freePort()}`;
    const DATA_FOLDER = join(folder, `receiver-${number}`);
    mkdirSync(DATA_FOLDER);
    start(`receiver-${number}`, [process.execPath, 'receiver.js'], {
      NATS_SERVERS,
      PORT,
      DATA_FOLDER,
    });
    urls.push(`http://127.0.0.1:${PORT}/callbacks`);
  }

  /** @param {number} number */
  function startSettler(number) {
    start(`settler-${number}`, [process.execPath, 'settler.js'], { NATS_SERVERS, DATABASE_URL });
  }

  /** How far it is; null for what does not answer now. */
  async function status() {
    const [stream, consumer, rows] = await Promise.all([
      manager.streams.info(STREAM).catch(() => null),
      manager.consumers.info(STREAM, CONSUMER).catch(() => null),
      database.query('SELECT count(*)::int AS events FROM event').catch(() => null),
    ]);
    return {
      inStream: stream?.state.messages ?? null,
      unsettled: consumer ? consumer.num_pending + consumer.num_ack_pending : null,
      settled: rows ? Number(rows[0]?.events) : null,
    };
  }

  /** The last lines that each process has printed. */
  function logs() {
    return [...running.keys()].map((name) => {
      const lines = readFileSync(join(folder, `${name}.log`), 'utf8')
        .trimEnd()
        .split('\n');
      return `${name}:\n${lines.slice(-10).join('\n')}`;
    });
  }

  // Receivers take bodies before there is a stream, but can only spool them.
  while ((await status()).unsettled === null || !(await areListening(urls))) await sleep(100);

  return {
    urls,
    postgres,
    database,
    connection,
    startSettler,
    names: () => [...running.keys()],
    restarts: () => restarts,
    /** @param {string} name @param {NodeJS.Signals} [signal] */
    kill: (name, signal = 'SIGKILL') => running.get(name)?.process.kill(signal) ?? false,
    status,
    /** Waits until so many events are settled, and nothing waits. @param {number} events */
    async settled(events) {
      const deadline = Date.now() + SETTLED_MS;
      for (;;) {
        const { unsettled, settled } = await status();
        if (unsettled === 0 && settled === events) return;
        if (Date.now() > deadline) {
          throw new Error(
            `${settled} of ${events} settled, ${unsettled} wait\n${logs().join('\n\n')}`,
          );
        }
        await sleep(100);
      }
    },
    async stop() {
      isStopping = true;
      await connection.close();
      await database.close();
      for (const { process } of running.values()) process.kill('SIGKILL');
      await Promise.all([...running.values()].map(({ ended }) => ended));
      forget();
      await postgres.remove();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param {string[]} urls */
async function areListening(urls) {
  const answers = await Promise.allSettled(urls.map((url) => fetch(new URL('/', url))));
  return answers.every(({ status }) => status === 'fulfilled');
}
