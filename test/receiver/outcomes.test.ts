import { safeParseDepositReceived } from 'payment-notifications';
import {
  NeedsReview,
  type Outcome,
  type ReceiverAnswer,
  type ReceiverSettings,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  fails,
  held,
  KEY,
  nameOf,
  no,
  OK,
  open,
  WAYS,
  WITHDRAWAL,
} from './options.js';

/** One line of the contract: what happens, and what becomes of the body. */
interface Row {
  readonly what: string;
  readonly outcome: Outcome;
  /** What the function of a deposit does. Default: it returns. */
  readonly run?: () => unknown;
  readonly body?: string;
  /** The only function. */
  readonly only?: 'onWithdrawalBroadcast';
  readonly store?: null | Partial<Store>;
  readonly success?: ReceiverSettings['success'];
  /** Default: the status of the outcome. */
  readonly answer?: ReceiverAnswer;
  /** The reason, in the log and in the store. */
  readonly reason?: string | RegExp;
}

/** A row of an ORM that makes objects of a class. */
class OrmRow {
  id = 1;
  status: unknown;
  constructor(status: unknown) {
    this.status = status;
  }
}

const full = fails(new Error('ENOSPC: no space left on device'));
const throwsFull = () => {
  throw new Error('ENOSPC: no space left on device');
};
const UNSAVED = /^no\. The body was not saved: ENOSPC: no space left on device$/;

const SUCCESSES: [what: string, returned: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['false, as of sendToQueue of amqplib 2 if its buffer is full', false],
  ['a number', 503],
  ['rows', [{ status: 'CONFIRMED' }]],
  ['a row with a status', new OrmRow('FAILED')],
  ['a result of pg', { command: 'INSERT', rowCount: 1, oid: 0, rows: [], fields: [] }],
  ['a response of fetch', new Response('kept')],
  ['an object without a prototype', Object.create(null)],
  ['a function', () => ({ ok: false })],
];

const FAILURES: [what: string, returned: unknown, reason: RegExp][] = [
  [
    'a response of fetch with 404',
    new Response('no', { status: 404 }),
    /ok false and status 404\. Check response\.ok, and throw$/,
  ],
  ['a redirect of fetch', Response.redirect('http://127.0.0.1', 302), /ok false and status 302/],
  ['what is not ok', { ok: false }, /^onDepositReceived: .* ok false and status nothing/],
  ['an answer of 500', { status: 500, text: 'no' }, /ok nothing and status 500/],
  ['an answer of 400', new OrmRow(400), /status 400/],
  ['an answer of a Lambda', { statusCode: 502 }, /status 502/],
];

const THROWN: [what: string, thrown: unknown, reason: string | RegExp][] = [
  [
    'an error with a status',
    Object.assign(new Error('the database says no'), { status: 200, statusCode: 200 }),
    'the database says no',
  ],
  [
    'an error with a cause',
    new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
    'fetch failed: connect ECONNREFUSED',
  ],
  [
    'an error whose message has its cause',
    new Error('not sent: no route', { cause: new Error('no route') }),
    'not sent: no route',
  ],
  ['an error without a message', new RangeError(), 'RangeError'],
  ['text', 'no', 'no'],
  ['what has no text', Object.create(null), 'an error that has no readable message'],
  [
    'an error of the parser, which has not refused this body',
    safeParseDepositReceived('{}').error,
    /^deposit\.received refused: /,
  ],
];

const ANSWERS: [success: Row['success'], answer: ReceiverAnswer][] = [
  [
    { status: 202, text: 'kept' },
    { status: 202, text: 'kept' },
  ],
  [{ status: 201 }, { status: 201, text: 'ok' }],
  [{ text: '{"success":true}' }, { status: 200, text: '{"success":true}' }],
  [{ status: 204 }, { status: 204, text: '' }],
];

const needsReview = fails(new NeedsReview('the order is unknown'));
const swapped = 'unrecognized_notification, unknown_value, missing_field';

const ROWS: Row[] = [
  ...SUCCESSES.map(
    ([what, returned]): Row => ({
      what: `the function returns ${what}`,
      run: () => returned,
      outcome: 'settled',
    }),
  ),
  ...FAILURES.map(
    ([what, returned, reason]): Row => ({
      what: `the function returns ${what}`,
      run: () => returned,
      outcome: 'retry',
      reason,
    }),
  ),
  ...THROWN.map(
    ([what, thrown, reason]): Row => ({
      what: `the function throws ${what}`,
      run: fails(thrown),
      outcome: 'retry',
      reason,
    }),
  ),
  ...ANSWERS.flatMap(([success, answer]): Row[] => [
    {
      what: `it settles, and success is ${JSON.stringify(success)}`,
      outcome: 'settled',
      success,
      answer,
    },
    {
      what: `it is for review, and success is ${JSON.stringify(success)}`,
      run: needsReview,
      outcome: 'review',
      reason: 'the order is unknown',
      success,
      answer,
    },
  ]),
  {
    what: 'the function throws NeedsReview',
    run: needsReview,
    outcome: 'review',
    reason: 'the order is unknown',
  },
  {
    what: 'the parser refuses the body',
    body: DEPOSIT.replace('CONFIRMED', 'NEW').replace(/"depositId":"[^"]*"/, '"depositId":"1"'),
    outcome: 'refused',
    answer: { status: 400, text: 'unknown_value, invalid_id' },
    reason: /status: expected "CONFIRMED", received "NEW"/,
  },
  {
    what: 'the body is for the function of withdrawals, which is missing',
    body: WITHDRAWAL,
    outcome: 'refused',
    answer: { status: 400, text: swapped },
    reason: /callback URLs are swapped/,
  },
  {
    what: 'the body is for the function of deposits, which is missing',
    only: 'onWithdrawalBroadcast',
    outcome: 'refused',
    answer: { status: 400, text: swapped },
    reason: /callback URLs are swapped/,
  },
  {
    what: 'the body is too large',
    body: DEPOSIT.padEnd(65_537),
    outcome: 'refused',
    answer: { status: 413, text: 'body_too_large' },
    reason: /at most 65536/,
  },
  {
    what: 'the body is empty',
    body: '',
    outcome: 'refused',
    answer: { status: 400, text: 'invalid_json' },
    reason: /an empty body/,
  },
  {
    what: 'nothing can be saved after an error',
    run: no,
    store: { save: full },
    outcome: 'failed',
    reason: UNSAVED,
  },
  {
    what: 'nothing can be saved for review, and the store throws without a promise',
    run: fails(new NeedsReview('no')),
    store: { save: throwsFull },
    outcome: 'failed',
    reason: UNSAVED,
  },
  {
    what: 'a refused body can’t be saved',
    body: '{',
    store: { save: full },
    outcome: 'failed',
    reason: /incomplete JSON.* The body was not saved: ENOSPC/,
  },
  {
    what: 'there is no store, and the function throws',
    run: no,
    store: null,
    outcome: 'failed',
    reason: 'no',
  },
  {
    what: 'there is no store, and the event needs review',
    run: needsReview,
    store: null,
    outcome: 'failed',
    reason: 'the order is unknown',
  },
  {
    what: 'there is no store, and the parser refuses the body',
    body: '{',
    store: null,
    outcome: 'refused',
    answer: { status: 400, text: 'invalid_json' },
    reason: /incomplete JSON/,
  },
  { what: 'there is no store to settle with', store: null, outcome: 'settled' },
];

/** A receiver of one kind, and what the row says that it saves and logs. */
function openRow(row: Row, saveFirst?: true) {
  const { run = () => {}, body = DEPOSIT, store, success, outcome, reason = 'settled' } = row;
  const functions = { onDepositReceived: async () => run(), onWithdrawalBroadcast: undefined };
  const swappedFunctions = { onDepositReceived: undefined, onWithdrawalBroadcast: no };
  const recorded = open({
    ...(row.only ? swappedFunctions : functions),
    ...{ store, success, saveFirst },
  } as never);
  const key = body === DEPOSIT && outcome !== 'refused' ? KEY : null;
  const message = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  const isSaved = store !== null && body !== '' && !['settled', 'failed'].includes(outcome);
  return {
    ...recorded,
    body,
    name: nameOf(key ?? 'refused', body),
    expectedLog: [expect.objectContaining({ outcome, key, message })],
    expectedSaved: isSaved
      ? [[outcome === 'retry' ? 'retry' : 'review', message, key, bytes(body)]]
      : [],
  };
}

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each(ROWS)('$outcome: $what', async (row) => {
    const { receiver, body, entries, saved, expectedLog, expectedSaved } = openRow(row);
    const isSuccess = row.outcome === 'settled' || row.outcome === 'review';
    const { answer = isSuccess ? OK : { status: 500, text: 'failed' } } = row;
    expect(await ask(receiver, body)).toStrictEqual(answer);
    expect(entries).toStrictEqual(expectedLog);
    expect(saved()).toStrictEqual(expectedSaved);
  });
});

test.each(ROWS)('settle says what became of a body of a queue. $outcome: $what', async (row) => {
  const { receiver, body, entries, saved, expectedLog, expectedSaved } = openRow(row);
  // Without a store, a body that is refused would be lost with its place in the queue.
  const isLost = row.store === null && row.outcome === 'refused';
  expect(await receiver.settle(body)).toBe(isLost ? 'failed' : row.outcome);
  if (!isLost) expect(entries).toStrictEqual(expectedLog);
  expect(saved()).toStrictEqual(expectedSaved);
});

test.each(ROWS)('a round leaves what it can’t settle. $outcome: $what', async (row) => {
  const { receiver, leave, name, body, entries, saved, expectedLog, expectedSaved } = openRow(row);
  leave(name, body);
  const before = saved();
  await receiver.retry();
  // A body that can't be saved anew stays where it is.
  const isLeft = row.store === null || row.outcome === 'failed';
  expect(entries).toStrictEqual(row.store === null ? [] : expectedLog);
  expect(saved()).toStrictEqual(isLeft ? before : expectedSaved);
});

describe('saveFirst', () => {
  test.each(ROWS.filter(({ store }) => store === undefined))(
    'changes no outcome. $outcome: $what',
    async (row) => {
      const { receiver, body, entries, saved, expectedLog, expectedSaved } = openRow(row, true);
      expect(await receiver.settle(body)).toBe(row.outcome);
      expect([entries, saved()]).toStrictEqual([expectedLog, expectedSaved]);
    },
  );

  test('keeps a body in the store while it is settled, and no round takes it', async () => {
    const slow = held();
    const { receiver, ask, saved } = open({ saveFirst: true, onDepositReceived: slow.run });
    const answered = ask(DEPOSIT);
    await slow.called;
    expect(saved()).toStrictEqual([['retry', 'in progress', KEY, bytes(DEPOSIT)]]);
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
  });
});

test('the name of a saved body is its key, or "refused", and a part of its SHA-256', async () => {
  const withdrawal = withdrawalBroadcastBody({ status: 'FAILED' });
  const { receiver, retry, review } = open({
    onWithdrawalBroadcast: no,
    onDepositReceived: needsReview,
  });
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
  expect(await open({ onDepositReceived: fails(error) }).receiver.settle(DEPOSIT)).toBe('review');
});

describe('text in which bytes may be lost', () => {
  const sent = depositReceivedBody({ clientPaymentId: 'caf\ufffd' });
  const message =
    /^deposit\.received refused: body: expected raw bytes, received text with U\+FFFD or a lone surrogate.* move the body from review to retry \[depositId /;

  test('is refused and saved unchanged, and settled once someone has moved it to retry', async () => {
    const { receiver, ask, calls, retry, saved, leave } = open();
    expect(await ask(sent)).toStrictEqual({ status: 400, text: 'invalid_json' });
    expect(saved()).toStrictEqual([['review', expect.stringMatching(message), null, bytes(sent)]]);
    leave('moved', sent);
    await receiver.retry();
    expect([calls.map(([name]) => name), retry.size]).toStrictEqual([['refused', 'deposit'], 0]);
  });

  test.each([
    ['a lone surrogate', sent.replace('\ufffd', '\ud800'), 'refused'],
    ['U+FFFD in a broken body', sent.slice(0, -1), 'refused'],
    ['bytes of U+FFFD', bytes(sent), 'settled'],
    ['U+FFFD that JSON escapes', sent.replace('\ufffd', '\\ufffd'), 'settled'],
  ])('is found in text alone: %s', async (_, body, outcome) => {
    expect(await open().receiver.settle(body)).toBe(outcome);
  });
});
