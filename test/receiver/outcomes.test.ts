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

const returns = (value: unknown) => ({ onDepositReceived: async () => value });
const rejects = (error: unknown) => ({ onDepositReceived: fails(error) });
const because = (message: string, cause: Error) => rejects(new Error(message, { cause }));
const CODE = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
const UNREADABLE = 'an error that has no readable message';
const UNKNOWN = 'the order is unknown';
const REVIEW = rejects(new NeedsReview(UNKNOWN));
const notOk = (ok: string, status: string | number) =>
  `onDepositReceived: expected a success, received an object with ok ${ok} and status ${status}. Check response.ok, and throw`;

const full = fails(new Error('ENOSPC: no space left on device'));
const throwsFull = () => {
  throw new Error('ENOSPC: no space left on device');
};
const UNSAVED = /^no\. The body was not saved: ENOSPC: no space left on device$/;

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
  ['it returns false, as sendToQueue of amqplib 2 does', returns(false), 'settled'],
  ['it returns a number', returns(503), 'settled'],
  ['it returns rows', returns([{ status: 'CONFIRMED' }]), 'settled'],
  ['it returns a row with a status', returns({ id: 1, status: 'FAILED' }), 'settled'],
  ['it returns a status as text', returns({ statusCode: '502' }), 'settled'],
  ['it returns a response of fetch', returns(new Response('kept')), 'settled'],
  ['it returns an object without a prototype', returns(Object.create(null)), 'settled'],

  ['it returns a 404', returns(new Response('', { status: 404 })), 'retry', notOk('false', 404)],
  [
    'it returns a redirect',
    returns(Response.redirect('http://x', 302)),
    'retry',
    notOk('false', 302),
  ],
  ['it is not ok', returns({ ok: false }), 'retry', notOk('false', 'nothing')],
  ['it returns an answer of 400', returns({ status: 400 }), 'retry', notOk('nothing', 400)],
  ['an answer of a Lambda', returns({ statusCode: 502 }), 'retry', notOk('nothing', 502)],
  [
    'the first of two statuses',
    returns({ status: 502, statusCode: 200 }),
    'retry',
    notOk('nothing', 502),
  ],
  ['the second of them', returns({ status: 200, statusCode: 502 }), 'retry', notOk('nothing', 502)],
  ['not ok, a redirect', returns({ ok: false, statusCode: 302 }), 'retry', notOk('false', 302)],
  [
    'a withdrawal is not ok',
    { body: WITHDRAWAL, onWithdrawalBroadcast: async () => ({ ok: false }) },
    'retry',
    /^onWithdrawalBroadcast: expected a success/,
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

  ['an error can’t be saved', { ...rejects('no'), store: { save: full } }, 'failed', UNSAVED],
  [
    'a review can’t be saved, and the store throws without a promise',
    { ...rejects(new NeedsReview('no')), store: { save: throwsFull } },
    'failed',
    UNSAVED,
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

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each(ROWS)('%s', async (...row) => {
    const { receiver, body, entries, saved, answer, log, keeps } = openRow(row);
    expect(await ask(receiver, body)).toStrictEqual(answer);
    expect([entries, saved()]).toStrictEqual([log, keeps]);
  });
});

test.each(ROWS)('settle says what became of a body from a queue: %s', async (...row) => {
  const { receiver, body, entries, saved, log, keeps } = openRow(row);
  const [, { store }, outcome] = row;
  // Without a store, a body that is refused would be lost with its place in the queue.
  const isLost = store === null && outcome === 'refused';
  expect(await receiver.settle(body)).toBe(isLost ? 'failed' : outcome);
  if (!isLost) expect(entries).toStrictEqual(log);
  expect(saved()).toStrictEqual(keeps);
});

test('a body that was saved first stays in retry if it can’t be saved for review', async () => {
  const save = async ({ to }: SavedBody) => (to === 'review' ? full() : undefined);
  const { receiver, entries } = open({ ...REVIEW, saveFirst: true, store: { save } });
  expect(await receiver.settle(DEPOSIT)).toBe('failed');
  expect(entries[0]?.message).toContain('. The body stays in retry: ENOSPC');
});

test.each(ROWS)('a round leaves what it can’t settle: %s', async (...row) => {
  const { receiver, leave, name, body, entries, saved, log, keeps } = openRow(row);
  const [, { store }, outcome] = row;
  leave(name, body);
  const before = saved();
  await receiver.retry();
  // A body that can't be saved anew stays where it is.
  const isLeft = store === null || outcome === 'failed';
  // Here, it is still saved, and the log says so.
  const unsaved = entries.map(({ message, ...entry }) => {
    expect(message).not.toContain('The body was not saved');
    return {
      ...entry,
      message: message.replace('The body stays in retry', 'The body was not saved'),
    };
  });
  expect(unsaved).toStrictEqual(store === null ? [] : log);
  expect(saved()).toStrictEqual(isLeft ? before : keeps);
});

describe('saveFirst', () => {
  test.each(ROWS.filter(([, { store }]) => store === undefined))(
    'changes no outcome: %s',
    async (what, given, ...expected) => {
      const row: Row = [what, { ...given, saveFirst: true }, ...expected];
      const { receiver, body, entries, saved, log, keeps } = openRow(row);
      expect(await receiver.settle(body)).toBe(row[2]);
      expect([entries, saved()]).toStrictEqual([log, keeps]);
    },
  );

  test('keeps a body in the store while it is settled, and no round takes it', async () => {
    const slow = held();
    const { receiver, ask, saved } = open({ saveFirst: true, onDepositReceived: slow.run });
    const answered = ask(DEPOSIT);
    await slow.called;
    expect(saved()).toStrictEqual([['retry', 'in progress', KEY, DEPOSIT]]);
    await receiver.retry();
    slow.resolve();
    expect(await answered).toStrictEqual(OK);
    expect(saved()).toStrictEqual([]);
  });

  test('saves a body of a round only once', async () => {
    const save = vi.fn();
    const { receiver, leave, retry } = open({ saveFirst: true, store: { save } });
    leave(nameOf(KEY, DEPOSIT), DEPOSIT);
    await receiver.retry();
    expect([save.mock.calls, retry.size]).toStrictEqual([[], 0]);
  });

  test.each(['save', 'remove'])('settles if a store can’t %s, and logs it', async (name) => {
    const { ask, entries } = open({ saveFirst: true, store: { [name]: full } });
    expect(await ask(DEPOSIT)).toStrictEqual(OK);
    expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['failed', 'settled']);
    const what = { save: 'not saved first', remove: `${nameOf(KEY, DEPOSIT)} waits` }[name];
    expect(entries[0]?.message).toContain(`${what}: `);
  });
});

test('a reason is saved in one printable line, which any table can store', async () => {
  const { ask, saved } = open(rejects(new NeedsReview('order a\0\nb')));
  expect(await ask(DEPOSIT)).toStrictEqual(OK);
  expect(saved()).toStrictEqual([['review', 'order a\\u0000\\u000ab', KEY, DEPOSIT]]);
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
