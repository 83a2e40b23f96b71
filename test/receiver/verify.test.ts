import { generateKeyPairSync, sign, verify } from 'node:crypto';
import type { Delivery } from 'payment-notifications/receiver';
import { describe, expect, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  fails,
  held,
  OK,
  open,
  PASSED_ON,
  SECRET,
  settleDown,
  stopClock,
  WAYS,
} from './options.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TIME = '1789999999';
const UNAUTHORIZED = { status: 401, text: 'unauthorized' };
const UNVERIFIED = [
  'warning',
  'answered 1 request with 401, because verify returned false. If the service sent this, verify has another key',
  null,
];

/** A signature over a time and the raw body, such as other services send it. */
const signed = (body: string, time = TIME) => ({
  'X-Time': time,
  'X-Signature': sign('RSA-SHA512', Buffer.from(`${TIME}.${body}`), privateKey).toString('base64'),
});

function isSigned({ body, header }: Delivery): boolean {
  const signature = Buffer.from(header('x-signature') ?? '', 'base64');
  const content = Buffer.concat([bytes(`${header('x-time')}.`), body]);
  return verify('RSA-SHA512', content, publicKey, signature);
}

const spoils = ({ body }: Delivery) => body.fill(32).length > 0;
const throws = () => {
  throw new Error('no key');
};
const failed = ['failed', 'no key', null];

type Row = [
  what: string,
  verify: (delivery: Delivery) => boolean | Promise<boolean>,
  headers: Record<string, string>,
  answer: object,
  called: unknown[],
];

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each<Row>([
    ['a signature', isSigned, signed(DEPOSIT), OK, PASSED_ON],
    ['no signature', isSigned, {}, UNAUTHORIZED, UNVERIFIED],
    ['the signature of another body', isSigned, signed('{}'), UNAUTHORIZED, UNVERIFIED],
    ['a signature for another time', isSigned, signed(DEPOSIT, '1'), UNAUTHORIZED, UNVERIFIED],
    ['a check that changes its body', spoils, {}, OK, PASSED_ON],
    ['a check that throws', throws, {}, FAILED, failed],
    ['a check that rejects', fails(new Error('no key')), {}, FAILED, failed],
    ...[undefined, 1, 'yes', {}].map((returned): Row => {
      const check = () => returned as never;
      return [`a check that returns ${typeof returned}`, check, {}, UNAUTHORIZED, UNVERIFIED];
    }),
  ])('of %s', async (__, check, headers, answer, called) => {
    const { receiver, calls, saved } = open({ secret: SECRET, verify: check });
    expect(await ask(receiver, DEPOSIT, { headers })).toStrictEqual(answer);
    expect([calls, saved()]).toStrictEqual([[called], []]);
  });
});

test('is called after the secret and before the parser, with the raw body', async () => {
  const verify = vi.fn(() => true);
  const { receiver } = open({ secret: SECRET, verify, log() {} });
  expect((await receiver.receive({ body: '{', url: '/other' })).status).toBe(404);
  expect(verify).not.toHaveBeenCalled();
  expect((await receiver.receive({ body: '{', url: `/${SECRET}` })).status).toBe(400);
  expect(verify).toHaveBeenCalledWith({ body: bytes('{'), header: expect.any(Function) });
});

test.each([
  ['an object', { 'X-List': ['a', 'b'], 'x-missing': undefined }, 'a, b'],
  ['Headers', new Headers({ 'x-list': 'c' }), 'c'],
  ['nothing', undefined, null],
])('gets the headers of %s', async (_, headers, list) => {
  const seen: unknown[] = [];
  const verify = ({ header }: Delivery) => seen.push(header('X-LIST'), header('x-missing')) > 0;
  await open({ verify }).receiver.receive({ body: DEPOSIT, url: '/', headers });
  expect(seen).toStrictEqual([list, null]);
});

test('an empty POST is verified', async () => {
  expect(await open({ verify: () => false }).ask('')).toStrictEqual(UNAUTHORIZED);
});

test('a body of a queue, or of the store, isn’t verified again', async () => {
  const { receiver, leave, retry } = open({ verify: () => false });
  expect(await receiver.settle(DEPOSIT)).toBe('settled');
  leave('a', DEPOSIT);
  await receiver.retry();
  expect(retry.size).toBe(0);
});

test('that is late is a 500, and nothing is passed on or saved later', async () => {
  stopClock();
  const slow = held();
  const { ask, calls, saved } = open({ verify: () => slow.run().then(() => true) });
  const answered = ask(DEPOSIT);
  await slow.called;
  vi.advanceTimersByTime(25_000);
  expect(await answered).toStrictEqual(FAILED);
  slow.resolve();
  await settleDown();
  expect(calls).toStrictEqual([['failed', 'verify: no result within 25 s', null]]);
  expect(saved()).toStrictEqual([]);
});
