import { createReceiver } from 'payment-notifications/receiver';
import { expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, recording, streamed } from './options.js';

const LIMIT = 65_536;
const MAX_DROPPED = 4 * 1024 * 1024;

test.each([
  ['text', DEPOSIT],
  ['bytes', bytes(DEPOSIT)],
  ['a buffer', Buffer.from(DEPOSIT)],
  ['a view into a longer buffer', bytes(` ${DEPOSIT} `).subarray(1, -1)],
  ['an ArrayBuffer', Uint8Array.from(bytes(DEPOSIT)).buffer],
])('are those of %s', async (_, body) => {
  const { calls, options } = recording();
  const answer = await createReceiver(options).receive({ body, url: '/' });
  expect(answer).toStrictEqual({ status: 200, text: 'ok' });
  expect(calls[0]?.at(-1)).toStrictEqual(bytes(DEPOSIT));
});

test.each([
  ['undefined', undefined, ''],
  ['null', null, 'null'],
  ['a number', 5, '5'],
  ['a parsed object', JSON.parse(DEPOSIT), 'an object'],
  ['an array', [1], 'an array'],
])('can’t be had of %s: it is answered with 500, and not refused', async (_, body, received) => {
  const { calls, options } = recording();
  const answer = await createReceiver(options).receive({ body, url: '/' });
  expect(answer).toStrictEqual({ status: 500, text: 'failed' });
  expect(calls).toStrictEqual([['failed', expect.any(String), null]]);
  expect(calls[0]?.[1]).toContain(`body: expected text or bytes, received ${received}`);
});

test('are joined from chunks, up to the limit', async () => {
  const { calls, options } = recording();
  const { fetch } = createReceiver(options);
  const body = bytes(DEPOSIT.padEnd(LIMIT));
  for (const size of [1, 1000, LIMIT]) {
    const parts = Math.ceil(LIMIT / size);
    const chunks = Array.from({ length: parts }, (__, i) => body.slice(i * size, (i + 1) * size));
    expect((await fetch(streamed(chunks.values()).request)).status).toBe(200);
    expect(calls.pop()?.at(-1)).toStrictEqual(body);
  }
});

test('are copied four times at most, however short their chunks are', async () => {
  const body = bytes(DEPOSIT.padEnd(LIMIT));
  const own = {
    ...{ url: '', headers: new Headers(), bodyUsed: false },
    body: (async function* () {
      for (let start = 0; start < LIMIT; start += 64) yield body.subarray(start, start + 64);
    })(),
  };
  const set = vi.spyOn(Uint8Array.prototype, 'set');
  const { calls, options } = recording();
  await createReceiver(options).fetch(own as never);
  const copied = set.mock.calls.reduce((sum, [given]) => sum + given.length, 0);
  set.mockRestore();
  // Each chunk but the first is copied with `set`. Other ways of copying would not be counted.
  expect(copied).toBeGreaterThanOrEqual(LIMIT - 64);
  expect(copied).toBeLessThan(4 * LIMIT);
  expect(calls[0]?.at(-1)).toStrictEqual(body);
});

test('are those of the only chunk, without a copy', async () => {
  const chunk = bytes(DEPOSIT);
  const own = {
    ...{ url: '', headers: new Headers(), bodyUsed: false },
    body: (async function* () {
      yield chunk;
    })(),
  };
  const { calls, options } = recording();
  await createReceiver(options).fetch(own as never);
  const [body] = calls.map((call) => call.at(-1) as Uint8Array);
  expect(body?.buffer).toBe(chunk.buffer);
});

test('don’t change the chunks that they come in', async () => {
  const memory = bytes(`${DEPOSIT}!`);
  const { calls, options } = recording();
  const chunks = [memory.subarray(0, 9), new Uint8Array(), memory.subarray(9, -1)];
  await createReceiver(options).fetch(streamed(chunks.values()).request);
  expect(calls[0]?.at(-1)).toStrictEqual(bytes(DEPOSIT));
  expect(memory).toStrictEqual(bytes(`${DEPOSIT}!`));
});

test.each([
  ['in one chunk', LIMIT + 1, 1],
  ['by one byte', 1, LIMIT + 1],
  ['by as much as is dropped', 16_384, (LIMIT + MAX_DROPPED) / 16_384],
])('that are too many %s are answered with 413, and read to their end', async (_, size, count) => {
  const { saved, options } = recording();
  const chunks = Array.from({ length: count }, () => new Uint8Array(size));
  const { request, ended } = streamed(chunks.values());
  const response = await createReceiver(options).fetch(request);
  expect([response.status, await response.text()]).toStrictEqual([413, 'body_too_large']);
  const start = new Uint8Array(LIMIT + 1);
  expect(saved()).toStrictEqual([['review', expect.stringContaining('65537 bytes'), null, start]]);
  expect(await ended).toBe(`${size * count} bytes, read to the end`);
});

test('that are too many are answered with 413 even if the sender leaves', async () => {
  function* broken() {
    yield new Uint8Array(LIMIT + 1);
    throw new Error('terminated');
  }
  const { options } = recording();
  expect((await createReceiver(options).fetch(streamed(broken()).request)).status).toBe(413);
});

test('that never end are answered with 413, and stopped 4 MiB later', async () => {
  const { saved, options } = recording();
  function* endless() {
    for (;;) yield new Uint8Array(16_384);
  }
  const { request, ended } = streamed(endless());
  expect((await createReceiver(options).fetch(request)).status).toBe(413);
  expect(saved().map(([, , , body]) => body)).toStrictEqual([new Uint8Array(LIMIT + 1)]);
  expect(await ended).toBe(`${LIMIT + 16_384 + MAX_DROPPED} bytes, stopped`);
});
