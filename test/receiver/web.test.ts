import { createReceiver } from 'payment-notifications/receiver';
import { deliver } from 'payment-notifications/testing';
import { expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, recording, streamed } from './options.js';

const URL = 'http://127.0.0.1/callbacks';

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

test('refuses a request without a body', async () => {
  const { calls, options } = recording();
  const response = await createReceiver(options).fetch(new Request(URL, { method: 'PUT' }));
  expect([response.status, await response.text()]).toStrictEqual([400, 'invalid_json']);
  expect(calls).toStrictEqual([['refused', expect.stringContaining('an empty body'), null]]);
});

test.each(['GET', 'HEAD'])(
  'says what the URL is for to a %s without a body, and calls nothing',
  async (method) => {
    const { calls, options } = recording({ secret: 'a-secret-of-the-test' });
    const { fetch } = createReceiver(options);
    const own = await fetch(new Request(`${URL}/a-secret-of-the-test`, { method }));
    const purpose = 'This URL receives webhooks of the payment service. Each of them has a body.';
    expect([own.status, await own.text()]).toStrictEqual([200, purpose]);
    vi.spyOn(console, 'warn').mockReturnValueOnce();
    expect((await fetch(new Request(URL, { method }))).status).toBe(404);
    expect(calls).toStrictEqual([]);
  },
);

test('reports a body that was read before, instead of refusing an empty one', async () => {
  const { calls, options } = recording();
  const request = new Request(URL, { method: 'POST', body: DEPOSIT });
  await request.json();
  expect((await createReceiver(options).fetch(request)).status).toBe(500);
  const error =
    'body: expected an unread request, received one that was read. Call the receiver first, or read a clone';
  expect(calls).toStrictEqual([['failed', error, null]]);
});

test('reports a body that breaks off', async () => {
  const { calls, options } = recording();
  function* broken() {
    yield bytes(DEPOSIT);
    throw new Error('terminated');
  }
  expect((await createReceiver(options).fetch(streamed(broken()).request)).status).toBe(500);
  expect(calls).toStrictEqual([['failed', 'terminated', null]]);
});

test('stops a body that never ends, and was sent without the secret', async () => {
  function* endless() {
    for (;;) yield new Uint8Array(16_384);
  }
  const { request, ended } = streamed(endless());
  vi.spyOn(console, 'warn').mockReturnValueOnce();
  const { fetch } = createReceiver(recording({ secret: 'a-secret-of-the-test' }).options);
  expect((await fetch(request)).status).toBe(404);
  expect(await ended).toBe(`${4 * 1024 * 1024} bytes, stopped`);
});

test('answers 404 while somebody else reads the body', async () => {
  const request = new Request(URL, { method: 'POST', body: DEPOSIT });
  request.body?.getReader();
  vi.spyOn(console, 'warn').mockReturnValueOnce();
  const { fetch } = createReceiver(recording({ secret: 'a-secret-of-the-test' }).options);
  expect((await fetch(request)).status).toBe(404);
});
