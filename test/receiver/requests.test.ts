// Who calls: the secret, the check of a signature, and visits.
import { createHash } from 'node:crypto';
import type { Receiver, ReceiverAnswer, VerifyInput } from 'payment-notifications/receiver';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  answerOf,
  DEPOSIT,
  FAILED,
  LIMIT,
  OK,
  type OwnOptions,
  open,
  PASSED_ON,
  post,
  SECRET,
  type Sent,
  serve,
  streamed,
  throws,
} from './setup.js';

const LIST = ['the-old-secret-of-2025', SECRET];
const NOT_FOUND = { status: 404, text: 'not found' };
const UNAUTHORIZED = { status: 401, text: 'unauthorized' };
const VISIT = 'This URL receives webhooks of the payment service. Each of them has a body.';
const VISITED = { status: 200, text: VISIT };

const warning = (message: string) => ['warning', message, null];
const turnedAway = (count: string) =>
  warning(
    `answered ${count} with 404, because the URL doesn't end with the secret. If the service sent it, its callback URL has a different secret`,
  );
const UNVERIFIED = [
  warning(
    'answered 1 request with 401, because verify returned false. If the service sent it, verify has the wrong key',
  ),
];
const failed = (message: string) => [['failed', `verify: ${message}`, null]];
const noBoolean = (received: string) => failed(`expected true or false, received ${received}`);

/** A signature over the raw body, in a header. */
const signatureOf = (body: string | Uint8Array) => createHash('sha256').update(body).digest('hex');
const isSigned = ({ body, header }: VerifyInput) => header('x-signature') === signatureOf(body);
const spoils = ({ body }: VerifyInput) => body.fill(32).length > 0;

interface Request extends Sent {
  readonly own?: OwnOptions;
  readonly body?: string | null;
}

const checks = (verify: unknown) => ({ own: { verify } as OwnOptions });
const unsigned = (body = DEPOSIT) => ({ body, ...checks(isSigned) });
const visit = (method: string) => ({ method, body: null, ...checks(() => false) });
const strange = (method: string) => ({ method, body: null, path: '/', ...checks(throws) });
const SIGNED = {
  own: { verify: isSigned, success: { status: 204 } },
  headers: { 'X-Signature': signatureOf(DEPOSIT) },
};

type RequestRow = [what: string, sent: Request, answer: object, calls: unknown[]];

/** The ways differ in how they read the method, the URL and the headers, and in how they answer. */
const EACH_WAY: RequestRow[] = [
  ['a HEAD', visit('HEAD'), VISITED, []],
  ['an OPTIONS by a stranger', strange('OPTIONS'), NOT_FOUND, [turnedAway('1 request')]],
  ['a signature, with a status that has no text', SIGNED, { status: 204, text: '' }, [PASSED_ON]],
];

const ROWS: RequestRow[] = [
  ...EACH_WAY,
  ['a PUT', { method: 'PUT' }, OK, [PASSED_ON]],
  ['a GET', visit('GET'), VISITED, []],
  ['a GET by a stranger', strange('GET'), NOT_FOUND, []],
  ['an invalid body without a signature', unsigned('{}'), UNAUTHORIZED, UNVERIFIED],
  ['an empty POST', unsigned(''), UNAUTHORIZED, UNVERIFIED],
  [
    'over 64 KiB without a signature',
    unsigned(DEPOSIT.padEnd(LIMIT + 1)),
    UNAUTHORIZED,
    UNVERIFIED,
  ],
  ['a check that changes its body', checks(spoils), OK, [PASSED_ON]],
  ['a check that throws', checks(throws), FAILED, failed('no')],
  ['a check that returns nothing', checks(() => undefined), FAILED, noBoolean('no value')],
  ['a check that returns the payload', checks(async () => ({})), FAILED, noBoolean('an object')],
];

type Way = (receiver: Receiver, body: string | null, sent: Sent) => Promise<ReceiverAnswer>;

/** The ways in which a request reaches a receiver. */
const WAYS: Record<'node' | 'fetch' | 'receive', Way> = {
  node: async ({ node }, body, sent) => post(await serve(node), body, sent),
  async fetch(receiver, body, { path = `/callbacks/${SECRET}`, ...init }) {
    const url = `https://merchant.example${path}`;
    return answerOf(await receiver.fetch(new Request(url, { method: 'POST', body, ...init })));
  },
  receive: ({ receive }, body, { path = `/callbacks/${SECRET}`, ...rest }) =>
    receive({ body, url: path, ...rest }),
};

async function expectAnswer(way: keyof typeof WAYS, [, sent, answer, called]: RequestRow) {
  const { own, body = DEPOSIT, ...rest } = sent;
  const { receiver, calls, entries, saved } = open({ secret: SECRET, ...own });
  const hasNoText = way === 'node' && sent.method === 'HEAD';
  const expected = hasNoText ? { ...answer, text: '' } : answer;
  expect(await WAYS[way](receiver, body, rest)).toStrictEqual(expected);
  expect([calls, saved()]).toStrictEqual([called, []]);
  // A request that is turned away has no outcome.
  expect(entries.some(({ outcome }) => outcome === 'settled')).toBe(called.includes(PASSED_ON));
}

test.each(ROWS)('answers %s', (...row) => expectAnswer('receive', row));

describe.each(['node', 'fetch'] as const)('%s', (way) => {
  test.each(EACH_WAY)('answers %s', (...row) => expectAnswer(way, row));
});

test.each([
  ...[`https://merchant.example/${SECRET}`, `/callbacks/${SECRET}/`, `//${SECRET}`],
  ...[`/callbacks/${SECRET}?a=/b`, `/callbacks/${SECRET}/?`, `/${SECRET}?/${SECRET}/x`],
])('lets through what is called at %s', async (url) => {
  const { receiver, calls } = open({ secret: LIST });
  expect(await receiver.receive({ body: DEPOSIT, url })).toStrictEqual(OK);
  expect(calls).toStrictEqual([PASSED_ON]);
});

test.each([
  ...['/', '/callbacks/', `/callbacks?/${SECRET}`, `/${SECRET}/callbacks`, `/a/${SECRET}//`],
  ...[`/a/${SECRET}0`, `/a/0${SECRET}`, `/a/${SECRET.slice(0, -1)}`, `/${SECRET.toUpperCase()}`],
  ...[`/${SECRET.replace('7', '%37')}`, `/\0${SECRET.slice(1)}`, `/${SECRET}\0`, `/${LIST.join()}`],
])('answers 404 to %j without the body, and calls nothing', async (url) => {
  const { receiver, calls } = open({ secret: LIST, log() {} });
  expect(await receiver.receive({ body: DEPOSIT, url })).toStrictEqual(NOT_FOUND);
  expect(calls).toStrictEqual([]);
});

test('stops a body of a stranger that never ends, and leaves one that somebody else reads', async () => {
  const { fetch } = open({ secret: SECRET, log() {} }).receiver;
  const { request, ended } = streamed(Array(1000).fill(new Uint8Array(16_384)));
  const { status, headers } = await fetch(request);
  expect([status, headers.get('content-type')]).toStrictEqual([404, 'text/plain; charset=utf-8']);
  expect(await ended).toStrictEqual([`${4 * 1024 * 1024} bytes, stopped`]);
  const other = new Request('https://merchant.example', { method: 'POST', body: DEPOSIT });
  other.body?.getReader();
  expect((await fetch(other)).status).toBe(404);
});

test('checks the whole URL of a request of Node.js, of which a router may have cut off a part', async () => {
  const { receiver, calls } = open({ secret: SECRET, log() {} });
  const port = await serve((request, response) => {
    receiver.node(Object.assign(request, { originalUrl: request.url, url: '/' }), response);
  });
  expect(await post(port, DEPOSIT)).toStrictEqual(OK);
  expect(await post(port, DEPOSIT, { path: `/${SECRET}/callbacks` })).toStrictEqual(NOT_FOUND);
  expect(calls).toStrictEqual([PASSED_ON]);
});

test('a line about strangers is logged for the first, and then at most once a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { receiver, ask, calls } = open({ secret: SECRET });
  /** Returns what is logged for so many requests, some milliseconds after the one before. */
  async function logged(count: number, ms = 0) {
    vi.advanceTimersByTime(ms);
    for (let sent = 0; sent < count; sent += 1) await ask(DEPOSIT);
    return calls.splice(0);
  }
  expect(await logged(1)).toStrictEqual([turnedAway('1 request')]);
  await receiver.receive({ body: DEPOSIT, url: `/${SECRET}` });
  expect(await logged(2, 59_999)).toStrictEqual([PASSED_ON]);
  expect(await logged(2, 1)).toStrictEqual([turnedAway('3 requests')]);
  expect(await logged(1, 60_000)).toStrictEqual([turnedAway('2 requests')]);
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

test('a body from a queue is not checked', async () => {
  const { receiver, calls } = open({ secret: SECRET, verify: () => false });
  expect(await receiver.settle(DEPOSIT)).toBe('settled');
  expect(calls).toStrictEqual([PASSED_ON]);
});

const url = `/${SECRET}`;
const noUrl = /^url: expected the URL that was called, .*, received/;

test.each([
  [undefined, /undefined/],
  [{ body: DEPOSIT, url: null }, noUrl],
  [{ url }, /^body: expected text or bytes, received no value/],
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
  await ask(DEPOSIT);
  await ask(DEPOSIT);
  const said = warning(expect.stringMatching(/^secret: null without verify lets anyone/));
  expect(calls).toStrictEqual([PASSED_ON, said, PASSED_ON, PASSED_ON]);
  const checked = open(); // verify alone is enough
  await checked.ask(DEPOSIT);
  expect(checked.calls).toStrictEqual([PASSED_ON]);
});
