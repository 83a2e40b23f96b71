import { safeParseDepositReceived } from 'payment-notifications';
import {
  NeedsReview,
  type Outcome,
  type ReceiverAnswer,
  type SavedBody,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test, vi } from 'vitest';
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
const withdrawalResult = resultError('a number', 'onWithdrawalBroadcast');
const returnsOne = { body: WITHDRAWAL, onWithdrawalBroadcast: async () => 1 as never };
const rejects = (error: unknown) => ({ onDepositReceived: fails(error) });
const because = (message: string, cause: unknown) => new Error(message, { cause });
const CODE = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
const UNREADABLE = 'an error that has no readable message';
const UNKNOWN = 'the order is unknown';
const UNKNOWN_ORDER = new NeedsReview(UNKNOWN);
const REVIEW = rejects(UNKNOWN_ORDER);
const long = (length: number) => 'x'.repeat(length);
const LONG = because(long(301), new Error(long(101)));

/** Two errors, each of which is the cause of the other. */
const inCycle = (error: Error) => Object.assign(error, { cause: because('outer', error) });

const full = fails(new Error('ENOSPC: no space left on device'));
/** Saves what is new, and moves nothing. */
const moves = async ({ to }: SavedBody) => (to === 'progress' ? undefined : full());
const STAYS = /^no\. The webhook stays where it is: ENOSPC/;
const UNSAVED = /incomplete JSON.* The webhook was not saved: ENOSPC/;

const invalidDeposit = DEPOSIT.replace('CONFIRMED', 'NEW').replace(/(depositId":)"[^"]*/, '$1"1');
const SWAPPED = /callback URLs are swapped/;
const answer = (status: number, text: string): ReceiverAnswer => ({ status, text });
const invalid = answer(400, 'unknown_value, invalid_id');
const swapped = answer(400, 'unrecognized_notification, unknown_value, missing_field');
const tooLarge = answer(413, 'body_too_large');
const invalidJson = answer(400, 'invalid_json');
const kept = answer(202, 'kept');
const noWithdrawals = { body: WITHDRAWAL, onWithdrawalBroadcast: undefined };

const THROWN: [what: string, thrown: unknown, message: string | RegExp][] = [
  ['an error with a status', Object.assign(new Error('no'), { status: 200 }), 'no'],
  ['an error whose message has its cause', because('a: b', new Error('b')), 'a: b'],
  ['an error of a host with two addresses', because('a', CODE), 'a: ECONNREFUSED'],
  ['text', '\n no', 'no'],
  ['what is no text', Object.create(null), UNREADABLE],
  // It has not refused this body.
  ['an error of the parser', safeParseDepositReceived('{}').error, /^deposit\.received refused: /],
  ['the body on later lines', because(`a\n${DEPOSIT}`, new Error(`b\r${DEPOSIT}`)), 'a: b'],
  ['a colon, and the fault at the end', new Error(`\n \r\n a:  \n${DEPOSIT}\n b \n`), 'a: b'],
  ['blank lines', new RangeError(' \n'), 'RangeError'],
  ['a long error with a long cause', LONG, `${long(197)}…: ${long(99)}…`],
  ['a cycle of causes', inCycle(new Error('a')), 'a: outer'],
];

const ROWS: Row[] = [
  ['it resolves to nothing', returns(undefined), 'settled'],
  ['it returns nothing, without a promise', { onDepositReceived: () => {} }, 'settled'],
  ['it returns what failed', returns({ success: false }), 'retry', resultError('an object')],
  ['a withdrawal returns 1', returnsOne, 'retry', withdrawalResult],

  ['it throws without a promise', { onDepositReceived: throws }, 'retry', 'no'],
  ...THROWN.map(
    ([what, thrown, message]): Row => [`it throws ${what}`, rejects(thrown), 'retry', message],
  ),

  ['it throws NeedsReview', REVIEW, 'review', UNKNOWN],
  ['as a cause of a cause', rejects(because('a', because('b', UNKNOWN_ORDER))), 'review', UNKNOWN],
  ['in a cycle', rejects(inCycle(new NeedsReview('a')).cause), 'review', 'a: outer'],

  ['success is whole', { success: kept }, 'settled', 'settled', kept],
  ['success is a status', { success: { status: 201 } }, 'settled', 'settled', answer(201, 'ok')],
  ['success is for review', { ...REVIEW, success: kept }, 'review', UNKNOWN, kept],

  ['the body is invalid', { body: invalidDeposit }, 'refused', /received "NEW"/, invalid],
  ['no function for withdrawals', noWithdrawals, 'refused', SWAPPED, swapped],
  ['no function for deposits', { onDepositReceived: undefined }, 'refused', SWAPPED, swapped],
  ['the body is large', { body: ' '.repeat(LIMIT + 1) }, 'refused', /at most 65536/, tooLarge],
  ['the body is empty', { body: '' }, 'refused', /an empty body/, invalidJson],

  ['a body can’t be moved', { ...rejects('no'), store: { save: moves } }, 'failed', STAYS],
  ['a refused body can’t be saved', { body: '{', store: { save: full } }, 'failed', UNSAVED],
  ['there is no store for an error', { ...rejects('no'), store: null }, 'failed', 'no'],
  ['there is no store for a review', { ...REVIEW, store: null }, 'failed', UNKNOWN],
  ['no store for a refused body', { body: '{', store: null }, 'refused', /incomplete/, invalidJson],
  ['there is no store to settle with', { store: null }, 'settled'],
];

test.each(ROWS)('%s', async (_, given, outcome, reason = 'settled', ownAnswer) => {
  const { body = DEPOSIT, ...own } = given;
  const { ask, entries, saved } = open({ ...returns(undefined), ...own });
  const isSuccess = outcome === 'settled' || outcome === 'review';
  expect(await ask(body)).toStrictEqual(ownAnswer ?? (isSuccess ? OK : FAILED));
  const keys = { [DEPOSIT]: KEY, [WITHDRAWAL]: WITHDRAWAL_KEY };
  const key = outcome === 'refused' ? null : (keys[body] ?? null);
  const message = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  expect(entries).toStrictEqual([expect.objectContaining({ outcome, key, message })]);
  const isSaved = own.store !== null && body !== '' && !['settled', 'failed'].includes(outcome);
  const to = outcome === 'retry' ? 'retry' : 'review';
  expect(saved()).toStrictEqual(isSaved ? [[to, message, key, body]] : []);
});

test('without a store, settle refuses an empty body, and fails for one that a queue would lose', async () => {
  const { receiver, calls } = open({ store: null });
  expect(await receiver.settle('')).toBe('refused');
  expect(await receiver.settle('{')).toBe('failed');
  expect(calls[1]?.[1]).toMatch(/incomplete JSON/);
});

test.each<[what: string, save: Store['save'] | undefined, message: string]>([
  ['save', throws, 'the webhook was not saved before its function was called: no'],
  ['remove', undefined, `${nameOf(KEY, DEPOSIT)} is settled, but not removed: no`],
])('if a store can’t %s, the function is called all the same', async (_, save, message) => {
  // Even a save that failed may have left something.
  const remove = vi.fn(no);
  const { ask, entries } = open({ store: { ...(save && { save }), remove } });
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(entries).toMatchObject([{ outcome: 'failed', message }, { outcome: 'settled' }]);
  expect(remove.mock.calls).toStrictEqual([[nameOf(KEY, DEPOSIT)]]);
});

test('the name of a saved body is its key, or "refused", and a part of its SHA-256; its reason is printable', async () => {
  const withdrawal = withdrawalBroadcastBody({ status: 'FAILED' });
  const { receiver, review } = open({
    onWithdrawalBroadcast: fails(new NeedsReview('order a\0\u2028b')),
  });
  for (const body of [withdrawal, '{']) await receiver.settle(body);
  const key = `withdrawal.broadcast.${JSON.parse(withdrawal).withdrawalId}.FAILED`;
  expect([...review.keys()]).toStrictEqual([nameOf(key, withdrawal), nameOf('refused', '{')]);
  expect([...review.values()][0]?.reason).toBe('order a\\u0000\\u2028b');
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

const LOST = depositReceivedBody({ clientPaymentId: 'caf\ufffd' });

test('text in which bytes may be lost is refused, and settled once it is moved to retry', async () => {
  const { receiver, ask, review, saved, leave } = open();
  expect(await ask(LOST)).toStrictEqual(invalidJson);
  const reason = expect.stringMatching(
    /^deposit\.received refused: body: expected raw bytes, received text in which bytes may be lost .* move the webhook from review to retry \[depositId /,
  );
  expect(saved()).toStrictEqual([['review', reason, null, LOST]]);
  review.clear();
  leave(nameOf('refused', LOST), LOST);
  await receiver.retry();
  expect(saved()).toStrictEqual([]);
});

test.each([
  ['a lone surrogate', LOST.replace('\ufffd', '\ud800'), 'refused'],
  ['the bytes of U+FFFD', bytes(LOST), 'settled'],
  ['U+FFFD that JSON escapes', LOST.replace('\ufffd', '\\ufffd'), 'settled'],
])('text with %s is %s', async (_, body, outcome) => {
  expect(await open().receiver.settle(body)).toBe(outcome);
});
