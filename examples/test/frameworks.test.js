import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { safeParseNotification } from 'payment-notifications';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { fixture } from '../../fixtures/index.js';
import { FRAMEWORKS, writeHandlers } from './handlers.js';
import { until } from './merchant.js';
import { MOUNTS } from './mounts.js';
import { bin, whyNot } from './programs.js';
import { hangUp, LIMIT, SECRET, sendEndlessly, startServer, statusOf } from './server.js';

/** @import { NotificationIssue } from 'payment-notifications' */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

before(() => {
  writeHandlers();
  // One that prints what it gets.
  renameSync(new URL('receiver.ts', FRAMEWORKS), new URL('own-receiver.ts', FRAMEWORKS));
  const watched = new URL('watched-receiver.ts', import.meta.url);
  copyFileSync(watched, new URL('receiver.ts', FRAMEWORKS));
});
after(() => rmSync(FRAMEWORKS, { recursive: true }));

// The build and the server of Next.js inherit it.
process.env.NEXT_TELEMETRY_DISABLED = '1';

const TSX = ['node', '--import', 'tsx'];

/**
 * How each is built and started.
 *
 * @type {Record<string, { command: string[], cwd?: URL, build?: string[], skip?: string | false }>}
 */
const SERVERS = {
  'Next.js': {
    cwd: new URL('next/', FRAMEWORKS),
    build: [bin('next'), 'build'],
    command: [bin('next'), 'start', '--hostname', '127.0.0.1', '--port', '0'],
  },
  'node:http': { command: [...TSX, 'http-server.ts'] },
  'node:http, CommonJS': { command: [...TSX, 'node-http.cjs'] },
  Express: { command: [...TSX, 'express.ts'] },
  Fastify: { command: [...TSX, 'fastify.ts'] },
  Hono: { command: [...TSX, 'hono.ts'] },
  Koa: { command: [...TSX, 'koa.ts'] },
  NestJS: { command: [...TSX, 'main.ts'] },
  h3: { command: [...TSX, 'h3.ts'] },
  'AWS Lambda': { command: [...TSX, '../test/lambda-gateway.js'] },
  'Cloudflare Worker': {
    skip: whyNot('workerd'),
    build: [
      ...[bin('esbuild'), 'worker.ts', '--bundle', '--format=esm', '--external:node:*'],
      ...['--outfile=worker.bundle.js', '--log-level=warning'],
    ],
    command: [bin('workerd'), 'serve', 'workerd.capnp', '--socket-addr=http=127.0.0.1:0'],
  },
  Bun: {
    skip: whyNot('bun'),
    // By itself, it listens on every address.
    command: [
      ...[bin('bun'), '--eval'],
      "import own from './worker.ts'; Bun.serve({ ...own, hostname: '127.0.0.1', port: 0 })",
    ],
  },
  Deno: {
    skip: whyNot('deno'),
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
  ...['', ' ', 'none', '/', 'text/plain', 'application/x-www-form-urlencoded'].map((type) => ({
    'content-type': type,
  })),
  { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' },
  { accept: 'image/png', 'accept-charset': 'latin1', 'content-language': '%' },
];

/** Bodies are not decompressed. */
const GZIPPED = gzipSync(depositReceivedBody());

/** A valid body of this length. @param {number} length */
const bodyOfLength = (length) =>
  depositReceivedBody({ clientPaymentId: 'long' }, { seed: 64 }).padEnd(length);

/**
 * After which answers a framework reads on and drops what it gets, whatever the receiver does.
 *
 * @type {Record<string, number[]>}
 */
const READS_ON = { Bun: [413, 404] };

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
/** The other secret of the watched receiver. */
const OLD_SECRET = 'the-secret-before-that';
/** The watched receiver fails on it. */
const FAILING = depositReceivedBody({ clientPaymentId: 'fail' });
/** It never ends with it. */
const HANGING = depositReceivedBody({ clientPaymentId: 'hang' });

// The build of Next.js and idle connections take most of the time.
describe('frameworks', { concurrency: 2 }, () => {
  for (const [name, { command, cwd = FRAMEWORKS, build, skip }] of Object.entries(SERVERS)) {
    describe(name, { skip: skip ?? false, concurrency: 1 }, () => {
      /** @type {Server} */
      let server;
      /** @type {Promise<number>} For this answer, which takes seconds, no other test waits. */
      let late;
      before(async () => {
        const [program, ...args] = build ?? [];
        if (program) await promisify(execFile)(program, args, { cwd });
        server = await startServer(command, { cwd });
        late = statusOf(server.url, HANGING);
      });
      after(() => server?.stop());

      /**
       * Delivers a body once; what came back, and what the handler saw.
       *
       * @param {string | Uint8Array} body
       * @param {Record<string, string>} [headers]
       */
      async function post(body, headers) {
        const { attempts } = await deliver(body, { url: server.url, headers });
        const { status, body: text } = attempts[0]?.answer ?? { status: 0, body: '' };
        const [seen, ...more] = await server.take();
        assert.deepEqual(more, []);
        return { status, text, seen };
      }

      test('hands on a body to the digit, whatever its headers say', async () => {
        for (const [index, headers] of ODD_HEADERS.entries()) {
          const valid = VALID[index % VALID.length];
          assert(valid);
          const { status, text, seen } = await post(valid.body, headers);
          const sent = `${valid.id} with ${JSON.stringify(headers)}`;
          assert.deepEqual([status, text], [200, 'ok'], sent);
          const warnings = seen.notification.warnings.map(
            (/** @type {NotificationIssue} */ { code, path, message }) => ({ code, path, message }),
          );
          assert.deepEqual({ ...seen.notification, warnings }, valid.expected.notification, sent);
          assert.equal(seen.key, valid.expected.idempotencyKey, sent);
        }
      });

      test('refuses a body with the codes, and saves its bytes', async () => {
        for (const body of INVALID) {
          const { status, text, seen } = await post(body, { 'content-encoding': 'gzip' });
          const { error } = safeParseNotification(body);
          assert.equal(status, 400);
          assert.equal(text, [...new Set(error?.issues.map(({ code }) => code))].join(', '));
          assert.equal(seen.reason, error?.message);
          assert.deepEqual(Buffer.from(seen.saved, 'base64'), body);
        }
      });

      test('answers a body beyond 64 KiB with 413', async () => {
        assert.equal(await statusOf(server.url, bodyOfLength(LIMIT)), 200);
        assert.equal((await server.take()).length, 1);
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
          assert.equal((await server.take())[0]?.isRepeated, method !== 'PUT');
        }
        assert.equal((await fetch(server.url, { method: 'PUT' })).status, 400);
        const visit = await fetch(server.url);
        assert.equal(visit.status, 200);
        assert.match(await visit.text(), /webhook/);
        assert.deepEqual(server.journal, []);
        assert.equal(await statusOf(`${server.url}/other`, body), 404);
      });

      test('lets the secrets through, with a slash or a query behind them', async () => {
        for (const secret of [SECRET, OLD_SECRET])
          for (const ending of ['', '/', '?a=/b', '/?a=/b']) {
            const url = server.url.replace(SECRET, secret) + ending;
            const sent = await fetch(url, { method: 'POST', body: FAILING, redirect: 'manual' });
            assert.equal(sent.status, 500, url); // as no framework would
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

      test('answers with no success if the merchant fails, whatever status the error has', async () => {
        for (const body of [FAILING, FAILING.replace('CONFIRMED', 'PENDING')]) {
          const { attempts } = await deliver(body, { url: server.url });
          assert.deepEqual(attempts[0]?.answer, { status: 500, body: 'failed' });
        }
        assert.deepEqual(server.journal, []);
      });

      // A Lambda gets only what its gateway has read to the end.
      const isBehindGateway = name === 'AWS Lambda' && 'the gateway reads the body';
      test('answers a body that never ends, and reads a few MiB', {
        skip: isBehindGateway,
      }, async () => {
        for (const [secret, status] of Object.entries({ [SECRET]: 413, [`${SECRET}x`]: 404 })) {
          const { answer, isReadOn } = await sendEndlessly(server.port, secret);
          assert.match(`${answer}`, new RegExp(`^HTTP/1\\.1 ${status} `));
          assert(!isReadOn || READS_ON[name]?.includes(status), `after ${status}`);
        }
      });

      test('survives callers that hang up in the middle of a body', async () => {
        for (let count = 0; count < 20; count += 1) await hangUp(server.port);
        const { status, seen } = await post(depositReceivedBody({}, { seed: 3 }));
        assert.equal(status, 200);
        assert(seen.notification, 'a body that was cut off was refused');
        assert(server.isRunning());
      });

      test('answers 500 at the deadline of a function that never ends', async () => {
        assert.equal(await late, 500);
        await until(() => server.printed.some((line) => /: no result within 5 s$/.test(line)));
      });
    });
  }
});

// Each is a process of its own, so most run each night only. test/receiver/secret.test.ts imitates
// what Express does to the URL.
describe('the secret is checked in what was called:', { concurrency: 2 }, () => {
  for (const [index, [name, { path, onEachChange, code }]] of Object.entries(MOUNTS).entries()) {
    const skip = !onEachChange && process.env.FULL !== 'true' && 'takes long: .ci/run --full';
    test(name, { skip }, async (t) => {
      const file = `mount-${index}.ts`;
      const receiver = "import { receiver } from './receiver.ts';\n";
      writeFileSync(new URL(file, FRAMEWORKS), receiver + code);
      const server = await startServer([...TSX, file], { cwd: FRAMEWORKS });
      t.after(server.kill);
      const url = server.url.replace('/callbacks/', path);
      for (const ending of ['', '/', '?a=/b', `/?${SECRET}x`]) {
        assert.equal(await statusOf(url + ending, depositReceivedBody()), 200, url + ending);
        assert.equal((await server.take()).length, 1);
      }
      for (const other of [`${SECRET}x`, 'callbacks', '', `?${SECRET}`, `x?/${SECRET}`]) {
        const wrong = url.replace(SECRET, other);
        assert.equal(await statusOf(wrong, depositReceivedBody()), 404, wrong);
      }
      assert.deepEqual(server.journal, []);
    });
  }
});

test('below express.json, the receiver of the page says why it fails, and saves what it gets', async (t) => {
  const handler = readFileSync(new URL('express.ts', FRAMEWORKS), 'utf8')
    .replace('receiver.ts', 'own-receiver.ts')
    .replace('express();', 'express().use(express.json());');
  writeFileSync(new URL('express-parsed.ts', FRAMEWORKS), handler);
  const server = await startServer([...TSX, 'express-parsed.ts'], { cwd: FRAMEWORKS });
  t.after(server.kill);
  const parsed = await deliver(depositReceivedBody(), { url: server.url });
  assert.deepEqual(parsed.attempts[0]?.answer, { status: 500, body: 'failed' });
  // As it stands on the page, it settles nothing.
  for (const { body } of VALID) assert.equal(await statusOf(server.url, body), 500);
  assert.equal(await statusOf(server.url, GZIPPED), 400);
  const saved = (/** @type {string} */ folder) => {
    const url = new URL(`webhooks/${folder}/`, FRAMEWORKS);
    const names = readdirSync(url).filter((name) => name.endsWith('.json'));
    return names.map((name) => readFileSync(new URL(name, url))).sort(Buffer.compare);
  };
  assert.deepEqual(saved('retry'), VALID.map(({ body }) => body).sort(Buffer.compare));
  assert.deepEqual(saved('review'), [GZIPPED]);
  await server.stop(); // its output may come later than its answers
  assert.match(server.printed.join('\n'), /Mount the receiver above body parsers/);
});

test('an existing app with a global express.json hands on the bytes that it parses', async (t) => {
  const json = { 'content-type': 'application/json' };
  const server = await startServer([...TSX, 'existing-app.ts'], { cwd: FRAMEWORKS });
  t.after(server.kill);
  const body = fixture('deposit-received/eighteen-decimals').body;
  for (const headers of [json, {}]) {
    assert.equal(await statusOf(server.url, body, headers), 200);
    const [seen] = await server.take();
    assert.equal(seen.notification.actualDepositAmount, '0.123456789012345678');
  }
  for (const faulty of ['{"status":', '"text"', '{}']) {
    assert.equal(await statusOf(server.url, faulty, json), 400);
    const [seen] = await server.take();
    assert.equal(Buffer.from(seen.saved, 'base64').toString(), faulty);
  }
  assert.equal(await statusOf(server.url, bodyOfLength(LIMIT + 1), json), 413);
  assert.equal(await statusOf(server.url, FAILING, json), 500);
  // What Express decodes by its label is no JSON, so its error handler calls the receiver.
  const mislabeled = { 'content-type': 'application/json; charset=utf-16' };
  assert.equal(await statusOf(server.url, body, mislabeled), 200);
  assert.equal((await server.take()).length, 1);
  for (const forged of [body, depositReceivedBody({}, { seed: 7 }), '{'])
    for (const headers of [json, mislabeled, {}])
      for (const other of [`${SECRET}x`, 'a-secret-of-someone-else', '', `?${SECRET}`]) {
        const url = server.url.replace(SECRET, other);
        assert.equal(
          await statusOf(url, forged, headers),
          404,
          `${url} ${JSON.stringify(headers)}`,
        );
      }
  assert.deepEqual(server.journal, []);
});

test('what middleware has read to text or bytes is a body', async (t) => {
  const code = `import express, { raw, text, json, urlencoded } from 'express';
    import { receiver } from './receiver.ts';
    const asText = (request, _, buffer) => { request.rawBody = buffer.toString(); };
    const asBytes = (request, _, buffer) => { request.rawBody = buffer; };
    const all = (parse, verify) => parse({ type: () => true, verify });
    const app = express();
    app.use('/text', all(text));
    app.use('/verify-text', json({ verify: asText }));
    app.use('/verify-bytes', json({ verify: asBytes }));
    // As the Functions Framework of Firebase does.
    const verify = asBytes;
    app.use('/firebase', json({ verify }), text({ verify }), urlencoded({ verify }), all(raw, verify));
    app.all('/:way/:secret', receiver.node).listen(0, '127.0.0.1');`;
  writeFileSync(new URL('text.ts', FRAMEWORKS), code);
  const server = await startServer([...TSX, 'text.ts'], { cwd: FRAMEWORKS });
  t.after(server.kill);
  const send = (/** @type {string} */ way, /** @type {Uint8Array} */ body, type = 'text/plain') =>
    statusOf(server.url.replace('callbacks', way), body, { 'content-type': type });
  const { body, expected } = fixture('deposit-received/unicode-text');
  for (const way of ['text', 'verify-text', 'verify-bytes', 'firebase'])
    for (const type of ['application/json', 'text/plain', 'application/json; charset="UTF-8"']) {
      assert.equal(await send(way, body, type), 200, `${way} ${type}`);
      const [seen] = await server.take();
      assert.deepEqual(seen.notification, expected.notification, `${way} ${type}`);
    }
  // Decoded by a wrong label, it would be another account.
  assert.equal(await send('text', body, 'text/plain; charset=latin1'), 500);
  assert.deepEqual(server.journal, []);
  // Some of its bytes are lost.
  for (const [way, type] of Object.entries({
    text: 'text/plain',
    'verify-text': 'application/json',
  })) {
    assert.equal(await send(way, fixture('invalid/not-utf-8').body, type), 400);
    assert.match((await server.take())[0]?.reason, /: body: expected /);
  }
  await server.stop(); // its output may come later than its answers
  assert.match(server.printed.join('\n'), /decoded from "latin1"/);
});
