import { safeParseDepositReceived } from 'payment-notifications';
import {
  NeedsReview,
  type Outcome,
  type ReceiverAnswer,
  type SavedBody,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import { revoked } from '../sample-bodies.js';
import {
  bytes,
  DEPOSIT,
  FAILED,
  fails,
  KEY,
  LIMIT,
  nameOf,
  no,
  OK,
  type OwnOptions,
  open,
  throws,
  WAYS,
  WITHDRAWAL,
  WITHDRAWAL_KEY,
} from './setup.js';

/** Default: a deposit, whose function returns. */
interface Given extends OwnOptions {
  readonly body?: string;
}

/** One line of the contract. Without an answer, it is the one of the outcome. */
type Row = [
  what: string,
  given: Given,
  outcome: Outcome,
  reason?: string | RegExp,
  answer?: ReceiverAnswer,
];

const returns = (value: unknown) => ({ onDepositReceived: async () => value as never });
const resultError = (received: string, name = 'onDepositReceived') =>
  `${name}: expected no result, received ${received}. Await it, look for its error, and return nothing`;
const rejects = (error: unknown) => ({ onDepositReceived: fails(error) });
const because = (message: string, cause: unknown) => new Error(message, { cause });
const CODE = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
const UNREADABLE = 'an error that has no readable message';
const UNKNOWN = 'the order is unknown';
const UNKNOWN_ORDER = new NeedsReview(UNKNOWN);
const REVIEW = rejects(UNKNOWN_ORDER);
const long = (length: number) => 'x'.repeat(length);

/** Two errors, each of which is the cause of the other. */
function inCycle(error: Error): Error {
  return Object.assign(error, { cause: because('outer', error) });
}

const full = fails(new Error('ENOSPC: no space left on device'));
/** Saves everything but a body for this place. */
const fullFor = (place: string) => ({
  save: async ({ to }: SavedBody) => (to === place ? full() : undefined),
});
const STAYS = /^no\. The body stays where it is, and is tried again: ENOSPC/;

const invalidDeposit = DEPOSIT.replace('CONFIRMED', 'NEW').replace(/(depositId":)"[^"]*/, '$1"1');
const SWAPPED = /callback URLs are swapped/;
const answer = (status: number, text: string): ReceiverAnswer => ({ status, text });
const swapped = answer(400, 'unrecognized_notification, unknown_value, missing_field');
const tooLarge = answer(413, 'body_too_large');
const invalidJson = answer(400, 'invalid_json');
const kept = answer(202, 'kept');

/** Results of a function, and how the error describes them. */
const RESULTS = new Map<unknown, string>([
  [null, 'null'],
  [false, 'a boolean'],
  [0, 'a number'],
  ['ok', 'a string of length 2'],
  [[{ id: 7 }], 'an array'],
  [new Response(''), 'an object'],
  [{ success: false, error: {}, status: 0 }, 'an object'],
]);

const THROWN: [what: string, thrown: unknown, message: string | RegExp][] = [
  ['an error with a status', Object.assign(new Error('no'), { status: 200 }), 'no'],
  ['an error with a cause', because('a', new Error('b')), 'a: b'],
  ['an error whose message has its cause', because('a: b', new Error('b')), 'a: b'],
  ['an error of a host with two addresses', because('a', CODE), 'a: ECONNREFUSED'],
  ['an error without a message', new RangeError(), 'RangeError'],
  ['text', 'no', 'no'],
  ['an object', { message: 'no', hint: 'h' }, 'no'],
  ['an object as a cause', because('a', { message: 'b' }), 'a: b'],
  ['what is no text', Object.create(null), UNREADABLE],
  ['a proxy that was revoked', revoked(), UNREADABLE],
  // It has not refused this body.
  ['an error of the parser', safeParseDepositReceived('{}').error, /^deposit\.received refused: /],
  ['the body on later lines', because(`a\n${DEPOSIT}`, new Error(`b\r${DEPOSIT}`)), 'a: b'],
  ['a colon, and the fault at the end', new Error(`\n \r\n a:  \n${DEPOSIT}\n b \n`), 'a: b'],
  ['a colon and nothing else', new Error('no:\n'), 'no:'],
  ['blank lines', new Error(' \n'), 'Error'],
  ['a long error', new Error(long(301)), `${long(299)}…`],
  [
    'a long error with a long cause',
    because(long(301), new Error('y'.repeat(101))),
    `${long(197)}…: ${'y'.repeat(99)}…`,
  ],
  ['a cycle of causes', inCycle(new Error('a')), 'a: outer'],
];

const ROWS: Row[] = [
  ['it resolves to nothing', returns(undefined), 'settled'],
  ['it returns nothing, without a promise', { onDepositReceived: () => {} }, 'settled'],
  ...[...RESULTS].map(
    ([value, received]): Row => [
      `it returns ${JSON.stringify(value)}`,
      returns(value),
      'retry',
      resultError(received),
    ],
  ),
  ['it returns 1 without a promise', { onDepositReceived: () => 1 as never }, 'retry', /a number/],
  [
    'a withdrawal returns a row',
    { body: WITHDRAWAL, onWithdrawalBroadcast: async () => ({}) as never },
    'retry',
    resultError('an object', 'onWithdrawalBroadcast'),
  ],

  ['it throws without a promise', { onDepositReceived: throws }, 'retry', 'no'],
  ...THROWN.map(
    ([what, thrown, message]): Row => [`it throws ${what}`, rejects(thrown), 'retry', message],
  ),

  ['it throws NeedsReview', REVIEW, 'review', UNKNOWN],
  ['NeedsReview as a cause', rejects(because('a', UNKNOWN_ORDER)), 'review', UNKNOWN],
  [
    'as the cause of a cause',
    rejects(because('a', because('b', UNKNOWN_ORDER))),
    'review',
    UNKNOWN,
  ],
  ['in a cycle', rejects(inCycle(new NeedsReview('a')).cause), 'review', 'a: outer'],

  ['success is whole', { success: kept }, 'settled', 'settled', kept],
  ['success is a status', { success: { status: 201 } }, 'settled', 'settled', answer(201, 'ok')],
  ['success is a text', { success: { text: '{}' } }, 'settled', 'settled', answer(200, '{}')],
  ['success has no text', { success: answer(204, 'kept') }, 'settled', 'settled', answer(204, '')],
  ['success is for review', { ...REVIEW, success: kept }, 'review', UNKNOWN, kept],

  [
    'the parser refuses the body',
    { body: invalidDeposit },
    'refused',
    /status: expected "CONFIRMED", received "NEW"/,
    answer(400, 'unknown_value, invalid_id'),
  ],
  [
    'there is no function for withdrawals',
    { body: WITHDRAWAL, onWithdrawalBroadcast: undefined },
    'refused',
    SWAPPED,
    swapped,
  ],
  ['no function for deposits', { onDepositReceived: undefined }, 'refused', SWAPPED, swapped],
  ['the body is large', { body: ' '.repeat(LIMIT + 1) }, 'refused', /at most 65536/, tooLarge],
  ['the body is empty', { body: '' }, 'refused', /an empty body/, invalidJson],

  ['no place in retry', { ...rejects('no'), store: fullFor('retry') }, 'failed', STAYS],
  [
    'no place in review',
    { ...rejects(new NeedsReview('no')), store: fullFor('review') },
    'failed',
    STAYS,
  ],
  [
    'a refused body can’t be saved',
    { body: '{', store: { save: full } },
    'failed',
    /incomplete JSON.* The body was not saved: ENOSPC/,
  ],
  ['there is no store for an error', { ...rejects('no'), store: null }, 'failed', 'no'],
  ['there is no store for a review', { ...REVIEW, store: null }, 'failed', UNKNOWN],
  ['no store for a refused body', { body: '{', store: null }, 'refused', /incomplete/, invalidJson],
  ['there is no store to settle with', { store: null }, 'settled'],
];

const KEYS: Record<string, string> = { [DEPOSIT]: KEY, [WITHDRAWAL]: WITHDRAWAL_KEY };

/** A receiver as in a row, and what the row says that it answers, logs and saves. */
function openRow([, given, outcome, reason = 'settled', ownAnswer]: Row) {
  const { body = DEPOSIT, ...own } = given;
  const key = outcome === 'refused' ? null : (KEYS[body] ?? null);
  const message = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  const isSuccess = outcome === 'settled' || outcome === 'review';
  const isSaved = own.store !== null && body !== '' && !['settled', 'failed'].includes(outcome);
  const to = outcome === 'retry' ? 'retry' : 'review';
  return {
    ...open({ ...returns(undefined), ...own }),
    body,
    answer: ownAnswer ?? (isSuccess ? OK : FAILED),
    log: [expect.objectContaining({ outcome, key, message })],
    keeps: isSaved ? [[to, message, key, body]] : [],
  };
}

test.each(ROWS)('%s', async (...row) => {
  const { ask, body, entries, saved, answer, log, keeps } = openRow(row);
  expect(await ask(body)).toStrictEqual(answer);
  expect([entries, saved()]).toStrictEqual([log, keeps]);
});

/** What depends on the way of a body: how it is read, and how it is answered. */
const SHORT_ROWS = ROWS.filter(([what]) =>
  ['success is whole', 'success has no text', 'the body is large', 'it throws text'].includes(what),
);

describe.each([
  ['node', WAYS.node],
  ['fetch', WAYS.fetch],
])('%s', (_, ask) => {
  test.each(SHORT_ROWS)('%s', async (...row) => {
    const { receiver, body, entries, answer, log } = openRow(row);
    expect(await ask(receiver, body)).toStrictEqual(answer);
    expect(entries).toStrictEqual(log);
  });
});

test.each<[outcome: Outcome, body: string, own: OwnOptions, message?: RegExp]>([
  ['settled', DEPOSIT, {}],
  ['retry', DEPOSIT, rejects('no')],
  ['refused', '{', {}],
  ['refused', '', { store: null }],
  // A body that is refused would be lost with its place in the queue.
  ['failed', '{', { store: null }, /incomplete JSON/],
])('settle resolves to what became of a body from a queue: %s', async (outcome, body, own, why) => {
  const { receiver, entries } = open(own);
  expect(await receiver.settle(body)).toBe(outcome);
  expect(entries.map((entry) => entry.outcome)).toStrictEqual([outcome]);
  if (why) expect(entries[0]?.message).toMatch(why);
});

test.each<[outcome: Outcome, body: string, own: OwnOptions, to: string | null]>([
  ['settled', DEPOSIT, {}, null],
  ['review', DEPOSIT, REVIEW, 'review'],
  ['retry', DEPOSIT, rejects('no'), 'retry'],
  ['refused', '{', {}, 'review'],
])('a round moves a body, whatever its name is: %s', async (outcome, body, own, to) => {
  const { receiver, leave, entries, retry, review, saved } = open(own);
  leave('of-someone', body);
  await receiver.retry();
  expect(entries.map((entry) => entry.outcome)).toStrictEqual([outcome]);
  expect(saved().map(([place]) => place)).toStrictEqual(to ? [to] : []);
  expect([...retry.keys(), ...review.keys()]).toStrictEqual(to ? ['of-someone'] : []);
});

test.each<[what: string, store: object, message: string]>([
  ['save', { save: full }, 'not saved first: ENOSPC: no space left on device'],
  ['save, and throws without a promise', { save: throws }, 'not saved first: no'],
  ['remove', { remove: no }, `${nameOf(KEY, DEPOSIT)} is settled, but not removed: no`],
])('if a store can’t %s, the function is called all the same', async (_, store, message) => {
  const { ask, entries } = open({ store });
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(entries.map((entry) => entry.outcome)).toStrictEqual(['failed', 'settled']);
  expect(entries[0]?.message).toBe(message);
});

test('a body in review that is delivered again stays there until it is settled', async () => {
  const errors: unknown[] = [UNKNOWN_ORDER, new Error('the database is down')];
  const { ask, saved, receiver, entries } = open({
    async onDepositReceived() {
      if (errors.length > 0) throw errors.shift();
    },
  });
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(saved()).toStrictEqual([['review', UNKNOWN, KEY, DEPOSIT]]);
  expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
  expect(saved()).toStrictEqual([['review', 'the database is down', KEY, DEPOSIT]]);
  await receiver.retry(); // someone decides, and no round
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(saved()).toStrictEqual([]);
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['review', 'retry', 'settled']);
});

test('a reason is saved in one printable line, which any table can store', async () => {
  const { ask, saved } = open(rejects(new NeedsReview('order a\0\u2028b')));
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(saved()).toStrictEqual([['review', 'order a\\u0000\\u2028b', KEY, DEPOSIT]]);
});

test('the name of a saved body is its key, or "refused", and a part of its SHA-256', async () => {
  const withdrawal = withdrawalBroadcastBody({ status: 'FAILED' });
  const { receiver, retry, review } = open({ ...REVIEW, onWithdrawalBroadcast: no });
  for (const body of [withdrawal, DEPOSIT, '{']) await receiver.settle(body);
  const key = `withdrawal.broadcast.${JSON.parse(withdrawal).withdrawalId}.FAILED`;
  expect([...retry.keys()]).toStrictEqual([nameOf(key, withdrawal)]);
  expect([...review.keys()]).toStrictEqual([nameOf(KEY, DEPOSIT), nameOf('refused', '{')]);
});

test('NeedsReview of another copy of the package is recognized', async () => {
  vi.resetModules();
  const other = await import('../../src/receiver/needs-review.js');
  const error = new other.NeedsReview(UNKNOWN);
  expect(error).not.toBeInstanceOf(NeedsReview);
  expect(String(error)).toBe(`NeedsReview: ${UNKNOWN}`);
  expect(Symbol.for('payment-notifications.NeedsReview') in UNKNOWN_ORDER).toBe(true);
  expect(await open(rejects(error)).receiver.settle(DEPOSIT)).toBe('review');
});

test('text in which bytes may be lost is refused, and settled once it is moved to retry', async () => {
  const sent = depositReceivedBody({ clientPaymentId: 'caf\ufffd' });
  const { receiver, ask, calls, retry, review, saved, leave } = open();
  expect(await ask(sent)).toStrictEqual(invalidJson);
  const reason = expect.stringMatching(
    /^deposit\.received refused: body: expected raw bytes, received text with U\+FFFD or a lone surrogate.* move the body from review to retry \[depositId /,
  );
  expect(saved()).toStrictEqual([['review', reason, null, sent]]);
  review.clear();
  leave(nameOf('refused', sent), sent);
  await receiver.retry();
  expect([calls.map(([name]) => name), retry.size]).toStrictEqual([['refused', 'deposit'], 0]);
  for (const [body, outcome] of [
    [sent.replace('\ufffd', '\ud800'), 'refused'],
    [sent.slice(0, -1), 'refused'],
    [bytes(sent), 'settled'],
    [sent.replace('\ufffd', '\\ufffd'), 'settled'], // JSON escapes it
  ] as const)
    expect(await receiver.settle(body)).toBe(outcome);
});
