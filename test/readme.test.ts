import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { safeParseDepositReceived } from 'payment-notifications';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fixture } from './fixtures.js';
import { faultyBody } from './readme/bodies.js';
import * as express from './readme/express.js';
import * as fastify from './readme/fastify.js';
import * as fetchRoute from './readme/fetch.js';
import * as hono from './readme/hono.js';
import { refused, settled } from './readme/merchant.js';
import { errorOf } from './wire.js';

const FOLDER = new URL('./readme/', import.meta.url);
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const files = readdirSync(FOLDER).filter((file) => !['bodies.ts', 'server.ts'].includes(file));
const sourceOf = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

test('the snippets of the README are the files that are run here', () => {
  const snippets = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  expect(snippets.sort()).toStrictEqual(files.map(sourceOf).sort());
});

test('the message in the README is the one that is thrown', () => {
  const [, message = ''] = /^```text\nNotificationError: (.*)\n```$/m.exec(README) ?? [];
  expect(errorOf(safeParseDepositReceived(faultyBody)).message).toBe(message);
});

describe.each(['problem.ts', 'use.ts', 'errors.ts', 'schemas.ts', 'testing.ts'])('%s', (file) => {
  test('prints what its comments say', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((value) => {
      printed.push(typeof value === 'string' ? value : inspect(value));
    });
    await import(new URL(file, FOLDER).pathname);
    const promised = [...sourceOf(file).matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)];
    expect(promised.length).toBeGreaterThan(1);
    expect(printed).toStrictEqual(promised.map(([, output]) => output));
    vi.restoreAllMocks();
  });
});

const servers: http.Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Posts to a server on loopback that runs the handler. */
async function postTo(server: http.Server, body: Buffer | string): Promise<Response> {
  if (!servers.includes(server)) {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}/callbacks`, { method: 'POST', headers, body });
}

const expressServer = http.createServer(express.app);
const honoServer = createAdaptorServer({ fetch: hono.app.fetch }) as http.Server;
await fastify.app.ready();

describe.each<{ name: string; post(body: Buffer | string): Promise<Response> }>([
  { name: 'express.ts', post: (body) => postTo(expressServer, body) },
  { name: 'fastify.ts', post: (body) => postTo(fastify.app.server, body) },
  { name: 'hono.ts', post: (body) => postTo(honoServer, body) },
  {
    name: 'fetch.ts',
    post: (body) => fetchRoute.POST(new Request('http://localhost/', { method: 'POST', body })),
  },
])('$name', ({ post }) => {
  beforeEach(() => {
    settled.clear();
    refused.length = 0;
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('hands on a deposit with all its digits', async () => {
    const response = await post(fixture('deposit-received/eighteen-decimals').body);
    expect(response.status).toBe(200);
    const [deposit] = settled.values();
    expect(deposit).toMatchObject({ type: 'deposit.received', depositCurrency: 'ETH' });
    expect(JSON.stringify(deposit)).toContain('"actualDepositAmount":"0.123456789012345678"');
  });

  test('hands on a withdrawal', async () => {
    const response = await post(fixture('withdrawal-broadcast/failed').body);
    expect(response.status).toBe(200);
    expect([...settled.keys()]).toStrictEqual([
      'withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44:FAILED',
    ]);
  });

  test('settles a repeated delivery once, and answers it with success', async () => {
    const { body } = fixture('deposit-received/sample');
    expect((await post(body)).status).toBe(200);
    expect((await post(body)).status).toBe(200);
    expect(settled.size).toBe(1);
  });

  test.each(['{"depositId":"x"}', 'status=CONFIRMED', ' '])(
    'keeps the refused body %j and answers with codes only',
    async (body) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toContain(body.startsWith('{') ? 'invalid_id' : 'invalid_json');
      expect(refused).toHaveLength(1);
      const kept = refused[0]?.body as Buffer | ArrayBuffer;
      expect(Buffer.from(kept as ArrayBuffer).toString()).toBe(body);
      expect(console.error).toHaveBeenCalledOnce();
      expect(settled.size).toBe(0);
    },
  );
});
