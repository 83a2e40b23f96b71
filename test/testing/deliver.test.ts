import {
  type DeliverOptions,
  type DeliveryRequest,
  deliver,
  depositReceivedBody,
} from 'payment-notifications/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { against, answers, type Behaviour, failsTimes } from '../endpoint.js';

const DEPOSIT = depositReceivedBody();
// The @ in its path is no user name.
const URL = 'http://127.0.0.1/@merchant';

/** Delivers to an endpoint on loopback. */
function deliverTo(
  behaviour: Behaviour,
  body: string | Uint8Array = DEPOSIT,
  options: Partial<DeliverOptions> = {},
) {
  return against(behaviour, (url) => deliver(body, { url, ...options }));
}

const answerOf = (status: number) => ({ status, text: async () => '' });

/** A `fetch` that succeeds, and whose calls can be looked at. */
const succeeding = () => vi.fn(async (_url: string, _request: DeliveryRequest) => answerOf(200));

/** Time stands still until a test advances it. */
const stopTime = () => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });

afterEach(() => void vi.useRealTimers());

test('posts the body as JSON, byte for byte, and returns what the endpoint answered', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  const slow: Behaviour = (response) => {
    vi.setSystemTime(340);
    response.writeHead(201).end('settled');
  };
  const { received, url, ...result } = await deliverTo(slow);
  const headers = { 'content-type': 'application/json' };
  expect(received).toMatchObject([{ method: 'POST', headers, body: Buffer.from(DEPOSIT) }]);
  const answer = { status: 201, body: 'settled' };
  const attempt = { success: true, durationMs: 340, answer, error: null };
  expect(result).toStrictEqual({ delivered: true, attempts: [attempt] });
});

test('posts bytes as they are, also a part of a larger buffer', async () => {
  const body = Buffer.from([1, 2, 0xff, 0xfe, 3]).subarray(1, 4);
  expect(await deliverTo(answers(200), body)).toMatchObject({ received: [{ body }] });
});

test.each<[DeliverOptions['headers'], object]>([
  [{ 'Content-Type': 'text/plain' }, { 'content-type': 'text/plain' }],
  [{ authorization: undefined, 'Content-Type': undefined }, { 'content-type': 'application/json' }],
  [{ Authorization: 'secret' }, { 'content-type': 'application/json', authorization: 'secret' }],
])('with %j hands fetch the whole request, each header once', async (given, headers) => {
  const fetch = succeeding();
  await deliver(DEPOSIT, { url: URL, headers: given, fetch });
  const request = { method: 'POST', headers, body: DEPOSIT, redirect: 'manual' };
  const signal = expect.objectContaining({ aborted: false });
  expect(fetch.mock.calls).toStrictEqual([[URL, { ...request, signal }]]);
});

test('sends no header that is null, not even the one that fetch would add', async () => {
  const fetch = succeeding();
  await deliver('{}', { url: URL, fetch, headers: { 'Content-Type': null } });
  const body = new TextEncoder().encode('{}').buffer;
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ headers: {}, body });
});

test.each([
  [0, false],
  [199, false],
  [200, true],
  [299, true],
  [300, false],
  [500, false],
])('the status %i is a success: %s', async (status, delivered) => {
  const result = await deliver(DEPOSIT, { url: URL, fetch: async () => answerOf(status) });
  expect(result).toMatchObject({ delivered, attempts: [{ success: delivered }] });
});

test('does not follow a redirect, which would lose the body', async () => {
  const { attempts, received } = await deliverTo((response) =>
    response.writeHead(302, { location: '/elsewhere' }).end(),
  );
  expect(attempts).toMatchObject([{ success: false, answer: { status: 302 } }]);
  expect(received).toHaveLength(1);
});

test('copies arrive at the same time, and all must succeed', async () => {
  const open: (() => void)[] = [];
  const together: Behaviour = (response, _request, n) => {
    open.push(() => response.end());
    if (n === 3) for (const answer of open) answer();
  };
  expect(await deliverTo(together, DEPOSIT, { copies: 3 })).toMatchObject({ delivered: true });
  const { delivered, attempts } = await deliverTo(failsTimes(1), DEPOSIT, { copies: 3 });
  expect(delivered).toBe(false);
  expect(attempts.filter(({ success }) => success)).toHaveLength(2);
});

test('an answer that does not end in time is aborted, and leaves no timer', async () => {
  stopTime();
  let signal: unknown;
  const endless: Behaviour = (response) => void response.writeHead(200).write('{');
  const { attempts } = await deliverTo(endless, DEPOSIT, {
    timeoutMs: 50,
    fetch(url, request) {
      signal = (request as RequestInit).signal;
      // Once its head has arrived, the time is over.
      return fetch(url, request).finally(() => vi.advanceTimersByTime(50));
    },
  });
  const error = 'no answer within 50 ms';
  expect(attempts).toMatchObject([{ success: false, answer: null, error, durationMs: 50 }]);
  expect(signal).toMatchObject({ aborted: true });
  // No timer can wait that long.
  const timeoutMs = Number.POSITIVE_INFINITY;
  const result = await deliver(DEPOSIT, { url: URL, fetch: succeeding(), timeoutMs });
  expect(result).toMatchObject({ delivered: true });
  expect(vi.getTimerCount()).toBe(0);
});

test('one that ignores its signal is given up after 30 seconds', async () => {
  stopTime();
  const ended = deliver(DEPOSIT, { url: URL, fetch: () => new Promise<never>(() => {}) });
  await vi.runAllTimersAsync();
  expect((await ended).attempts).toMatchObject([{ error: 'no answer within 30000 ms' }]);
});

test('an attempt that fails gives the message of the error and of its cause', async () => {
  const thrown = new Error('outer', { cause: new Error('inner\n  line') });
  const { attempts } = await deliver(DEPOSIT, { url: URL, fetch: () => Promise.reject(thrown) });
  expect(attempts).toMatchObject([{ success: false, answer: null, error: 'outer: inner' }]);
});

// To the letter: no more than that is told of an address.
const HTTP = 'url: expected an http or https URL, received';
const NO_LOGIN = 'url: expected a URL without user name and password';

test.each<[message: string, options: Partial<DeliverOptions>, body?: unknown]>([
  [`${HTTP} "localhost"`, { url: 'localhost' }],
  [`${HTTP} "localhost:3000/call/…"`, { url: 'localhost:3000/call/a-secret-of-the-test' }],
  [`${HTTP} "httpsx://x"`, { url: 'httpsx://x' }],
  [`${HTTP} a hidden value that may contain a password`, { url: 'http://u:secret@x:99999/' }],
  [`${HTTP} "localhost:3000/hooks"`, { url: 'localhost:3000/hooks?key=secret' }],
  [
    'headers: expected valid names and values, received an invalid header',
    { headers: { 'x-key': 'a\nsecret' } },
  ],
  [NO_LOGIN, { url: 'ftp://:secret@x/' }],
  [NO_LOGIN, { url: 'http://u@x/' }],
  ['copies: expected a whole number of at least 1, received 0', { copies: 0 }],
  ['copies: expected a whole number of at least 1, received 1.5', { copies: 1.5 }],
  ['timeoutMs: expected more than 0, received NaN', { timeoutMs: Number.NaN }],
  ['timeoutMs: expected more than 0, received 0', { timeoutMs: 0 }],
  ['body: expected text or bytes, received null', {}, null],
  ['body: expected text or bytes, received an object', {}, new DataView(new ArrayBuffer(1))],
])('before anything is sent: %s', async (message, options, body = DEPOSIT) => {
  const fetch = succeeding();
  const given = deliver(body as string, { url: URL, fetch, ...options });
  await expect(given).rejects.toMatchObject({ message });
  expect(fetch).not.toHaveBeenCalled();
});
