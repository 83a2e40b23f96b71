import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { createReceiver, type Delivery } from 'payment-notifications/receiver';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, FAILED, held, OK, recording, SECRET, WAYS } from './options.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const UNAUTHORIZED = { status: 401, text: 'unauthorized' };
const TIME = '1789999999';

/** A signature over a time and the raw body, such as other services send it. */
const signed = (body: string, time = TIME) => ({
  'X-Time': time,
  'X-Signature': sign('RSA-SHA512', Buffer.from(`${TIME}.${body}`), privateKey).toString('base64'),
});

function isSigned({ body, header }: Delivery): boolean {
  const signature = Buffer.from(header('x-signature') ?? '', 'base64');
  return verify(
    'RSA-SHA512',
    Buffer.concat([bytes(`${header('x-time')}.`), body]),
    publicKey,
    signature,
  );
}

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  const open = (check: (delivery: Delivery) => boolean | Promise<boolean> = isSigned) => {
    const recorded = recording({ secret: SECRET, verify: check });
    return { ...recorded, receiver: createReceiver(recorded.options) };
  };

  test('settles what is signed', async () => {
    const { receiver, calls } = open();
    expect(await ask(receiver, DEPOSIT, signed(DEPOSIT))).toStrictEqual(OK);
    expect(calls.map(([name]) => name)).toStrictEqual(['deposit']);
  });

  test.each<[what: string, headers: Record<string, string>]>([
    ['without a signature', {}],
    ['with the signature of another body', signed('{}')],
    ['with a signature for another time', signed(DEPOSIT, '1')],
  ])('answers 401 to a body %s, and saves nothing', async (__, headers) => {
    const { receiver, calls, saved } = open();
    expect(await ask(receiver, DEPOSIT, headers)).toStrictEqual(UNAUTHORIZED);
    const message =
      'answered 1 request with 401, because verify returned false. If the service sent this, verify has another key';
    expect(calls).toStrictEqual([['warning', message, null]]);
    expect(saved()).toStrictEqual([]);
  });

  test.each<[what: string, check: () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('no key');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no key'))],
  ])('answers 500 if verify %s, and saves nothing that is not verified', async (__, check) => {
    const { receiver, calls, saved } = open(check);
    expect(await ask(receiver, DEPOSIT)).toStrictEqual(FAILED);
    expect([calls, saved()]).toStrictEqual([[['failed', 'no key', null]], []]);
  });
});

test.each([undefined, 1, 'yes', {}])(
  'true alone lets a body through, and not %j',
  async (returned) => {
    const { options, calls } = recording({ verify: () => returned as never });
    expect(await createReceiver(options).receive({ body: DEPOSIT, url: '/' })).toStrictEqual(
      UNAUTHORIZED,
    );
    expect(calls.map(([name]) => name)).toStrictEqual(['warning']);
  },
);

test('is called after the secret and before the parser, with the raw body', async () => {
  const seen: unknown[] = [];
  const verify = ({ body, header }: Delivery) => {
    seen.push(body, header('X-LIST'), header('x-missing'));
    return true;
  };
  const { receive } = createReceiver(recording({ secret: SECRET, verify, log() {} }).options);
  expect((await receive({ body: '{', url: '/other' })).status).toBe(404);
  expect(seen).toStrictEqual([]);
  const headers = { 'X-List': ['a', 'b'], 'x-missing': undefined };
  expect((await receive({ body: '{', url: `/${SECRET}`, headers })).status).toBe(400);
  expect(seen).toStrictEqual([bytes('{'), 'a, b', null]);
  const web = new Headers({ 'x-list': 'c' });
  await receive({ body: '{', url: `/${SECRET}`, headers: web });
  expect(seen.slice(3)).toStrictEqual([bytes('{'), 'c', null]);
  await receive({ body: '{', url: `/${SECRET}` });
  expect(seen.slice(6)).toStrictEqual([bytes('{'), null, null]);
});

test('a visit isn’t verified, and an empty POST is', async () => {
  const { options } = recording({ verify: () => false, log() {} });
  const { receive } = createReceiver(options);
  const visit = await receive({ body: '', url: '/', method: 'GET' });
  expect(visit).toStrictEqual({ status: 200, text: expect.stringContaining('receives webhooks') });
  expect(await receive({ body: '', url: '/', method: 'POST' })).toStrictEqual(UNAUTHORIZED);
});

test('a body of a queue, or of the store, isn’t verified again', async () => {
  const { options, retry } = recording({ verify: () => false });
  const receiver = createReceiver(options);
  expect(await receiver.settle(DEPOSIT)).toBe('settled');
  retry.set('a', { to: 'retry', name: 'a', key: null, reason: '', body: bytes(DEPOSIT) });
  await receiver.retry();
  expect(retry.size).toBe(0);
});

describe('that is late', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is a 500, and nothing is passed on or saved later', async () => {
    const slow = held();
    const verify = async () => {
      await slow.run();
      return true;
    };
    const { options, calls, saved } = recording({ verify });
    const answered = createReceiver(options).receive({ body: DEPOSIT, url: '/' });
    await slow.called;
    vi.advanceTimersByTime(25_000);
    expect(await answered).toStrictEqual(FAILED);
    slow.resolve();
    await new Promise(setImmediate);
    expect(calls).toStrictEqual([['failed', 'verify: no result within 25 s', null]]);
    expect(saved()).toStrictEqual([]);
  });
});
