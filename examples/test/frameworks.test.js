import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { fixture } from '../../fixtures/index.js';
import { writeHandlers } from './handlers.js';
import { replaced } from './merchant.js';
import { bin, whyNot } from './programs.js';
import {
  begin,
  head,
  LIMIT,
  OLD_SECRET,
  SECRET,
  sendEndlessly,
  startServer,
  statusOf,
  until,
} from './server.js';

/** @import { Server } from './server.js' */

const FRAMEWORKS = new URL('../frameworks-under-test/', import.meta.url);

before(() => {
  writeHandlers(FRAMEWORKS);
  // A receiver that prints what it gets.
  const watched = new URL('watched-receiver.ts', import.meta.url);
  fs.copyFileSync(watched, new URL('receiver.ts', FRAMEWORKS));
});
after(() => fs.rmSync(FRAMEWORKS, { recursive: true }));

// The build and the server of Next.js inherit it.
process.env.NEXT_TELEMETRY_DISABLED = '1';

/**
 * @typedef {object} Way How a framework is built and started, and what it does on its own.
 * @property {string[]} command
 * @property {URL} [cwd]
 * @property {string[]} [build]
 * @property {string | false} [skip]
 * @property {boolean} [hasOwnTimers] A runtime other than Node.js has.
 * @property {boolean} [isBehindGateway] Then it gets only what the gateway has read to the end.
 * @property {boolean} [readsOn] After an answer, and drops what it gets.
 * @property {Record<string, string>[]} [headers] All that it lets through to the receiver.
 */

/** @param {string} name @returns {Way} */
const byNode = (name) => ({ command: ['node', '--import', 'tsx', name] });

/** @type {Record<string, Way>} */
const SERVERS = {
  // Its build takes most of the time.
  'Next.js': {
    cwd: new URL('next/', FRAMEWORKS),
    build: [bin('next'), 'build'],
    command: [bin('next'), 'start', '--hostname', '127.0.0.1', '--port', '0'],
  },
  'node:http': byNode('http-server.ts'),
  'node:http, CommonJS': byNode('node-http.cjs'),
  Express: byNode('express.ts'),
  'Express, below express.json': {
    ...byNode('existing-app.ts'),
    // What Express decodes by its label is no JSON, so its error handler calls the receiver.
    headers: ['application/json', 'application/json; charset=utf-16', 'text/plain'].map((type) => ({
      'content-type': type,
    })),
  },
  Fastify: byNode('fastify.ts'),
  Hono: byNode('hono.ts'),
  Koa: byNode('koa.ts'),
  NestJS: byNode('main.ts'),
  h3: byNode('h3.ts'),
  'AWS Lambda': { ...byNode('../test/lambda-gateway.js'), isBehindGateway: true },
  'Cloudflare Worker': {
    skip: whyNot('workerd'),
    build: [
      ...[bin('esbuild'), 'worker.ts', '--bundle', '--format=esm', '--external:node:*'],
      ...['--outfile=worker.bundle.js', '--log-level=warning'],
    ],
    command: [bin('workerd'), 'serve', 'workerd.capnp', '--socket-addr=http=127.0.0.1:0'],
    hasOwnTimers: true,
  },
  Bun: {
    skip: whyNot('bun'),
    // By itself, it listens on every address.
    command: [
      ...[bin('bun'), '--eval'],
      "import own from './worker.ts'; Bun.serve({ ...own, hostname: '127.0.0.1', port: 0 })",
    ],
    hasOwnTimers: true,
    readsOn: true,
  },
  Deno: {
    skip: whyNot('deno'),
    command: [bin('deno'), 'serve', '--check', '--host=127.0.0.1', '--port=0', 'worker.ts'],
    hasOwnTimers: true,
  },
};

/**
 * The service documents none, so what they say must change nothing.
 *
 * @type {Record<string, string>[]}
 */
const ODD_HEADERS = [
  ...['utf-8', 'zstd', 'gzip', 'deflate', 'br', 'compress', 'identity', 'GZIP, aws-chunked'].map(
    (encoding) => ({ 'content-encoding': encoding }),
  ),
  ...['latin1', 'utf-16', 'nonsense', ''].map((charset) => ({
    'content-type': `application/json; charset=${charset}`,
  })),
  ...['', ' ', '/', 'text/plain', 'application/x-www-form-urlencoded'].map((type) => ({
    'content-type': type,
  })),
  { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' },
  { accept: 'image/png', 'accept-charset': 'latin1', 'content-language': '%' },
];

// What a handler could spoil: digits, characters, and the mark in front of them.
const BODIES = [
  ...[
    'deposit-received/byte-order-mark',
    'deposit-received/eighteen-decimals',
    'deposit-received/unicode-text',
    'deposit-received/unlisted-rate-type',
    'withdrawal-broadcast/sample',
    'invalid/log-injection',
    'invalid/many-faults',
    'invalid/nested-deeply',
    'invalid/not-utf-8',
  ].map((name) => fixture(name).body),
  gzipSync(depositReceivedBody()), // bodies are not decompressed
];
/** The watched receiver fails on it. */
const FAILING = depositReceivedBody({ clientPaymentId: 'fail' });
/** Its function never ends for this event, so repeats of the event are turned away. */
const HANGING = depositReceivedBody({ clientPaymentId: 'hang' }, { seed: 65 });
/** A valid body of this length. @param {number} length */
const bodyOfLength = (length) =>
  depositReceivedBody({ clientPaymentId: 'long' }, { seed: 64 }).padEnd(length);

/** The only thing that the server has seen since the last time. @param {Server} server */
async function takeOne(server) {
  const [seen, ...more] = await server.take();
  assert.deepEqual(more, []);
  return seen;
}

describe('frameworks', { concurrency: 2 }, () => {
  for (const [name, way] of Object.entries(SERVERS)) {
    const { command, cwd = FRAMEWORKS, build, skip = false } = way;
    describe(name, { skip, concurrency: 1 }, () => {
      /** @type {Server} */
      let server;
      /** @type {Promise<number>} For this answer, which takes seconds, no other test waits. */
      let late;
      before(async () => {
        const [program, ...args] = build ?? [];
        if (program) await promisify(execFile)(program, args, { cwd });
        server = await startServer(command, { cwd });
        if (way.hasOwnTimers) late = statusOf(server.url, HANGING);
      });
      after(() => server?.stop());

      test('hands on or refuses a body to the byte, whatever its headers say', async () => {
        for (const headers of way.headers ?? ODD_HEADERS)
          for (const body of BODIES) {
            const { error, notification } = safeParseNotification(body);
            const codes = [...new Set(error?.issues.map(({ code }) => code))].join(', ');
            const answer = error ? { status: 400, body: codes } : { status: 200, body: 'ok' };
            const { attempts } = await deliver(body, { url: server.url, headers });
            assert.deepEqual(attempts[0]?.answer, answer, JSON.stringify(headers));
            const seen = await takeOne(server);
            if (error) {
              assert.equal(seen.reason, error.message);
              assert.deepEqual(Buffer.from(seen.saved, 'base64'), body);
            } else {
              assert.equal(seen.key, idempotencyKey(notification));
              assert.deepEqual(seen.notification, JSON.parse(JSON.stringify(notification)));
            }
          }
      });

      test('answers a body beyond 64 KiB with 413', async () => {
        assert.equal(await statusOf(server.url, bodyOfLength(LIMIT)), 200);
        await takeOne(server);
        for (const length of [LIMIT + 1, 2 ** 21])
          assert.equal(await statusOf(server.url, bodyOfLength(length)), 413);
        assert.deepEqual(server.journal, []);
      });

      test('takes any method, with or without a body, or a slash at the end of the path', async () => {
        const body = depositReceivedBody({}, { seed: 4 });
        const paths = { PUT: '', PATCH: '', DELETE: '', POST: '/' };
        for (const [method, path] of Object.entries(paths)) {
          const { status } = await fetch(server.url + path, { method, body, redirect: 'manual' });
          assert.equal(status, 200, `${method} ${path}`);
          assert.equal((await takeOne(server)).isRepeated, method !== 'PUT');
        }
        assert.equal((await fetch(server.url, { method: 'PUT' })).status, 400);
        const visit = await fetch(server.url);
        assert.equal(visit.status, 200);
        assert.match(await visit.text(), /webhook/);
        assert.equal(await statusOf(`${server.url}/other`, body), 404);
        assert.deepEqual(server.journal, []);
      });

      test('answers 500 if the merchant fails, to the secrets with a slash or a query behind them', async () => {
        // Whatever status the error has.
        for (const secret of [SECRET, OLD_SECRET])
          for (const ending of ['', '/', '?a=/b', '/?a=/b'])
            for (const body of [FAILING, FAILING.replace('CONFIRMED', 'PENDING')]) {
              const url = server.url.replace(SECRET, secret) + ending;
              const sent = await fetch(url, { method: 'POST', body, redirect: 'manual' });
              assert.deepEqual([sent.status, await sent.text()], [500, 'failed'], url);
            }
        assert.deepEqual(server.journal, []);
      });

      test('answers another secret with 404, and hands nothing on', async () => {
        const others = [`x${SECRET}`, SECRET.slice(1), SECRET.toUpperCase(), '', `?${SECRET}`];
        for (const other of [...others, `?/${SECRET}`, `${SECRET}x?/${SECRET}`]) {
          const url = server.url.replace(SECRET, other);
          assert.equal(await statusOf(url, bodyOfLength(1000)), 404, url);
        }
        assert.equal(await statusOf(`${server.url}x`, ''), 404);
        assert.deepEqual(server.journal, []);
      });

      test('answers a body that never ends, and reads a few MiB', {
        skip: way.isBehindGateway ?? false,
      }, async () => {
        // At the same time, because some close such a connection after seconds only.
        const sent = [SECRET, `${SECRET}x`].map((secret) => sendEndlessly(server, secret));
        const [ours, other] = await Promise.all(sent);
        assert.match(`${ours?.answer}`, /^HTTP\/1\.1 413 /);
        assert.match(`${other?.answer}`, /^HTTP\/1\.1 404 /);
        assert(way.readsOn || !(ours?.isReadOn || other?.isReadOn));
      });

      test('survives callers that hang up in the middle of a body', async () => {
        for (let count = 0; count < 20; count += 1)
          (await begin(server, `${head(1000)}{"status":`)).destroy();
        assert.equal(await statusOf(server.url, depositReceivedBody({}, { seed: 3 })), 200);
        assert((await takeOne(server)).notification, 'a body that was cut off was refused');
        assert(server.isRunning());
      });

      test('answers 500 at the deadline of a function that never ends', {
        skip: !way.hasOwnTimers && 'the timers are those of Node.js',
      }, async () => {
        assert.equal(await late, 500);
        await until(() =>
          server.printed.some((line) => /: no result within 5 s \(ETIMEDOUT\)$/.test(line)),
        );
      });
    });
  }
});

test('below express.json, the receiver says why it fails', async (t) => {
  const code = fs.readFileSync(new URL('express.ts', FRAMEWORKS), 'utf8');
  const parsed = replaced(code, 'express();', 'express().use(express.json());');
  fs.writeFileSync(new URL('express-parsed.ts', FRAMEWORKS), parsed);
  const { command } = byNode('express-parsed.ts');
  const server = await startServer(command, { cwd: FRAMEWORKS });
  t.after(server.kill);
  assert.equal(await statusOf(server.url, depositReceivedBody()), 500);
  await server.stop(); // its output may come later than its answers
  assert.match(server.printed.join('\n'), /Mount the receiver above body parsers/);
  assert.deepEqual(server.journal, []);
});
