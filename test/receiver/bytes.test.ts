import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  KEY,
  LIMIT,
  OK,
  open,
  PASSED_ON,
  post,
  serve,
  streamed,
} from './setup.js';

const MAX_DROPPED = 4 * 1024 * 1024;
const TOO_LARGE = ['refused', expect.stringContaining('65537 bytes'), null];

test('are those of an ArrayBuffer, or of a view into a longer one', async () => {
  const { receiver, calls } = open();
  for (const body of [bytes(DEPOSIT).buffer, bytes(` ${DEPOSIT} `).subarray(1, -1)])
    expect(await receiver.receive({ body, url: '/' })).toStrictEqual(OK);
  expect(calls).toStrictEqual([PASSED_ON, PASSED_ON]);
});

test('are one copy for the function, so that its changes are not saved', async () => {
  const { receiver, saved } = open({
    async onDepositReceived(_, context) {
      const { body } = context;
      body.fill(0);
      structuredClone(body.buffer, { transfer: [body.buffer as ArrayBuffer] }); // as to a worker
      throw new Error(context.body === body ? 'one' : 'several');
    },
  });
  await receiver.settle(DEPOSIT);
  expect(saved()).toStrictEqual([['retry', 'one', KEY, DEPOSIT]]);
});

describe('of a stream', () => {
  /** Receives a request whose body comes in these chunks. */
  function receive(...chunks: readonly unknown[]) {
    const opened = open();
    const parts = { url: '', headers: new Headers(), body: Readable.from(chunks) };
    return { ...opened, answered: opened.receiver.fetch(parts as never) };
  }

  test('are joined from chunks, up to the limit', async () => {
    const body = DEPOSIT.padEnd(LIMIT);
    const chunks = body.match(/.{1,1000}/g) ?? [];
    const { answered, calls } = receive(...chunks.map(bytes), new Uint8Array());
    expect((await answered).status).toBe(200);
    expect(calls[0]?.at(-1)).toBe(body);
  });

  test('are for review if any chunk is text that may have lost some', async () => {
    const lost = DEPOSIT.replace('order-10042', 'caf\ufffd-1');
    const { answered, saved } = receive(lost.slice(0, -1), lost.slice(-1));
    expect((await answered).status).toBe(400);
    expect(saved()).toStrictEqual([['review', expect.stringContaining('U+FFFD'), null, lost]]);
  });

  test.each([
    ['by as much as is dropped', 16_384, (LIMIT + MAX_DROPPED) / 16_384, 'read to the end'],
    ['without an end, and stopped 4 MiB later', 16_384, 1000, 'stopped'],
  ])('are answered with 413 if they are too many %s', async (_, size, count, how) => {
    const { receiver, calls, saved } = open();
    const { request, ended } = streamed(Array(count).fill(new Uint8Array(size)));
    const response = await receiver.fetch(request);
    expect([response.status, await response.text()]).toStrictEqual([413, 'body_too_large']);
    expect(calls).toStrictEqual([TOO_LARGE]);
    expect(saved()[0]?.at(-1)).toBe('\0'.repeat(LIMIT + 1));
    const read = how === 'stopped' ? LIMIT + 16_384 + MAX_DROPPED : size * count;
    expect(await ended).toStrictEqual([`${read} bytes, ${how}`]);
  });

  test.each([
    ['is a 500', bytes(DEPOSIT), 500, ['failed', 'terminated', null]],
    ['is a 413 if they were too many', new Uint8Array(LIMIT + 1), 413, TOO_LARGE],
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
    const error = expect.stringMatching(
      /^body: expected an unread request, .* or read request\.clone\(\)$/,
    );
    expect(calls).toStrictEqual([['failed', error, null]]);
  });
});

test('mounted in Express or node:http, fetch answers 500 and says where it belongs', async () => {
  const { receiver, calls } = open();
  const port = await serve(receiver.fetch as never);
  expect(await post(port, DEPOSIT)).toStrictEqual(FAILED);
  const message = /^fetch: expected a Request.* mount receiver\.node$/;
  expect(calls).toStrictEqual([['failed', expect.stringMatching(message), null]]);
});
