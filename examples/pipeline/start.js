// All of the pipeline on this machine, for a look and for the tests: three NATS servers, a PostgreSQL
// server, receivers and settlers.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { openServer } from '../merchant/database.js';
import { createTables } from '../merchant/ledger.js';
import { findPostgres, startPostgres } from '../test/postgres.js';
import { atExit, freePort } from '../test/server.js';
import { CONSUMER, connectTo, openConsumer, STREAM } from './stream.js';
import { createSupervisor } from './supervisor.js';

/** @typedef {Awaited<ReturnType<typeof startPipeline>>} Pipeline */

/** Where Debian has it, which is not on everybody's PATH. */
const NATS_SERVER = '/usr/sbin/nats-server';
/** Of Debian. */
const PACKAGES = ['nats-server', 'postgresql-15'];
/** Many times what anything here takes on a slow machine: it has failed then. */
const PATIENCE_MS = 600_000;

/** @param {{ receivers: number, settlers: number }} counts */
export async function startPipeline({ receivers, settlers }) {
  installServers();
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  const supervisor = createSupervisor(folder);
  const forget = atExit(() => {
    supervisor.killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  const NATS_SERVERS = await startCluster(supervisor, folder);
  const postgres = await startPostgres(findPostgres() ?? { bin: '' });
  const DATABASE_URL = postgres.url('postgres');
  const startSettler = (/** @type {number} */ number) =>
    supervisor.start(`settler-${number}`, ['node', 'settler.js'], { NATS_SERVERS, DATABASE_URL });
  for (let number = 1; number <= settlers; number += 1) startSettler(number);
  /** @type {string[]} */
  const urls = [];
  for (let number = 1; number <= receivers; number += 1) {
    const env = { PORT: `${await freePort()}`, DATA_FOLDER: join(folder, `receiver-${number}`) };
    supervisor.start(`receiver-${number}`, ['node', 'receiver.js'], { NATS_SERVERS, ...env });
    urls.push(`http://127.0.0.1:${env.PORT}/callbacks`);
  }

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
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await hasHappened())) {
      if (Date.now() > deadline) {
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
    /** Waits until so many events are settled, and nothing waits. @param {number} events */
    settled: (events) =>
      until(`${events} settled`, async () => {
        const { unsettled, settled } = await status();
        return unsettled === 0 && settled === events;
      }),
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

/** @param {ReturnType<typeof createSupervisor>} supervisor @param {string} folder */
async function startCluster(supervisor, folder) {
  const servers = await Promise.all(
    ['nats-1', 'nats-2', 'nats-3'].map(async (name) => ({
      name,
      listen: `127.0.0.1:${await freePort()}`,
      cluster: `127.0.0.1:${await freePort()}`,
    })),
  );
  const routes = servers.map(({ cluster }) => `nats-route://${cluster}`);
  for (const { name, listen, cluster } of servers) {
    const path = join(folder, `${name}.json`);
    const config = {
      server_name: name,
      listen,
      jetstream: { store_dir: join(folder, name) },
      cluster: { name: 'pipeline', listen: cluster, routes },
    };
    writeFileSync(path, JSON.stringify(config));
    supervisor.start(name, [NATS_SERVER, '--config', path]);
  }
  return servers.map(({ listen }) => listen).join();
}

/** Installs what is missing, where this may: as root on Debian. */
function installServers() {
  const areThere = () => existsSync(NATS_SERVER) && findPostgres() !== null;
  if (!areThere() && process.getuid?.() === 0) {
    console.log(`Installing ${PACKAGES.join(' and ')}.`);
    spawnSync('sh', ['-c', `apt-get update -qq && apt-get install -qq -y ${PACKAGES.join(' ')}`], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  if (!areThere()) throw new Error(`Two servers are needed: apt-get install ${PACKAGES.join(' ')}`);
}
