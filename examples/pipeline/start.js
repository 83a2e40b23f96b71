// All of the pipeline on this machine, for a look and for the tests: three NATS servers, a PostgreSQL
// server, receivers and settlers.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { openServer } from '../merchant/database.js';
import { createTables } from '../merchant/ledger.js';
import { installFromDebian } from '../test/debian.js';
import { findPostgres, startPostgres } from '../test/postgres.js';
import { missingPackages, NATS_SERVER, whyMissing } from '../test/programs.js';
import { atExit, claimNetwork } from '../test/server.js';
import { CONSUMER, connectTo, openConsumer, STREAM } from './stream.js';
import { createSupervisor } from './supervisor.js';

/** @typedef {Awaited<ReturnType<typeof startPipeline>>} Pipeline */

const SERVERS = /** @type {const} */ (['nats-server', 'postgresql-15']);
/** Below those that a system gives to outgoing connections. */
const [NATS_PORT, CLUSTER_PORT, RECEIVER_PORT] = ['19222', '19622', '19000'];
/** Many times what anything here takes on a slow machine: it has failed then. */
const PATIENCE_MS = 600_000;

/** @param {{ receivers: number, settlers: number }} counts */
export async function startPipeline({ receivers, settlers }) {
  installFromDebian(missingPackages(...SERVERS));
  if (whyMissing(...SERVERS)) throw new Error(`${whyMissing(...SERVERS)}`);
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  const supervisor = createSupervisor(folder);
  const forget = atExit(() => {
    supervisor.killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  // Started again, a server must have its address again: so each has one of its own, with fixed ports.
  const network = await claimNetwork();
  const NATS_SERVERS = startCluster(supervisor, folder, network);
  const postgres = await startPostgres(findPostgres() ?? { bin: '' });
  const DATABASE_URL = postgres.url('postgres');
  const startSettler = (/** @type {number} */ number) =>
    supervisor.start(`settler-${number}`, ['node', 'settler.js'], { NATS_SERVERS, DATABASE_URL });
  for (let number = 1; number <= settlers; number += 1) startSettler(number);
  /** @type {string[]} */
  const urls = [];
  /** @type {string[]} */
  const journals = [];
  for (let number = 1; number <= receivers; number += 1) {
    const HOST = `${network}.${10 + number}`;
    const DATA_FOLDER = join(folder, `receiver-${number}`);
    const env = { NATS_SERVERS, DATABASE_URL, HOST, PORT: RECEIVER_PORT, DATA_FOLDER };
    supervisor.start(`receiver-${number}`, ['node', 'receiver.js'], env);
    urls.push(`http://${HOST}:${RECEIVER_PORT}/callbacks`);
    journals.push(DATA_FOLDER);
  }
  /** How many files of bodies the receivers keep until the ledger has them. */
  const kept = () =>
    journals.flatMap((name) => readdirSync(name)).filter((name) => name.endsWith('.journal'))
      .length;

  const database = openServer(DATABASE_URL);
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
        const logs = supervisor.logs().join('\n\n');
        throw new Error(`not ${what}: ${JSON.stringify(await status())}\n${logs}`);
      }
      await sleep(100);
    }
  }

  await createTables(database);
  let hasConsumer = false;
  openConsumer(connection).then(() => {
    hasConsumer = true;
  });
  await until('a stream on three servers', async () => hasConsumer);
  for (const url of urls)
    await until(`listening: ${url}`, () => fetch(new URL('/', url)).then(Boolean, () => false));

  return {
    ...supervisor,
    startSettler,
    urls,
    postgres,
    database,
    connection,
    status,
    until,
    kept,
    /** Waits until so many events are settled, and nothing waits. @param {number} events */
    settled: (events) =>
      until(`${events} settled`, async () => {
        const { unsettled, settled } = await status();
        return unsettled === 0 && settled === events;
      }),
    /** Waits until the receivers know that all is settled. */
    confirmed: () => until('confirmed', async () => kept() === 0),
    async stop() {
      await connection.close();
      await database.close();
      await supervisor.stop();
      await postgres.remove();
      forget();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @type {(supervisor: ReturnType<typeof createSupervisor>, folder: string, network: string) => string} */
function startCluster(supervisor, folder, network) {
  const names = ['nats-1', 'nats-2', 'nats-3'];
  const servers = names.map((name, index) => ({ name, host: `${network}.${1 + index}` }));
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
