// All of the pipeline on this machine, for a look and for the tests: three NATS servers, a PostgreSQL
// server, two receivers and two settlers.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { openServer } from '../merchant/database.js';
import { installFromDebian } from '../test/debian.js';
import { findPostgres, startPostgres } from '../test/postgres.js';
import { missingPackages, NATS_SERVER, whyMissing } from '../test/programs.js';
import { atExit, claimNetwork } from '../test/server.js';
import { CONSUMER, connectTo, STREAM } from './stream.js';
import { createSupervisor } from './supervisor.js';

/** @typedef {Awaited<ReturnType<typeof startPipeline>>} Pipeline */

const SERVERS = /** @type {const} */ (['nats-server', 'postgresql-15']);
/** Below those that a system gives to outgoing connections. */
const [NATS_PORT, CLUSTER_PORT, RECEIVER_PORT] = ['19222', '19622', '19000'];
/** Many times what anything here takes on a slow machine: it has failed then. */
const PATIENCE_MS = 600_000;

export async function startPipeline() {
  installFromDebian(missingPackages(...SERVERS));
  if (whyMissing(...SERVERS)) throw new Error(`${whyMissing(...SERVERS)}`);
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  const supervisor = createSupervisor(folder);
  atExit(() => {
    supervisor.killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  // Started again, a server must have its address again: so each has one of its own, with fixed ports.
  const network = await claimNetwork();
  const NATS_SERVERS = startCluster(supervisor, folder, network);
  const postgres = await startPostgres(findPostgres() ?? { bin: '' });
  const env = { NATS_SERVERS, DATABASE_URL: postgres.url('postgres') };
  const receivers = [1, 2].map((number) => {
    supervisor.start(`settler-${number}`, ['node', 'settler.js'], env);
    const HOST = `${network}.${10 + number}`;
    const DATA_FOLDER = join(folder, `receiver-${number}`);
    const own = { ...env, HOST, PORT: RECEIVER_PORT, DATA_FOLDER };
    supervisor.start(`receiver-${number}`, ['node', 'receiver.js'], own);
    return { url: `http://${HOST}:${RECEIVER_PORT}/callbacks`, journal: DATA_FOLDER };
  });
  const urls = receivers.map(({ url }) => url);

  const database = openServer(env.DATABASE_URL);
  const connection = await connectTo(NATS_SERVERS);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 });

  /** How far it is; null for what does not answer. */
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

  /** Waits for something. @param {string} what @param {() => Promise<boolean>} hasHappened */
  async function until(what, hasHappened) {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await hasHappened())) {
      if (performance.now() > deadline) {
        const logs = supervisor.names().map((name) => supervisor.log(name).slice(-1_000));
        throw new Error(`not ${what}: ${[JSON.stringify(await status()), ...logs].join('\n\n')}`);
      }
      await sleep(100);
    }
  }

  await until('a stream and a ledger', async () => !Object.values(await status()).includes(null));
  for (const url of urls)
    await until(`listening: ${url}`, () => fetch(new URL('/', url)).then(Boolean, () => false));

  return {
    ...supervisor,
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
      await supervisor.stop();
      await postgres.remove();
    },
  };
}

/** @type {(supervisor: ReturnType<typeof createSupervisor>, folder: string, network: string) => string} */
function startCluster(supervisor, folder, network) {
  const servers = [1, 2, 3].map((number) => ({
    name: `nats-${number}`,
    host: `${network}.${number}`,
  }));
  const routes = servers.map(({ host }) => `nats-route://${host}:${CLUSTER_PORT}`);
  for (const { name, host } of servers) {
    const path = join(folder, `${name}.json`);
    const config = {
      server_name: name,
      listen: `${host}:${NATS_PORT}`,
      jetstream: { store_dir: join(folder, name) },
      cluster: { name: 'pipeline', listen: `${host}:${CLUSTER_PORT}`, routes },
    };
    writeFileSync(path, JSON.stringify(config));
    supervisor.start(name, [NATS_SERVER, '--config', path]);
  }
  return servers.map(({ host }) => `${host}:${NATS_PORT}`).join();
}
