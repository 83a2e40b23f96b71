import { createReceiver } from 'payment-notifications/receiver';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { bytes, recording } from './options.js';

const DEPOSIT = depositReceivedBody();
const URL = 'http://127.0.0.1/callbacks';

/** A request whose body comes in these chunks. */
function streamed(chunks: Iterable<Uint8Array>): Request {
  const left = chunks[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const { done, value } = left.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit);
}

test('receives a request, and answers in plain text', async () => {
  const { calls, options } = recording();
  const { fetch } = createReceiver(options);
  const { attempts } = await deliver(DEPOSIT, {
    url: URL,
    headers: { 'content-type': 'text/plain; charset=latin1', 'content-encoding': 'gzip' },
    fetch: (url, init) => fetch(new Request(url, init as RequestInit)),
  });
  expect(attempts[0]?.answer).toStrictEqual({ status: 200, body: 'ok' });
  expect(calls).toStrictEqual([
    ['deposit', expect.any(String), expect.any(String), bytes(DEPOSIT)],
  ]);
  const { headers } = await fetch(new Request(URL));
  expect([...headers]).toStrictEqual([['content-type', 'text/plain; charset=utf-8']]);
});

test('joins the chunks of a body', async () => {
  const { calls, options } = recording();
  const chunks = Array.from(bytes(DEPOSIT), (byte) => Uint8Array.of(byte));
  expect((await createReceiver(options).fetch(streamed(chunks))).status).toBe(200);
  expect(calls[0]?.at(-1)).toStrictEqual(bytes(DEPOSIT));
});

test('refuses a request without a body', async () => {
  const { calls, options } = recording();
  for (const method of ['GET', 'HEAD', 'PUT']) {
    const response = await createReceiver(options).fetch(new Request(URL, { method }));
    expect([response.status, await response.text()]).toStrictEqual([400, 'invalid_json']);
  }
  const refused = ['refused', expect.stringContaining('an empty body'), new Uint8Array()];
  expect(calls).toStrictEqual([refused, refused, refused]);
});

test('answers a body that is too long before its end', async () => {
  const { calls, options } = recording();
  let isAnswered = false;
  function* endless() {
    while (!isAnswered) yield new Uint8Array(16_384);
  }
  const { status } = await createReceiver(options).fetch(streamed(endless()));
  isAnswered = true;
  expect(status).toBe(413);
  expect(calls).toStrictEqual([['warn', 'body: expected at most 65536 bytes, received more']]);
});

test('reports a body that was read before, instead of refusing an empty one', async () => {
  const { calls, options } = recording();
  const request = new Request(URL, { method: 'POST', body: DEPOSIT });
  await request.json();
  expect((await createReceiver(options).fetch(request)).status).toBe(500);
  const error = 'Error: the body was read before: call the receiver first, or pass a clone';
  expect(calls).toStrictEqual([['error', error, null]]);
});

test('reports a body that breaks off', async () => {
  const { calls, options } = recording();
  function* broken() {
    yield bytes(DEPOSIT);
    throw new Error('terminated');
  }
  expect((await createReceiver(options).fetch(streamed(broken()))).status).toBe(500);
  expect(calls).toStrictEqual([['error', 'Error: terminated', null]]);
});

test.each([204, 205, 304])('answers with %i, which takes no text', async (status) => {
  const { options } = recording({ onDepositReceived: async () => ({ status, text: 'ok' }) });
  const request = new Request(URL, { method: 'POST', body: DEPOSIT });
  const response = await createReceiver(options).fetch(request);
  expect([response.status, await response.text()]).toStrictEqual([status, '']);
});
