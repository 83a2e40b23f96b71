import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { safeParseNotification } from 'payment-notifications';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { fixture } from '../../fixtures/index.js';
import { writeHandlers } from './handlers.js';
import { bin, whyNot } from './programs.js';
import {
  hangUp,
  LIMIT,
  OLD_SECRET,
  SECRET,
  sendEndlessly,
  startServer,
  statusOf,
  until,
} from './server.js';

/** @import { NotificationIssue } from 'payment-notifications' */
/** @import { TestContext } from 'node:test' */
/** @import { Server } from './server.js' */

const FRAMEWORKS = new URL('../frameworks-under-test/', import.meta.url);

before(() => {
  writeHandlers(FRAMEWORKS);
  // One that prints what it gets.
  fs.renameSync(new URL('receiver.ts', FRAMEWORKS), new URL('own-receiver.ts', FRAMEWORKS));
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

/** Bodies are not decompressed. */
const GZIPPED = gzipSync(depositReceivedBody());
// What a handler could spoil: digits, characters, and the mark in front of them.
const VALID = [
  'deposit-received/byte-order-mark',
  'deposit-received/eighteen-decimals',
  'deposit-received/unicode-text',
  'deposit-received/unlisted-rate-type',
  'withdrawal-broadcast/sample',
].map(fixture);
const INVALID = [
  ...['log-injection', 'many-faults', 'nested-deeply', 'not-utf-8'].map(
    (name) => fixture(`invalid/${name}`).body,
  ),
  GZIPPED,
];
/** The watched receiver fails on it. */
const FAILING = depositReceivedBody({ clientPaymentId: 'fail' });
/** It never ends with it. */
const HANGING = depositReceivedBody({ clientPaymentId: 'hang' });
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

      test('hands on a body to the digit, whatever its headers say', async () => {
        for (const [index, headers] of ODD_HEADERS.entries()) {
          const valid = VALID[index % VALID.length];
          assert(valid);
          const sent = `${valid.id} with ${JSON.stringify(headers)}`;
          const { attempts } = await deliver(valid.body, { url: server.url, headers });
          assert.deepEqual(attempts[0]?.answer, { status: 200, body: 'ok' }, sent);
          const { key, notification } = await takeOne(server);
          const warnings = notification.warnings.map(
            (/** @type {NotificationIssue} */ { code, path, message }) => ({ code, path, message }),
          );
          assert.deepEqual({ ...notification, warnings }, valid.expected.notification, sent);
          assert.equal(key, valid.expected.idempotencyKey, sent);
        }
      });

      test('refuses a body with the codes, and saves its bytes', async () => {
        for (const body of INVALID) {
          const headers = { 'content-encoding': 'gzip' };
          const { attempts } = await deliver(body, { url: server.url, headers });
          const { error } = safeParseNotification(body);
          const codes = [...new Set(error?.issues.map(({ code }) => code))].join(', ');
          assert.deepEqual(attempts[0]?.answer, { status: 400, body: codes });
          const { reason, saved } = await takeOne(server);
          assert.equal(reason, error?.message);
          assert.deepEqual(Buffer.from(saved, 'base64'), body);
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
        const sent = [SECRET, `${SECRET}x`].map((secret) => sendEndlessly(server.port, secret));
        const [ours, other] = await Promise.all(sent);
        assert.match(`${ours?.answer}`, /^HTTP\/1\.1 413 /);
        assert.match(`${other?.answer}`, /^HTTP\/1\.1 404 /);
        assert(way.readsOn || !(ours?.isReadOn || other?.isReadOn));
      });

      test('survives callers that hang up in the middle of a body', async () => {
        for (let count = 0; count < 20; count += 1) await hangUp(server.port);
        assert.equal(await statusOf(server.url, depositReceivedBody({}, { seed: 3 })), 200);
        assert((await takeOne(server)).notification, 'a body that was cut off was refused');
        assert(server.isRunning());
      });

      test('answers 500 at the deadline of a function that never ends', {
        skip: !way.hasOwnTimers && 'the timers are those of Node.js',
      }, async () => {
        assert.equal(await late, 500);
        await until(() => server.printed.some((line) => /: no result within 5 s$/.test(line)));
      });
    });
  }
});

/** @param {TestContext} t @param {string} name @param {string} [code] */
async function start(t, name, code) {
  if (code) fs.writeFileSync(new URL(name, FRAMEWORKS), code);
  const server = await startServer(byNode(name).command, { cwd: FRAMEWORKS });
  t.after(server.kill);
  return server;
}

test('below express.json, the receiver of the page says why it fails, and saves what it gets', async (t) => {
  const code = fs
    .readFileSync(new URL('express.ts', FRAMEWORKS), 'utf8')
    .replace('receiver.ts', 'own-receiver.ts')
    .replace('express();', 'express().use(express.json());');
  const server = await start(t, 'express-parsed.ts', code);
  const json = { 'content-type': 'application/json' };
  assert.equal(await statusOf(server.url, depositReceivedBody(), json), 500);
  // As it stands on the page, it settles nothing.
  for (const { body } of VALID) assert.equal(await statusOf(server.url, body), 500);
  assert.equal(await statusOf(server.url, GZIPPED), 400);
  const saved = (/** @type {string} */ folder) => {
    const url = new URL(`webhooks/${folder}/`, FRAMEWORKS);
    const names = fs.readdirSync(url).filter((name) => name.endsWith('.json'));
    return names.map((name) => fs.readFileSync(new URL(name, url))).sort(Buffer.compare);
  };
  assert.deepEqual(saved('retry'), VALID.map(({ body }) => body).sort(Buffer.compare));
  assert.deepEqual(saved('review'), [GZIPPED]);
  await server.stop(); // its output may come later than its answers
  assert.match(server.printed.join('\n'), /Mount the receiver above body parsers/);
});

test('an existing app with a global express.json hands on the bytes that it parses', async (t) => {
  const json = { 'content-type': 'application/json' };
  const server = await start(t, 'existing-app.ts');
  const body = fixture('deposit-received/eighteen-decimals').body;
  for (const headers of [json, {}]) {
    assert.equal(await statusOf(server.url, body, headers), 200);
    const { notification } = await takeOne(server);
    assert.equal(notification.actualDepositAmount, '0.123456789012345678');
  }
  for (const faulty of ['{"status":', '"text"', '{}']) {
    assert.equal(await statusOf(server.url, faulty, json), 400);
    assert.equal(Buffer.from((await takeOne(server)).saved, 'base64').toString(), faulty);
  }
  assert.equal(await statusOf(server.url, bodyOfLength(LIMIT + 1), json), 413);
  assert.equal(await statusOf(server.url, FAILING, json), 500);
  // What Express decodes by its label is no JSON, so its error handler calls the receiver.
  const mislabeled = { 'content-type': 'application/json; charset=utf-16' };
  assert.equal(await statusOf(server.url, body, mislabeled), 200);
  await takeOne(server);
  for (const forged of [body, depositReceivedBody({}, { seed: 7 }), '{'])
    for (const headers of [json, mislabeled, {}])
      for (const other of [`${SECRET}x`, 'a-secret-of-someone-else', '', `?${SECRET}`]) {
        const url = server.url.replace(SECRET, other);
        assert.equal(await statusOf(url, forged, headers), 404, url);
      }
  assert.deepEqual(server.journal, []);
});

/** @param {Server} server @param {string} path In front of the secret, which alone lets through. */
async function assertChecks(server, path) {
  const url = server.url.replace('/callbacks/', path);
  for (const ending of ['', '/', '?a=/b', `/?${SECRET}x`]) {
    assert.equal(await statusOf(url + ending, depositReceivedBody()), 200, url + ending);
    await takeOne(server);
  }
  for (const other of [`${SECRET}x`, 'callbacks', '', `?${SECRET}`, `x?/${SECRET}`]) {
    const wrong = url.replace(SECRET, other);
    assert.equal(await statusOf(wrong, depositReceivedBody()), 404, wrong);
  }
  assert.deepEqual(server.journal, []);
}

test('in Fastify, the URL may be rewritten, and have a prefix', async (t) => {
  const code = `import fastify from 'fastify';
    import { receiver } from './receiver.ts';
    const app = fastify({
      routerOptions: { ignoreTrailingSlash: true },
      rewriteUrl: ({ url }) => url.replace('/old/', '/payments/callbacks/'),
    });
    app.register(async (plugin) => {
      plugin.addHook('onRequest', async (request, reply) => {
        reply.hijack();
        await receiver.node(request.raw, reply.raw);
      });
      plugin.all('/callbacks/:secret', async () => {});
    }, { prefix: '/payments' });
    await app.listen({ port: 0, host: '127.0.0.1' });`;
  await assertChecks(await start(t, 'fastify-prefix.ts', code), '/old/');
});

test('in Express, routers and middleware may change the URL, and read the body', async (t) => {
  const code = `import express, { json, raw, Router, text, urlencoded } from 'express';
    import { receiver } from './receiver.ts';
    const asText = (request, _, buffer) => { request.rawBody = buffer.toString(); };
    const verify = (request, _, buffer) => { request.rawBody = buffer; };
    const all = (parse, verify) => parse({ type: () => true, verify });
    const app = express();
    // The inner router cuts off the secret as well.
    app.use('/payments', Router().use('/v1', Router().use('/callbacks/:secret', receiver.node)));
    app.use((request, _, next) => {
      request.url = request.url.replace(/^[/]old[/].*/, '/callbacks/any');
      next();
    });
    app.use('/text', all(text));
    app.use('/verify-text', json({ verify: asText }));
    app.use('/verify-bytes', json({ verify }));
    // As the Functions Framework of Firebase does.
    app.use('/firebase', json({ verify }), text({ verify }), urlencoded({ verify }), all(raw, verify));
    app.all('/:way/:secret', receiver.node).listen(0, '127.0.0.1');`;
  const server = await start(t, 'express-ways.ts', code);
  for (const path of ['/payments/v1/callbacks/', '/old/']) await assertChecks(server, path);
  const send = (/** @type {string} */ way, /** @type {Uint8Array} */ body, type = 'text/plain') =>
    statusOf(server.url.replace('callbacks', way), body, { 'content-type': type });
  const { body, expected } = fixture('deposit-received/unicode-text');
  for (const way of ['text', 'verify-text', 'verify-bytes', 'firebase'])
    for (const type of ['application/json', 'text/plain', 'application/json; charset="UTF-8"']) {
      assert.equal(await send(way, body, type), 200, `${way} ${type}`);
      const { notification } = await takeOne(server);
      assert.deepEqual(notification, expected.notification, `${way} ${type}`);
    }
  // Decoded by a wrong label, it would be another account.
  assert.equal(await send('text', body, 'text/plain; charset=latin1'), 500);
  assert.deepEqual(server.journal, []);
  // Some of its bytes are lost.
  const ways = { text: 'text/plain', 'verify-text': 'application/json' };
  for (const [way, type] of Object.entries(ways)) {
    assert.equal(await send(way, fixture('invalid/not-utf-8').body, type), 400);
    assert.match((await takeOne(server)).reason, /: body: expected /);
  }
  await server.stop(); // its output may come later than its answers
  assert.match(server.printed.join('\n'), /decoded from "latin1"/);
});
