import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { safeParseNotification } from 'payment-notifications';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { fixtures } from '../../test/fixtures.js';
import { assertLimit, GZIPPED, LIMIT, ODD_HEADERS } from './bodies.js';
import { bin, whyNot } from './programs.js';
import { startServer } from './server.js';

/** @import { NotificationIssue } from 'payment-notifications' */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

/** A copy whose merchant tells the tests what it gets; at the same depth, since packages are looked up from it. */
const FRAMEWORKS = new URL('../frameworks-under-test/', import.meta.url);
const NEXT = new URL('next/', FRAMEWORKS);

before(() => {
  rmSync(FRAMEWORKS, { recursive: true, force: true });
  cpSync(new URL('../frameworks/', import.meta.url), FRAMEWORKS, { recursive: true });
  copyFileSync(new URL('watched-merchant.js', import.meta.url), new URL('merchant.js', FRAMEWORKS));
  // NestJS takes its decorators' settings from the nearest one that names the file.
  const tsconfig = { extends: '../tsconfig.json', include: ['*.ts'] };
  writeFileSync(new URL('tsconfig.json', FRAMEWORKS), JSON.stringify(tsconfig));
});
after(() => rmSync(FRAMEWORKS, { recursive: true }));

/** How each is started. @type {Record<string, { command: string[], cwd?: URL, env?: Record<string, string>, build?: () => void, skip?: string | false }>} */
const SERVERS = {
  'node:http': { command: ['node', 'node-http.js'] },
  Express: { command: ['node', 'express.js'] },
  Fastify: { command: ['node', 'fastify.js'] },
  Hono: { command: ['node', 'hono.js'] },
  Koa: { command: ['node', 'koa.js'] },
  NestJS: { command: ['node', '--import', 'tsx', 'nestjs.ts'] },
  'Next.js': {
    command: [bin('next'), 'start', '--hostname', '127.0.0.1', '--port', '0'],
    cwd: NEXT,
    env: { NEXT_TELEMETRY_DISABLED: '1' },
    build: () => run(bin('next'), ['build'], NEXT),
  },
  h3: { command: ['node', 'h3.js'] },
  'AWS Lambda, body in base64': { command: ['node', '../test/lambda-gateway.js'] },
  'AWS Lambda, body as text': {
    command: ['node', '../test/lambda-gateway.js'],
    env: { BODY: 'text' },
  },
  'Cloudflare Worker': {
    skip: whyNot('workerd'),
    command: [bin('workerd'), 'serve', 'workerd.capnp', '--socket-addr=http=127.0.0.1:0'],
    build: () =>
      run(
        bin('esbuild'),
        [
          'worker.ts',
          '--bundle',
          '--format=esm',
          '--external:node:*',
          '--outfile=worker.bundle.js',
          '--log-level=warning',
        ],
        FRAMEWORKS,
      ),
  },
  Bun: { command: [bin('bun'), 'bun.ts'], skip: whyNot('bun') },
  Deno: {
    skip: whyNot('deno'),
    command: [
      bin('deno'),
      'run',
      '--check',
      '--allow-net=127.0.0.1',
      '--allow-env=PORT',
      'deno.ts',
    ],
  },
};

/** @type {(program: string, args: string[], cwd: URL) => void} */
function run(program, args, cwd) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

const valid = fixtures.filter(({ expected }) => expected.notification);
// An endpoint for both callbacks takes the one that is refused only where deposits alone are meant.
const invalid = fixtures.filter(
  ({ name, body, expected }) =>
    !expected.notification &&
    name !== 'invalid/withdrawal-at-deposit-endpoint' &&
    body.length <= LIMIT,
);
const STACK = /node_modules|\bat .+:\d+:\d+|file:\/\//;

for (const [name, { command, cwd = FRAMEWORKS, env = {}, build, skip }] of Object.entries(
  SERVERS,
)) {
  describe(name, { skip: skip ?? false }, () => {
    /** @type {Server} */
    let server;
    before(async () => {
      build?.();
      server = await startServer(command, { cwd, env });
    });
    after(() => server?.stop());

    /**
     * Delivers a body once; what came back, and what the handler saw.
     *
     * @param {string | Uint8Array} body
     * @param {Record<string, string>} [headers]
     */
    async function post(body, headers) {
      const { attempts } = await deliver(body, { url: server.url, retry: null, headers });
      const { status, body: text } = attempts[0]?.answer ?? { status: 0, body: '' };
      const [seen, ...more] = await server.take(1);
      assert.deepEqual(more, []);
      return { status, text, seen };
    }

    /**
     * What must come of a body that is refused: its codes, and all of it to the merchant.
     *
     * @param {Buffer} body
     * @param {Record<string, string>} [headers]
     */
    async function assertRefused(body, headers) {
      const { status, text, seen } = await post(body, headers);
      const result = safeParseNotification(body);
      assert(!result.success);
      assert.equal(status, 400);
      assert.doesNotMatch(text, STACK);
      const answer = JSON.parse(text);
      // Nest puts what an exception tells into `message`.
      const codes = answer.message ?? answer;
      assert.deepEqual(
        codes,
        result.error.issues.map(({ code }) => code),
      );
      assert.deepEqual(seen.error, JSON.parse(JSON.stringify(result.error)));
      assert.deepEqual(Buffer.from(seen.refused, 'base64'), body);
    }

    test(`hands on ${valid.length} fixtures, to the digit`, async () => {
      for (const { name, body, expected } of valid) {
        const { status, text, seen } = await post(body);
        assert.deepEqual([status, text.replaceAll('"', '')], [200, 'ok'], name);
        const warnings = seen.notification.warnings.map(
          (/** @type {NotificationIssue} */ { code, path, message }) => ({ code, path, message }),
        );
        assert.deepEqual({ ...seen.notification, warnings }, expected.notification, name);
        assert.equal(seen.key, expected.idempotencyKey, name);
      }
    });

    test('takes a body as it came, whatever its headers say', async () => {
      const body = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });
      for (const headers of ODD_HEADERS) {
        const { status, seen } = await post(body, headers);
        assert.equal(status, 200, JSON.stringify(headers));
        assert.equal(seen.notification.actualDepositAmount, '0.123456789012345678');
      }
      for (const encoding of ['gzip', 'identity'])
        await assertRefused(GZIPPED, { 'content-encoding': encoding });
    });

    test('answers a body beyond 64 KiB with 413, and logs it', async () => {
      await assertLimit(server);
      assert.equal((await server.take(1)).length, 1);
      const { status } = await fetch(server.url, { method: 'POST', body: Buffer.alloc(2 ** 21) });
      assert.equal(status, 413);
      assert.deepEqual(server.journal, []);
    });

    test(`refuses ${invalid.length} fixtures with the codes, and keeps their bytes`, async () => {
      for (const { body } of invalid) await assertRefused(body);
      assert(invalid.length > 30);
    });

    test('refuses an empty body', () => assertRefused(Buffer.alloc(0)));

    test('takes a body by any method, and at the path with a slash', async () => {
      const body = depositReceivedBody({}, { seed: 4 });
      for (const [method, path] of /** @type {const} */ ([
        ['PUT', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/'],
      ])) {
        const { status } = await fetch(server.url + path, { method, body, redirect: 'manual' });
        assert.equal(status, 200, `${method} ${path}`);
        assert.equal((await server.take(1))[0]?.isRepeated, method !== 'PUT');
      }
    });

    test('refuses and keeps what comes without a body', async () => {
      for (const method of ['GET', 'PUT']) {
        const { status } = await fetch(server.url, { method });
        assert.equal(status, 400, method);
        assert.equal((await server.take(1))[0]?.refused, '', method);
      }
    });

    test('answers other paths with 404', async () => {
      const other = await fetch(`${server.url}/other`, { method: 'POST', body: '{}' });
      assert.equal(other.status, 404);
    });

    test('answers with no success if the merchant fails, whatever status the error has', async () => {
      for (const status of ['', '200', '404']) {
        const body = depositReceivedBody({ clientPaymentId: `fail with ${status}` }, { seed: 5 });
        for (const text of [body, body.replace('CONFIRMED', 'PENDING')]) {
          const { attempts } = await deliver(text, { url: server.url, retry: null });
          const answer = attempts[0]?.answer;
          assert(answer && answer.status >= 400, `${answer?.status} for an error with "${status}"`);
          assert.doesNotMatch(answer.body, /the database says no/);
          assert.doesNotMatch(answer.body, STACK);
        }
      }
      assert.deepEqual(server.journal, []);
    });

    test('survives callers that hang up in the middle of a body', async () => {
      for (let count = 0; count < 20; count += 1) await hangUp(server.port);
      const { status } = await post(depositReceivedBody({}, { seed: 3 }));
      assert.equal(status, 200);
      assert(server.isRunning());
    });
  });
}

test('Express refuses to work on a body that was parsed before', async () => {
  const handler = readFileSync(new URL('express.js', FRAMEWORKS), 'utf8');
  const app = 'const app = express();';
  assert(handler.includes(app));
  writeFileSync(
    new URL('express-parsed.js', FRAMEWORKS),
    handler.replace(app, `${app} app.use(express.json());`),
  );
  const server = await startServer(['node', 'express-parsed.js'], { cwd: FRAMEWORKS });
  const { attempts } = await deliver(depositReceivedBody(), { url: server.url, retry: null });
  await server.stop();
  assert.equal(attempts[0]?.answer?.status, 500);
  assert.deepEqual(server.journal, []);
});

/** Promises 1000 bytes, sends 10 and goes. @param {number} port */
async function hangUp(port) {
  const socket = connect(port, '127.0.0.1');
  const head = 'POST /callbacks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n';
  await new Promise((resolve) => socket.write(`${head}{"status":`, resolve));
  socket.destroy();
}
