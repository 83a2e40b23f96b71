import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { safeParseNotification } from 'payment-notifications';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { fixture } from '../../fixtures/index.js';
import { openFolder } from './merchant.js';
import { writeServers } from './pages.js';
import { bin, whyNot } from './programs.js';
import { begin, head, SECRET, startServer, statusOf, until } from './server.js';

/** @import { Socket } from 'node:net' */
/** @import { Server } from './server.js' */

const FOLDER = openFolder();

before(() => {
  writeServers(FOLDER);
  // A receiver that prints what it gets.
  const watched = new URL('watched-receiver.ts', import.meta.url);
  fs.copyFileSync(watched, new URL('receiver.ts', FOLDER));
});

// The build and the server of Next.js inherit it.
process.env.NEXT_TELEMETRY_DISABLED = '1';

/**
 * @typedef {object} Way How a framework is built and started, and what it does on its own.
 * @property {string[]} command
 * @property {URL} [cwd]
 * @property {string[]} [build]
 * @property {string | false} [skip]
 * @property {Record<string, string>[]} [headers] All that it lets through to the receiver.
 * @property {boolean} [stops] Whether it uses stop.mjs.
 */

/** @param {string} name @returns {Way} */
const byNode = (name) => ({ command: ['node', '--import', 'tsx', name], stops: true });

/** @type {Record<string, Way>} */
const SERVERS = {
  // Its build takes most of the time.
  'Next.js': {
    cwd: new URL('next/', FOLDER),
    build: [bin('next'), 'build'],
    command: [bin('next'), 'start', '--hostname', '127.0.0.1', '--port', '0'],
  },
  'node:http': byNode('http-server.ts'),
  'node:http, CommonJS': byNode('http-server.cjs'),
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
  'Cloudflare Worker': {
    skip: whyNot(bin('workerd')),
    build: [
      ...[bin('esbuild'), 'worker.ts', '--bundle', '--format=esm', '--external:node:*'],
      ...['--outfile=worker.bundle.js', '--log-level=warning'],
    ],
    command: [bin('workerd'), 'serve', 'workerd.capnp', '--socket-addr=http=127.0.0.1:0'],
  },
  Bun: {
    skip: whyNot(bin('bun')),
    // By itself, it listens on every address.
    command: [
      ...[bin('bun'), '--eval'],
      "import own from './worker.ts'; Bun.serve({ ...own, hostname: '127.0.0.1', port: 0 })",
    ],
  },
  Deno: {
    skip: whyNot(bin('deno')),
    command: [bin('deno'), 'serve', '--check', '--host=127.0.0.1', '--port=0', 'worker.ts'],
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

// What a framework could spoil: characters, the mark in front of them, and what is no text.
const BODIES = [
  fixture('deposit-received/byte-order-mark').body,
  fixture('invalid/many-faults').body,
  fixture('invalid/not-utf-8').body,
  gzipSync(depositReceivedBody()), // bodies are not decompressed
];
const TEXT = fixture('deposit-received/unicode-text').body;
/** The longest body that a receiver reads, in bytes. */
const LIMIT = 65_536;
/** The watched receiver prints it. */
const STARTED = /^the receiver starts$/m;
/** The watched receiver fails on it. */
const FAILING = depositReceivedBody({ clientPaymentId: 'fail' });
/** A valid body of this length. @param {number} length */
const bodyOfLength = (length) =>
  depositReceivedBody({ clientPaymentId: 'long' }, { seed: 64 }).padEnd(length);

/** A whole request. @param {Record<string, unknown>} fields */
function requestOf(fields) {
  const body = depositReceivedBody(fields, { seed: 5 });
  return head(body.length) + body;
}

/** An answer as text, unless the connection closes first. @param {Socket} socket */
const answerOn = async (socket) =>
  `${await Promise.race(['data', 'close'].map((event) => once(socket, event)))}`;

describe('frameworks', { concurrency: 2 }, () => {
  for (const [name, way] of Object.entries(SERVERS))
    describe(name, { skip: way.skip ?? false, concurrency: 1 }, () => {
      const { command, cwd = FOLDER, build, stops = false } = way;
      /** @type {Server} */
      let server;
      before(async () => {
        const [program, ...args] = build ?? [];
        if (program) {
          const { stdout } = await promisify(execFile)(program, args, { cwd });
          assert.doesNotMatch(stdout, STARTED); // a build settles nothing
        }
        server = await startServer(command, { cwd });
        // Before the first request, because it tries what waits.
        await until(() => server.printed.some((line) => STARTED.test(line)));
      });
      after(() => server?.kill());

      /** The only thing that the server has seen since the last time. */
      async function takeOne() {
        const [seen, ...more] = await server.take();
        assert.deepEqual(more, []);
        return seen;
      }

      test('hands on or refuses a body to the byte, whatever its headers say', async () => {
        const requests = [
          ...BODIES.map((body) => ({ body, headers: {} })),
          ...(way.headers ?? ODD_HEADERS).map((headers) => ({ body: TEXT, headers })),
        ];
        for (const { body, headers } of requests) {
          const { error } = safeParseNotification(body);
          const codes = [...new Set(error?.issues.map(({ code }) => code))].join(', ');
          const answer = error ? { status: 400, body: codes } : { status: 200, body: 'ok' };
          const { attempts } = await deliver(body, { url: server.url, headers });
          assert.deepEqual(attempts[0]?.answer, answer, JSON.stringify(headers));
          const outcome = error ? 'review' : 'settled';
          assert.deepEqual(await takeOne(), { [outcome]: body.toString('base64') });
        }
      });

      test('answers a body beyond 64 KiB with 413', async () => {
        assert.equal(await statusOf(server.url, bodyOfLength(LIMIT)), 200);
        await takeOne();
        for (const length of [LIMIT + 1, 2 ** 21])
          assert.equal(await statusOf(server.url, bodyOfLength(length)), 413);
        assert.deepEqual(server.journal, []);
      });

      test('takes any method, with or without a body', async () => {
        const body = depositReceivedBody({}, { seed: 4 });
        for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
          assert.equal((await fetch(server.url, { method, body })).status, 200, method);
          await takeOne();
        }
        assert.equal((await fetch(server.url, { method: 'PUT' })).status, 400);
        const visit = await fetch(server.url);
        assert.equal(visit.status, 200);
        assert.match(await visit.text(), /webhook/);
        assert.deepEqual(server.journal, []);
      });

      test('answers 500 if the merchant fails, at the secret with a slash or a query too, and 404 elsewhere', async () => {
        const right = [SECRET, `${SECRET}/`, `${SECRET}?a=/b`, `${SECRET}/?a=/b`];
        const wrong = ['', `?${SECRET}`, `?/${SECRET}`, `${SECRET}x?/${SECRET}`, `${SECRET}/other`];
        const request = /** @type {const} */ ({
          method: 'POST',
          body: FAILING,
          redirect: 'manual',
        });
        for (const end of [...right, ...wrong]) {
          const answer = await fetch(server.url.replace(SECRET, end), request);
          if (right.includes(end))
            assert.deepEqual([answer.status, await answer.text()], [500, 'failed'], end);
          else assert.equal(answer.status, 404, end);
        }
        assert.deepEqual(server.journal, []);
      });

      test('survives callers that hang up in the middle of a body', async () => {
        for (let count = 0; count < 20; count += 1)
          (await begin(server, `${head(1000)}{"status":`)).destroy();
        assert.equal(await statusOf(server.url, depositReceivedBody({}, { seed: 3 })), 200);
        assert((await takeOne()).settled, 'a body that was cut off was refused');
        assert(server.isRunning());
      });

      const skip = !stops && 'it ends by itself';
      test('stops without losing a webhook, though nobody reads its output', { skip }, async () => {
        const idle = await begin(server, head(0, 'GET'));
        // Longer than a load balancer keeps it.
        assert.match(`${await once(idle, 'data')}`, /^keep-alive: timeout=75/im);
        const request = requestOf({});
        const half = await begin(server, request.slice(0, 20));
        const inProgress = await begin(server, requestOf({ clientPaymentId: 'wait' }));
        assert((await takeOne()).waits);
        const [first, last] = [answerOn(half), answerOn(inProgress)];

        server.signal('SIGHUP');
        await once(idle, 'close');
        server.closeOutput();
        half.write(request.slice(20));
        assert.match(await first, /^HTTP\/1\.1 200 .*^connection: close/ims);
        server.signal('SIGHUP');
        server.signal('SIGUSR2'); // the receiver's function goes on
        assert.match(await last, /^HTTP\/1\.1 200 /);
        inProgress.end();
        assert.equal(await server.stop(), 0);
      });
    });
});
