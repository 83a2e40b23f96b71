import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import getRawBody from 'raw-body';
import { createTables, settle } from './ledger.js';
import { renderJson, renderPage } from './page/page.js';
import { report } from './page/report.js';

/** @typedef {{ status: number, answer: string, headers?: Record<string, string> }} Answer */

const DRAIN_EVERY_MS = 1_000;
/** Longer than any statement may take (see database.js), so that its body still reaches the spool. */
const SHUTDOWN_MS = 9_000;

/** @param {{ database: import('./database.js').Database, spool: import('./spool.js').Spool, port: number }} merchant */
export async function serve({ database, spool, port }) {
  const stopping = new AbortController();
  /** @type {Promise<void> | null} */
  let tables = null;
  function prepare() {
    tables ??= createTables(database).catch((error) => {
      tables = null;
      throw error;
    });
    return tables;
  }

  /** @param {Buffer} body */
  async function settleNow(body) {
    await prepare();
    return settle(database.query, body);
  }

  /** @param {Buffer} body @returns {Promise<Answer>} */
  async function receive(body) {
    try {
      const { outcome, key, faults } = await settleNow(body);
      if (outcome === 'conflict')
        console.error(`CONFLICT: another body of ${key} moves something else`);
      if (outcome !== 'refused') return { status: 200, answer: outcome };
      // A deposit is delivered again for 24 hours: time for a fix.
      return { status: 400, answer: JSON.stringify(faults.map(({ code }) => code)) };
    } catch (error) {
      console.error(`Not settled: ${error}`);
    }
    // 500 all the same: if the service delivers again, it needn't depend on this disk.
    try {
      await spool.append(body);
      return { status: 500, answer: 'spooled' };
    } catch (error) {
      console.error(`LOST, a body of ${body.length} bytes: ${error}`);
      return { status: 500, answer: 'lost' };
    }
  }

  async function drainForever() {
    while (!stopping.signal.aborted) {
      try {
        await prepare();
        await spool.drain(async (body) => {
          stopping.signal.throwIfAborted();
          await settleNow(body);
        });
      } catch (error) {
        console.error(`The spool waits: ${error}`);
      }
      await sleep(DRAIN_EVERY_MS, null, stopping).catch(() => {});
    }
  }

  /** @param {import('node:http').IncomingMessage} request @returns {Promise<Answer>} */
  async function answerTo(request) {
    const [path = ''] = (request.url ?? '').split('?');
    switch (path.split('/').filter(Boolean).join('/')) {
      // Your check of where a callback comes from goes here, in front of the parser. Neither method nor
      // headers are documented, so neither matters: these are the bytes as they came.
      case 'callbacks':
        return receive(await getRawBody(request, { limit: '64kb' }));
      // For you alone: put your login in front of these.
      case '':
        return renderPage(await report(database, spool));
      case 'report.json':
        return renderJson(await report(database, spool));
      default:
        return { status: 404, answer: 'not found' };
    }
  }

  const server = createServer(async (request, response) => {
    try {
      const { status, answer, headers } = await answerTo(request);
      if (stopping.signal.aborted) response.setHeader('connection', 'close');
      response.writeHead(status, headers).end(answer);
    } catch (error) {
      console.error(`Not received: ${error}`);
      request.resume(); // or the rest of a body that is too large blocks the connection
      const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
      response.writeHead(isTooLarge ? 413 : 500).end('not received');
    }
  });
  // Bodies are received all the same: they go to the spool.
  await prepare().catch((error) => console.error(`The database is down: ${error}`));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`What there is to settle, and the balances: http://127.0.0.1:${address.port}/`);
  const draining = drainForever();

  const stop = async () => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    stopping.abort();
    server.close();
    await Promise.all([once(server, 'close'), draining]);
    await database.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
}
