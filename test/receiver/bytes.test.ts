import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  OK,
  open,
  PASSED_ON,
  post,
  SECRET,
  serve,
  streamed,
} from './options.js';

const LIMIT = 65_536;
const MAX_DROPPED = 4 * 1024 * 1024;

test.each([
  ['text', DEPOSIT],
  ['bytes', bytes(DEPOSIT)],
  ['a buffer', Buffer.from(DEPOSIT)],
  ['a view into a longer buffer', bytes(` ${DEPOSIT} `).subarray(1, -1)],
  ['an ArrayBuffer', bytes(DEPOSIT).buffer],
])('are those of %s', async (_, body) => {
  const { receiver, calls } = open();
  expect(await receiver.receive({ body, url: '/' })).toStrictEqual(OK);
  expect(calls).toStrictEqual([PASSED_ON]);
});

test.each([
  ['undefined', undefined, ''],
  ['null', null, 'null'],
  ['a number', 5, '5'],
  ['a parsed object', JSON.parse(DEPOSIT), 'an object'],
  ['an array', [1], 'an array'],
])('can’t be had of %s: it is answered with 500, and not refused', async (_, body, received) => {
  const { receiver, calls } = open();
  expect(await receiver.receive({ body, url: '/' })).toStrictEqual(FAILED);
  const message = `body: expected text or bytes, received ${received}`;
  expect(calls).toStrictEqual([['failed', expect.stringContaining(message), null]]);
});

test('are a copy for the function, so that its changes are not saved', async () => {
  const { receiver, saved } = open({
    async onDepositReceived(_, { body }) {
      body.fill(0);
      structuredClone(body.buffer, { transfer: [body.buffer as ArrayBuffer] }); // as to a worker
      throw new Error('no');
    },
  });
  await receiver.settle(DEPOSIT);
  expect(saved().map(([to, , , body]) => [to, body])).toStrictEqual([['retry', bytes(DEPOSIT)]]);
});

describe('of a stream', () => {
  test.each([1, 1000, LIMIT])('are joined from chunks of %d, up to the limit', async (size) => {
    const { receiver, calls } = open();
    const body = bytes(DEPOSIT.padEnd(LIMIT));
    const parts = Math.ceil(LIMIT / size);
    const chunks = Array.from({ length: parts }, (_, i) => body.slice(i * size, (i + 1) * size));
    const { request } = streamed(chunks.values());
    request.headers.set('content-type', 'text/plain; charset=latin1');
    request.headers.set('content-encoding', 'gzip');
    expect((await receiver.fetch(request)).status).toBe(200);
    // Not toStrictEqual, which takes long for so many.
    expect(Buffer.compare(calls[0]?.at(-1) as Uint8Array, body)).toBe(0);
  });

  test('are copied four times at most, however short their chunks are', async () => {
    const body = bytes(DEPOSIT.padEnd(LIMIT));
    const chunks = Array.from({ length: LIMIT / 64 }, (_, i) => body.subarray(i * 64, i * 64 + 64));
    const set = vi.spyOn(Uint8Array.prototype, 'set');
    const request = { url: '', headers: new Headers(), body: Readable.from(chunks) };
    const response = await open().receiver.fetch(request as never);
    const copied = set.mock.calls.reduce((sum, [given]) => sum + given.length, 0);
    set.mockRestore();
    expect(response.status).toBe(200);
    // Each chunk but the first is copied with `set`. Other ways of copying would not be counted.
    expect(copied).toBeGreaterThanOrEqual(LIMIT - 64);
    expect(copied).toBeLessThan(4 * LIMIT);
  });

  test('don’t change the chunks that they come in', async () => {
    const memory = bytes(`${DEPOSIT}!`);
    const { receiver, calls } = open();
    const chunks = [memory.subarray(0, 9), new Uint8Array(), memory.subarray(9, -1)];
    await receiver.fetch(streamed(chunks.values()).request);
    expect(calls).toStrictEqual([PASSED_ON]);
    expect(memory).toStrictEqual(bytes(`${DEPOSIT}!`));
  });

  test.each([
    ['in one chunk', LIMIT + 1, 1],
    ['by one byte', 1, LIMIT + 1],
    ['by as much as is dropped', 16_384, (LIMIT + MAX_DROPPED) / 16_384],
    ['without an end, and stopped 4 MiB later', 16_384, Number.POSITIVE_INFINITY],
  ])('are answered with 413 if they are too many %s', async (_, size, count) => {
    const { receiver, saved } = open();
    let left = count;
    const { request, ended } = streamed({
      next: () => (left-- > 0 ? { value: new Uint8Array(size) } : { done: true, value: null }),
    });
    const response = await receiver.fetch(request);
    expect([response.status, await response.text()]).toStrictEqual([413, 'body_too_large']);
    const [[to, reason, key, body] = []] = saved();
    expect([to, reason, key]).toStrictEqual([
      'review',
      expect.stringContaining('65537 bytes'),
      null,
    ]);
    expect(Buffer.compare(body as Uint8Array, new Uint8Array(LIMIT + 1))).toBe(0);
    const read = Number.isFinite(count) ? size * count : LIMIT + 16_384 + MAX_DROPPED;
    const how = Number.isFinite(count) ? 'read to the end' : 'stopped';
    expect(await ended).toBe(`${read} bytes, ${how}`);
  });

  test.each([
    ['is a 500', bytes(DEPOSIT), 500, ['failed', 'terminated', null]],
    [
      'is a 413 if they were too many',
      new Uint8Array(LIMIT + 1),
      413,
      ['refused', expect.stringContaining('65537 bytes'), null],
    ],
  ])('that breaks off %s', async (_, chunk, status, call) => {
    function* broken() {
      yield chunk;
      throw new Error('terminated');
    }
    const { receiver, calls } = open();
    expect((await receiver.fetch(streamed(broken()).request)).status).toBe(status);
    expect(calls).toStrictEqual([call]);
  });

  test('that was read before are reported, instead of refused as empty', async () => {
    const { receiver, calls } = open();
    const request = new Request('http://127.0.0.1', { method: 'POST', body: DEPOSIT });
    await request.json();
    expect((await receiver.fetch(request)).status).toBe(500);
    const error =
      'body: expected an unread request, received one that was read. Call the receiver first, or read a clone';
    expect(calls).toStrictEqual([['failed', error, null]]);
  });
});

test('a body without the secret is stopped if it never ends', async () => {
  function* endless() {
    for (;;) yield new Uint8Array(16_384);
  }
  const { request, ended } = streamed(endless());
  const { receiver } = open({ secret: SECRET, log() {} });
  expect((await receiver.fetch(request)).status).toBe(404);
  expect(await ended).toBe(`${MAX_DROPPED} bytes, stopped`);
});

test('a body without the secret that somebody else reads is left alone', async () => {
  const request = new Request('http://127.0.0.1', { method: 'POST', body: DEPOSIT });
  request.body?.getReader();
  const { receiver } = open({ secret: SECRET, log() {} });
  expect((await receiver.fetch(request)).status).toBe(404);
});

test('mounted in Express or node:http, fetch answers 500 and says where it belongs', async () => {
  const { receiver, calls } = open();
  const port = await serve(receiver.fetch as never);
  expect(await post(port, DEPOSIT)).toStrictEqual(FAILED);
  const message = /^fetch: expected a Request.* mount receiver\.node$/;
  expect(calls).toStrictEqual([['failed', expect.stringMatching(message), null]]);
});
