// Who calls: the secret, the check of a signature, and visits.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { VerifyInput } from 'payment-notifications/receiver';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  fails,
  LIMIT,
  listen,
  OK,
  type OwnOptions,
  open,
  PASSED_ON,
  post,
  SECRET,
  type Sent,
  streamed,
  throws,
  WAYS,
} from './setup.js';

const OTHER_SECRET = 'the-old-secret-of-2025';
const NOT_FOUND = { status: 404, text: 'not found' };
const UNAUTHORIZED = { status: 401, text: 'unauthorized' };
const VISITED = {
  status: 200,
  text: 'This URL receives webhooks of the payment service. Each of them has a body.',
};

const turnedAway = (count: string) => [
  'warning',
  `answered ${count} with 404, because the URL doesn't end with the secret. If the service sent this, its callback URL has another secret`,
  null,
];
const UNVERIFIED = [
  'warning',
  'answered 1 request with 401, because verify returned false. If the service sent this, verify has another key',
  null,
];
const TOO_LONG = [
  'warning',
  'answered 1 request with 401, because verify returned false for a body over 64 KiB, of which it may get only the start',
  null,
];
const failed = (message: string) => ['failed', `verify: ${message}`, null];

/** A signature over the raw body, in a header. */
const signatureOf = (body: string | Uint8Array) => createHash('sha256').update(body).digest('hex');
const signed = (body: string) => ({ 'X-Signature': signatureOf(body) });
const isSigned = ({ body, header }: VerifyInput) => header('x-signature') === signatureOf(body);

test('an answer to a Request is plain text', async () => {
  const { headers } = await open().receiver.fetch(new Request('https://merchant.example'));
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
});

const checks = (check: unknown, headers = {}) => ({
  own: { verify: check } as OwnOptions,
  headers,
});
const spoils = ({ body }: VerifyInput) => body.fill(32).length > 0;

interface Request extends Sent {
  readonly own?: OwnOptions;
  readonly body?: string | null;
}

/** Results of a check, and how the error describes them. */
const CHECKED: [result: unknown, received: string][] = [
  [undefined, 'nothing'],
  [1, 'a number'],
  ['', 'an empty string'],
  [Promise.resolve({ depositId: 'the payload' }), 'an object'],
];

type RequestRow = [what: string, sent: Request, answer: object, calls: unknown[]];

/** What depends on the way of a request: its method, its URL and its headers. */
const SHORT_ROWS: RequestRow[] = [
  ['a PUT', { method: 'PUT' }, OK, [PASSED_ON]],
  ['a GET', { method: 'GET', body: null, ...checks(() => false) }, VISITED, []],
  ['a HEAD', { method: 'HEAD', body: null, ...checks(() => false) }, VISITED, []],
  ['a GET by a stranger', { method: 'GET', body: null, path: '/' }, NOT_FOUND, []],
  ['a HEAD by a stranger', { method: 'HEAD', body: null, path: '/' }, NOT_FOUND, []],
  [
    'an OPTIONS by a stranger',
    { method: 'OPTIONS', body: null, path: '/' },
    NOT_FOUND,
    [turnedAway('1 request')],
  ],
  ['a signature', checks(isSigned, signed(DEPOSIT)), OK, [PASSED_ON]],
  ['no signature', checks(isSigned), UNAUTHORIZED, [UNVERIFIED]],
];

const ROWS: RequestRow[] = [
  ...SHORT_ROWS,
  ['a signature of {}', checks(isSigned, signed('{}')), UNAUTHORIZED, [UNVERIFIED]],
  ['an empty POST', { body: '', ...checks(isSigned) }, UNAUTHORIZED, [UNVERIFIED]],
  [
    'a body of 64 KiB without a signature',
    { body: DEPOSIT.padEnd(LIMIT), ...checks(isSigned) },
    UNAUTHORIZED,
    [UNVERIFIED],
  ],
  [
    'a body over 64 KiB without a signature',
    { body: DEPOSIT.padEnd(LIMIT + 1), ...checks(isSigned) },
    UNAUTHORIZED,
    [TOO_LONG],
  ],
  ['a check that changes its body', checks(spoils), OK, [PASSED_ON]],
  ['a check that throws', checks(throws), FAILED, [failed('no')]],
  ['a check that rejects', checks(fails(new Error('no'))), FAILED, [failed('no')]],
  ...CHECKED.map(
    ([result, received]): RequestRow => [
      `a check that returns ${received}`,
      checks(() => result),
      FAILED,
      [failed(`expected true or false, received ${received}`)],
    ],
  ),
];

const OURS = [
  ...[`https://merchant.example/${SECRET}`, `/callbacks/${SECRET}/`, `/${SECRET}`, `//${SECRET}`],
  ...[`/callbacks/${SECRET}?a=/b`, `/callbacks/${SECRET}/?`, `/${SECRET}?/${SECRET}/x`],
];

async function expectAnswer(way: keyof typeof WAYS, [, sent, answer, called]: RequestRow) {
  const { own, body = DEPOSIT, ...rest } = sent;
  const { receiver, calls, entries, saved } = open({ secret: SECRET, ...own });
  const hasNoText = way === 'node' && sent.method === 'HEAD';
  const expected = hasNoText ? { ...answer, text: '' } : answer;
  expect(await WAYS[way](receiver, body, rest)).toStrictEqual(expected);
  expect([calls, saved()]).toStrictEqual([called, []]);
  // A request that is turned away has no outcome.
  expect(entries.some(({ outcome }) => outcome === 'settled')).toBe(answer === OK);
}

test.each(ROWS)('answers %s', (...row) => expectAnswer('receive', row));

describe.each(['node', 'fetch'] as const)('%s', (way) => {
  test.each(SHORT_ROWS)('answers %s', (...row) => expectAnswer(way, row));
});

test.each(OURS)('lets through what is called at %s', async (path) => {
  const { receiver, calls } = open({ secret: [OTHER_SECRET, SECRET] });
  expect(await receiver.receive({ body: DEPOSIT, url: path })).toStrictEqual(OK);
  expect(calls).toStrictEqual([PASSED_ON]);
});

const LIST = [OTHER_SECRET, SECRET];

test.each([
  ...['/', '/callbacks/', '/callbacks//', `/callbacks/?${SECRET}`, `/callbacks?/${SECRET}`],
  ...[`/callbacks/${SECRET}0`, `/callbacks/0${SECRET}`, `/callbacks/${SECRET.slice(0, -1)}`],
  ...[`/${SECRET}/callbacks`, `/callbacks/${SECRET}//`, `/callbacks/${SECRET.toUpperCase()}`],
  ...[`/callbacks/${SECRET.slice(0, -1)}é`, `/callbacks/${SECRET.replace('7', '%37')}`],
  ...[`/callbacks/${SECRET};a`, `/callbacks/\0${SECRET.slice(1)}`, `/callbacks/${SECRET}\0`],
  ...[`/${LIST.join()}`, `/${LIST.join('')}`, `/${OTHER_SECRET.slice(1)}`],
])('answers 404 to %j without the body, and calls nothing', async (url) => {
  const { receiver, calls } = open({ secret: LIST, log() {} });
  expect(await receiver.receive({ body: DEPOSIT, url })).toStrictEqual(NOT_FOUND);
  const endless = { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const request = new Request('https://merchant.example', endless);
  Object.defineProperty(request, 'url', { value: `https://merchant.example${url}` });
  expect((await receiver.fetch(request)).status).toBe(404);
  expect(calls).toStrictEqual([]);
});

test('stops a body of a stranger that never ends, and leaves one that somebody else reads', async () => {
  const { fetch } = open({ secret: SECRET, log() {} }).receiver;
  const { request, ended } = streamed(Array(1000).fill(new Uint8Array(16_384)));
  expect((await fetch(request)).status).toBe(404);
  expect(await ended).toStrictEqual([`${4 * 1024 * 1024} bytes, stopped`]);
  const other = new Request('https://merchant.example', { method: 'POST', body: DEPOSIT });
  other.body?.getReader();
  expect((await fetch(other)).status).toBe(404);
});

test('checks the whole URL of a request of Node.js, of which a router may have cut off a part', async () => {
  const { receiver, calls } = open({ secret: SECRET, log() {} });
  const wereRead: boolean[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      const originalUrl = request.url;
      await receiver.node(Object.assign(request, { originalUrl, url: '/' }), response);
      wereRead.push(request.readableDidRead); // later, Node.js drops what was not read
    }),
  );
  const statuses: number[] = [];
  for (const path of [`/callbacks/${SECRET}/`, '/callbacks/other', `/${SECRET}/callbacks`])
    statuses.push((await post(port, DEPOSIT, { path })).status);
  expect(statuses).toStrictEqual([200, 404, 404]);
  expect(wereRead).toStrictEqual([true, false, false]);
  expect(calls).toStrictEqual([PASSED_ON]);
});

test('a line about strangers is logged for the first, and then at most once a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { receiver, calls } = open({ secret: SECRET });
  /** Returns what is logged for so many requests, some milliseconds after the one before. */
  async function logged(count: number, ms = 0) {
    vi.advanceTimersByTime(ms);
    for (let sent = 0; sent < count; sent += 1)
      await receiver.receive({ body: DEPOSIT, url: `/callbacks/${OTHER_SECRET}` });
    return calls.splice(0);
  }
  expect(await logged(1)).toStrictEqual([turnedAway('1 request')]);
  await receiver.receive({ body: DEPOSIT, url: `/${SECRET}` });
  expect(await logged(2, 59_999)).toStrictEqual([PASSED_ON]);
  expect(await logged(2, 1)).toStrictEqual([turnedAway('3 requests')]);
  expect(await logged(1, 60_000)).toStrictEqual([turnedAway('2 requests')]);
});

test('verify is called after the secret and before the parser, with the raw body', async () => {
  const verify = vi.fn(() => true);
  const { receive } = open({ secret: SECRET, verify, log() {} }).receiver;
  expect((await receive({ body: '{', url: '/other' })).status).toBe(404);
  expect(verify).not.toHaveBeenCalled();
  expect((await receive({ body: '{', url: `/${SECRET}` })).status).toBe(400);
  expect(verify).toHaveBeenCalledWith({ body: bytes('{'), header: expect.any(Function) });
});

test.each([
  ['an object', { 'X-List': ['a', 'b'], 'x-missing': undefined }, 'a, b'],
  ['Headers', new Headers({ 'x-list': 'c' }), 'c'],
  ['nothing', undefined, null],
])('verify gets the headers of %s', async (_, headers, list) => {
  const seen: unknown[] = [];
  const verify = ({ header }: VerifyInput) => seen.push(header('X-LIST'), header('x-missing')) > 0;
  await open({ verify }).receiver.receive({ body: DEPOSIT, url: '/', headers });
  expect(seen).toStrictEqual([list, null]);
});

test('a body from a queue or the store is not checked again', async () => {
  const { receiver, leave, retry } = open({ secret: SECRET, verify: () => false });
  expect(await receiver.settle(DEPOSIT)).toBe('settled');
  leave('a', DEPOSIT);
  await receiver.retry();
  expect(retry.size).toBe(0);
});

test('receive takes a visit whose body is missing or empty', async () => {
  const { receive } = open().receiver;
  for (const body of [undefined, ''])
    expect(await receive({ body, url: '/', method: 'GET' })).toStrictEqual(VISITED);
});

const URL_expectsBoolean = /^url: expected the URL that was called, .*, received/;
const BODY_expectsBoolean = /^body: expected text or bytes, received/;
const url = `/${SECRET}`;

test.each([
  [undefined, /undefined/],
  [null, /null/],
  [{}, URL_expectsBoolean],
  [{ body: DEPOSIT, url: null }, URL_expectsBoolean],
  [{ body: DEPOSIT, url: 5 }, URL_expectsBoolean],
  [{ url }, BODY_expectsBoolean],
  [{ url, body: null }, BODY_expectsBoolean],
  [{ url, body: 5 }, BODY_expectsBoolean],
  [{ url, body: JSON.parse(DEPOSIT) }, /^body: expected text or bytes, received an object/],
  [{ url, body: [1] }, /^body: expected text or bytes, received an array/],
])('receive answers 500 to %j, and refuses nothing', async (request, message) => {
  const { receiver, calls } = open({ secret: SECRET });
  expect(await receiver.receive(request as never)).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([['failed', expect.stringMatching(message), null]]);
});

test('without a secret or a check, the first request is logged, and not a body of a queue', async () => {
  const { receiver, ask, calls } = open({ verify: undefined });
  await receiver.settle(DEPOSIT);
  expect(calls.splice(0)).toStrictEqual([PASSED_ON]);
  for (let count = 0; count < 2; count += 1) await ask(DEPOSIT);
  const warning = expect.stringMatching(/^secret: null without verify lets anyone/);
  expect(calls).toStrictEqual([['warning', warning, null], PASSED_ON, PASSED_ON]);
  for (const own of [{ secret: SECRET, verify: undefined }, { verify: () => true }]) {
    const other = open(own);
    expect(await other.receiver.receive({ body: DEPOSIT, url })).toStrictEqual(OK);
    expect(other.calls).toStrictEqual([PASSED_ON]);
  }
});
