import { createServer } from 'node:http';
import { createReceiver } from 'payment-notifications/receiver';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEPOSIT, listen, OK, open, PASSED_ON, post, WAYS } from './options.js';

const SECRET = 'a.7d1f0c93-1b24_e6f~';
const NOT_FOUND = { status: 404, text: 'not found' };

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

test.each(OURS)('lets through what is called at %s', async (path) => {
  const { receiver, calls } = open({ secret: SECRET });
  for (const ask of Object.values(WAYS))
    expect(await ask(receiver, DEPOSIT, { path, method: 'PUT' })).toStrictEqual(OK);
  expect(calls).toStrictEqual([PASSED_ON, PASSED_ON, PASSED_ON]);
});

test.each(OTHERS)('answers 404 to %j without the body, and calls nothing', async (url) => {
  const { receiver, calls } = open({ secret: SECRET, log() {} });
  expect(await receiver.receive({ body: DEPOSIT, url })).toStrictEqual(NOT_FOUND);
  const endless = { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const request = new Request('https://merchant.example', endless);
  Object.defineProperty(request, 'url', { value: `https://merchant.example${url}` });
  expect((await receiver.fetch(request)).status).toBe(404);
  expect(calls).toStrictEqual([]);
});

test('checks the whole URL of a request of Node.js, of which a router may have cut off a part', async () => {
  const { receiver, calls } = open({ secret: SECRET, log() {} });
  const wereRead: boolean[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      const originalUrl = `${request.headers['x-url']}`;
      await receiver.node(Object.assign(request, { originalUrl, url: '/' }), response);
      wereRead.push(request.readableDidRead); // later, Node.js drops what was not read
    }),
  );
  for (const [url, status] of [
    [`/callbacks/${SECRET}/`, 200],
    ['/callbacks/other', 404],
    [`/${SECRET}/callbacks`, 404],
  ] as const)
    expect(await post(port, DEPOSIT, { headers: { 'x-url': url } })).toMatchObject({ status });
  expect(wereRead).toStrictEqual([true, false, false]);
  expect(calls).toStrictEqual([PASSED_ON]);
});

test('is not checked again for a body of a queue', async () => {
  expect(await open({ secret: SECRET }).receiver.settle(DEPOSIT)).toBe('settled');
});

test.each([undefined, null, 5])('reports a call with %j for a URL', async (url) => {
  const { receiver, calls } = open({ secret: SECRET });
  const answer = await receiver.receive({ body: DEPOSIT, url: url as never });
  expect(answer).toStrictEqual({ status: 500, text: 'failed' });
  const message = expect.stringContaining('url: expected the URL that was called');
  expect(calls).toStrictEqual([['failed', message, null]]);
});

describe('a line about strangers', () => {
  const line = (count: string) => [
    'warning',
    `answered ${count} with 404, because the URL doesn't end with the secret. If the service sent this, its callback URL has another secret`,
    null,
  ];

  test('is logged for the first, and then at most once a minute, without the path', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver, calls } = open({ secret: SECRET });
    const wrong = () =>
      receiver.receive({ body: DEPOSIT, url: '/callbacks/the-old-secret-of-2025' });
    await wrong();
    expect(calls).toStrictEqual([line('1 request')]);
    await receiver.receive({ body: DEPOSIT, url: `/${SECRET}` });
    await wrong();
    vi.advanceTimersByTime(59_999);
    await wrong();
    expect(calls).toStrictEqual([line('1 request'), PASSED_ON]);
    vi.advanceTimersByTime(1);
    await wrong();
    expect(calls.slice(2)).toStrictEqual([line('3 requests')]);
    await wrong();
    vi.advanceTimersByTime(60_000);
    await wrong();
    expect(calls.slice(3)).toStrictEqual([line('2 requests')]);
  });

  test.each([
    ['GET', []], // from a browser or a scanner
    ['HEAD', []],
    ['OPTIONS', [line('1 request')]],
  ])('is logged for a %s: %j', async (method, expected) => {
    const { receiver, calls } = open({ secret: SECRET });
    expect(await WAYS.fetch(receiver, null, { method, path: '/' })).toStrictEqual(NOT_FOUND);
    expect(calls).toStrictEqual(expected);
  });
});

describe('of several secrets', () => {
  const list = ['the-old-secret-of-2025', SECRET];

  test('each is let through, and nothing else', async () => {
    const { receiver, calls } = open({ secret: list, log() {} });
    for (const secret of list)
      expect(await receiver.receive({ body: DEPOSIT, url: `/${secret}` })).toStrictEqual(OK);
    for (const other of [list.join(), list.join(''), list[0]?.slice(1), ''])
      expect(await receiver.receive({ body: DEPOSIT, url: `/${other}` })).toStrictEqual(NOT_FOUND);
    expect(calls).toStrictEqual([PASSED_ON, PASSED_ON]);
  });

  test('those of the creation count: a list that is emptied later changes nothing', async () => {
    const secret = [...list];
    const { receive } = createReceiver(open({ secret }).options);
    secret.splice(0, 2, 'another-secret-of-2027');
    expect(await receive({ body: DEPOSIT, url: `/${SECRET}` })).toStrictEqual(OK);
    expect(await receive({ body: DEPOSIT, url: '/another-secret-of-2027' })).toStrictEqual(
      NOT_FOUND,
    );
  });
});
