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
  held,
  KEY,
  LIMIT,
  nameOf,
  no,
  OK,
  type OwnOptions,
  open,
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
const withdrawalReturns = (value: unknown) => ({
  onWithdrawalBroadcast: async () => value as never,
});
const rejects = (error: unknown) => ({ onDepositReceived: fails(error) });
const because = (message: string, cause: Error) => rejects(new Error(message, { cause }));
const CODE = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
const UNREADABLE = 'an error that has no readable message';
const UNKNOWN = 'the order is unknown';
const REVIEW = rejects(new NeedsReview(UNKNOWN));
const NOT_OK = 'onDepositReceived: returned an object with ok: false. Check response.ok, and throw';
const long = (length: number) => 'x'.repeat(length);

const full = fails(new Error('ENOSPC: no space left on device'));
const throwsFull = () => {
  throw new Error('ENOSPC: no space left on device');
};
const UNSAVED = /^no\. The body was not saved: ENOSPC: no space left on device$/;
/** Saves everything but a body of this place. */
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

const ROWS: Row[] = [
  ['it returns nothing', returns(undefined), 'settled'],
  ['it returns null', returns(null), 'settled'],
  ['it returns a number', returns(503), 'settled'],
  ['it returns a row with a status', returns({ id: 7, status: 402 }), 'settled'],
  ['it returns a response of fetch', returns(new Response('kept')), 'settled'],
  ['it returns an object without a prototype', returns(Object.create(null)), 'settled'],
  ['it returns a 404', returns(new Response('', { status: 404 })), 'retry', NOT_OK],
  ['it is not ok', returns({ ok: false }), 'retry', NOT_OK],
  [
    'a withdrawal is not ok',
    { body: WITHDRAWAL, ...withdrawalReturns({ ok: false }) },
    'retry',
    /^onWithdrawalBroadcast: returned/,
  ],

  ['it throws an error', rejects(Object.assign(new Error('no'), { status: 200 })), 'retry', 'no'],
  ['an error with a cause', because('a', new Error('b')), 'retry', 'a: b'],
  ['an error whose message has its cause', because('a: b', new Error('b')), 'retry', 'a: b'],
  ['an error of a host with two addresses', because('a', CODE), 'retry', 'a: ECONNREFUSED'],
  ['it throws an error without a message', rejects(new RangeError()), 'retry', 'RangeError'],
  ['it throws text', rejects('no'), 'retry', 'no'],
  ['it throws no text', rejects(Object.create(null)), 'retry', UNREADABLE],
  ['it throws a proxy that was revoked', rejects(revoked()), 'retry', UNREADABLE],
  [
    'it throws an error of the parser, which has not refused this body',
    rejects(safeParseDepositReceived('{}').error),
    'retry',
    /^deposit\.received refused: /,
  ],
  [
    'a driver puts the values into its message',
    because('Failed query: insert\nparams: a body', new Error('down\nvalues')),
    'retry',
    'Failed query: insert: down',
  ],
  ['it throws a long error', rejects(new Error(long(301))), 'retry', `${long(297)}…`],
  ['it throws long text', rejects(long(301)), 'retry', `${long(299)}…`],
  ['a long cause', because(long(301), new Error(long(101))), 'retry', `${long(197)}…`],
  ['it throws NeedsReview', REVIEW, 'review', UNKNOWN],

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

  [
    'an error can’t be moved to retry',
    { ...rejects('no'), store: fullFor('retry') },
    'failed',
    STAYS,
  ],
  [
    'a review can’t be moved there',
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
    name: nameOf(key ?? 'refused', body),
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

/** What only the way of a body decides: how it is read, and how it is answered. */
const SHORT_ROWS = ROWS.filter(([what]) =>
  ['it returns null', 'success is whole', 'the body is large', 'it throws an error'].includes(what),
);

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
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
  ['failed', DEPOSIT, { ...rejects('no'), store: fullFor('retry') }, null],
])('a round moves a body, whatever its name is: %s', async (outcome, body, own, to) => {
  const { receiver, leave, entries, retry, review } = open(own);
  leave('of-someone', body);
  await receiver.retry();
  expect(entries.map((entry) => entry.outcome)).toStrictEqual([outcome]);
  if (own.store) return;
  const names = { retry: [...retry.keys()], review: [...review.keys()] };
  const expected = { retry: [], review: [], ...(to && { [to]: ['of-someone'] }) };
  expect(names).toStrictEqual(expected);
});

describe('a body is saved before its function is called', () => {
  test.each(['receive', 'settle'] as const)('by %s', async (way) => {
    const slow = held();
    const { receiver, saved } = open({ onDepositReceived: slow.run as never });
    const answered =
      way === 'settle' ? receiver.settle(DEPOSIT) : receiver.receive({ body: DEPOSIT, url: '/' });
    await slow.called;
    expect(saved()).toStrictEqual([['progress', '', KEY, DEPOSIT]]);
    await receiver.retry(); // takes nothing
    expect(saved()).toHaveLength(1);
    slow.resolve();
    await answered;
    expect(saved()).toStrictEqual([]);
  });

  test.each([
    ['save', full, 'not saved first: ENOSPC: no space left on device'],
    ['save', throwsFull, 'not saved first: ENOSPC: no space left on device'],
    ['remove', full, `${nameOf(KEY, DEPOSIT)} is settled, but not removed: ENOSPC`],
  ])('if a store can’t %s, it is called all the same', async (name, run, message) => {
    const { ask, entries } = open({ store: { [name]: run } });
    expect(await ask(DEPOSIT)).toStrictEqual(OK);
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['failed', 'settled']);
    expect(entries[0]?.message).toContain(message);
  });

  test('and if it then throws, only its sender has the body', async () => {
    const { ask, entries } = open({ ...rejects('no'), store: { save: full } });
    expect(await ask(DEPOSIT)).toStrictEqual(FAILED);
    expect(entries.at(-1)?.message).toMatch(UNSAVED);
  });
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
  const error = new other.NeedsReview('the order is unknown');
  expect(error).not.toBeInstanceOf(NeedsReview);
  expect(String(error)).toBe('NeedsReview: the order is unknown');
  expect(Symbol.for('payment-notifications.NeedsReview') in new NeedsReview('no')).toBe(true);
  expect(await open(rejects(error)).receiver.settle(DEPOSIT)).toBe('review');
});

test('text in which bytes may be lost is refused, and settled once it is moved to retry', async () => {
  const sent = depositReceivedBody({ clientPaymentId: 'caf\ufffd' });
  const { receiver, ask, calls, retry, saved, leave } = open();
  expect(await ask(sent)).toStrictEqual(invalidJson);
  const reason = expect.stringMatching(
    /^deposit\.received refused: body: expected raw bytes, received text with U\+FFFD or a lone surrogate.* move the body from review to retry \[depositId /,
  );
  expect(saved()).toStrictEqual([['review', reason, null, sent]]);
  leave('moved', sent);
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
