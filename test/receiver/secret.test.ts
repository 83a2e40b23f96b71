import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver } from 'payment-notifications/receiver';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bytes, DEPOSIT, recording } from './options.js';

const SECRET = 'a.7d1f0c93-1b24_e6f~';
const settled = ['deposit', expect.any(String), expect.any(String), bytes(DEPOSIT)];
const NOT_FOUND = { status: 404, text: 'not found' };

/** The lines that are printed. */
let warn: ReturnType<typeof vi.fn>;
beforeEach(() => {
  const spy = vi.spyOn(console, 'warn').mockReturnValue();
  warn = spy;
  onTestFinished(() => spy.mockRestore());
});

const OURS = [
  ...[`/callbacks/${SECRET}`, `/callbacks/${SECRET}/`, `/${SECRET}`, `//${SECRET}`],
  ...[`/callbacks/${SECRET}?a=/b`, `/callbacks/${SECRET}/?`, `/${SECRET}?/${SECRET}/x`],
];
const OTHERS = [
  ...['/', '/callbacks/', '/callbacks//', `/callbacks/?${SECRET}`, `/callbacks?/${SECRET}`],
  ...[`/callbacks/${SECRET}0`, `/callbacks/0${SECRET}`, `/callbacks/${SECRET.slice(0, -1)}`],
  ...[`/${SECRET}/callbacks`, `/callbacks/${SECRET}//`, `/callbacks/${SECRET.toUpperCase()}`],
  ...[`/callbacks/${SECRET.slice(0, -1)}é`, `/callbacks/${SECRET.replace('7', '%37')}`],
  ...[`/callbacks/${SECRET};a`, `/callbacks/\0${SECRET.slice(1)}`, `/callbacks/${SECRET}\0`],
];

test.each(OURS)('lets through what is called at %s', async (url) => {
  const { calls, options } = recording({ secret: SECRET });
  const { receive, fetch } = createReceiver(options);
  expect(await receive({ body: DEPOSIT, url })).toStrictEqual({ status: 200, text: 'ok' });
  const request = new Request(`https://merchant.example${url}`, { method: 'PUT', body: DEPOSIT });
  expect((await fetch(request)).status).toBe(200);
  expect(calls).toStrictEqual([settled, settled]);
});

test.each(OTHERS)('answers 404 to %j without the body, and calls nothing', async (url) => {
  const { calls, options } = recording({ secret: SECRET, log() {} });
  const { receive, fetch } = createReceiver(options);
  expect(await receive({ body: DEPOSIT, url })).toStrictEqual(NOT_FOUND);
  const endless = { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const request = new Request('https://merchant.example', endless);
  Object.defineProperty(request, 'url', { value: `https://merchant.example${url}` });
  const response = await fetch(request);
  expect([response.status, await response.text()]).toStrictEqual([404, 'not found']);
  expect(calls).toStrictEqual([]);
});

test('checks the whole URL of a request of Node.js, of which a router may have cut off a part', async () => {
  const { calls, options } = recording({ secret: SECRET, log() {} });
  const { node } = createReceiver(options);
  const wereRead: boolean[] = [];
  const server = createServer(async (request, response) => {
    const [, cut] = request.url?.split('/cut') ?? [];
    if (cut !== undefined) Object.assign(request, { originalUrl: cut, url: '/' });
    await node(request, response);
    wereRead.push(request.readableDidRead); // later, Node.js drops what was not read
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: DEPOSIT })).status;
  for (const path of [`/callbacks/${SECRET}`, `/cut/callbacks/${SECRET}/`])
    expect(await statusOf(path)).toBe(200);
  expect(calls.splice(0)).toStrictEqual([settled, settled]);
  for (const path of ['/callbacks/other', '/cut/callbacks/other', `/cut/${SECRET}/callbacks`])
    expect(await statusOf(path)).toBe(404);
  expect(wereRead).toStrictEqual([true, true, false, false, false]);
  expect(calls).toStrictEqual([]);
  server.close();
});

test('checks nothing with null, nor a body that is settled again', async () => {
  const { calls, options } = recording();
  expect((await createReceiver(options).receive({ body: DEPOSIT, url: '/' })).status).toBe(200);
  const { settle } = createReceiver({ ...options, secret: SECRET });
  expect(await settle(DEPOSIT)).toBe('settled');
  expect(calls).toStrictEqual([settled, settled]);
});

test.each([undefined, null, 5])('reports a call with %j for a URL', async (url) => {
  const { calls, options } = recording({ secret: SECRET });
  const answer = await createReceiver(options).receive({ body: DEPOSIT, url: url as never });
  expect(answer).toStrictEqual({ status: 500, text: 'failed' });
  const message = expect.stringContaining('url: expected the URL that was called');
  expect(calls).toStrictEqual([['failed', message, null]]);
});

test('says the first 404, and then at most one line a minute, without the path', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { receive, settle } = createReceiver(recording({ secret: SECRET, log: undefined }).options);
  const wrong = () => receive({ body: DEPOSIT, url: '/callbacks/the-old-secret-of-2025' });
  const line = (count: string) =>
    `warning: answered ${count} with 404, because the URL doesn't end with the secret. If the service sent this, its callback URL has another secret`;
  await wrong();
  expect(warn.mock.calls).toStrictEqual([[line('1 request')]]);
  await receive({ body: DEPOSIT, url: `/${SECRET}` });
  await settle(DEPOSIT);
  await wrong();
  vi.advanceTimersByTime(59_999);
  await wrong();
  expect(warn.mock.calls.length).toBe(1);
  vi.advanceTimersByTime(1);
  await wrong();
  expect(warn.mock.calls.slice(1)).toStrictEqual([[line('3 requests')]]);
  await wrong();
  vi.advanceTimersByTime(60_000);
  await wrong();
  expect(warn.mock.calls.slice(2)).toStrictEqual([[line('2 requests')]]);
});

test.each(['GET', 'HEAD'])(
  'says nothing of a %s, which a browser or a scanner sends',
  async (method) => {
    const { fetch } = createReceiver(recording({ secret: SECRET, log: undefined }).options);
    expect((await fetch(new Request('https://merchant.example/', { method }))).status).toBe(404);
    expect(warn.mock.calls).toStrictEqual([]);
    const request = new Request('https://merchant.example/', { method: 'OPTIONS' });
    expect((await fetch(request)).status).toBe(404);
    expect(warn).toHaveBeenCalledTimes(1);
  },
);

test('answers 404 even if nothing can be printed', async () => {
  const fail = () => {
    throw new Error('no console');
  };
  warn.mockImplementation(fail);
  const error = vi.spyOn(console, 'error').mockImplementation(fail);
  const { receive } = createReceiver(recording({ secret: SECRET, log: undefined }).options);
  expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(NOT_FOUND);
  error.mockRestore();
});

describe('of several secrets', () => {
  const list = ['the-old-secret-of-2025', SECRET];

  test('each is let through, and nothing else', async () => {
    const { calls, options } = recording({ secret: list, log() {} });
    const { receive } = createReceiver(options);
    for (const secret of list)
      expect((await receive({ body: DEPOSIT, url: `/${secret}` })).status).toBe(200);
    expect(calls.splice(0)).toStrictEqual([settled, settled]);
    for (const other of [list.join(), list.join(''), list[0]?.slice(1), ''])
      expect(await receive({ body: DEPOSIT, url: `/${other}` })).toStrictEqual(NOT_FOUND);
    expect(calls).toStrictEqual([]);
  });

  test('those of the creation count: a list that is emptied later changes nothing', async () => {
    const secret = [...list];
    const { receive } = createReceiver(recording({ secret }).options);
    secret.splice(0, 2, 'another-secret-of-2027');
    expect((await receive({ body: DEPOSIT, url: `/${SECRET}` })).status).toBe(200);
    expect(await receive({ body: DEPOSIT, url: '/another-secret-of-2027' })).toStrictEqual(
      NOT_FOUND,
    );
  });
});

test.each([
  [undefined, 'secret', 'undefined'],
  ['', 'secret', 'an empty string'],
  ['fifteen-letters', 'secret', '15 characters'],
  [`${SECRET}\n`, 'secret', '21 characters that end with a space or a newline'],
  [`${SECRET} `, 'secret', '21 characters that end with a space or a newline'],
  [[SECRET, `${SECRET}\r\n`], 'secret[1]', '22 characters that end with a space or a newline'],
  [`${SECRET} ${SECRET}`, 'secret', '41 characters, one of which is not allowed'],
  [`${SECRET}/`, 'secret', '21 characters, one of which is not allowed'],
  [`/${SECRET}`, 'secret', '21 characters, one of which is not allowed'],
  [`${SECRET}é`, 'secret', '21 characters, one of which is not allowed'],
  [1234567890123456, 'secret', 'a number'],
  [false, 'secret', 'a boolean'],
  [{ length: 1, 0: SECRET }, 'secret', 'an object'],
  [[], 'secret', 'an empty list'],
  [[SECRET, undefined], 'secret[1]', 'undefined'],
  [[SECRET, null], 'secret[1]', 'null'],
  [[SECRET, ''], 'secret[1]', 'an empty string'],
  [['fifteen-letters', SECRET], 'secret[0]', '15 characters'],
  [[[SECRET]], 'secret[0]', 'an array'],
])(
  'is not created with a secret of %j, which may be a missing variable',
  (secret, name, received) => {
    const create = () => createReceiver(recording({ secret: secret as never }).options);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(
      `${name}: expected at least 16 letters, digits or any of -._~, received ${received}. Make one`,
    );
    expect(create).not.toThrow(SECRET);
    expect(create).not.toThrow('fifteen');
    expect(create).not.toThrow('1234567890123456');
  },
);
