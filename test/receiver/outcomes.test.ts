import { safeParseDepositReceived } from 'payment-notifications';
import {
  createReceiver,
  NeedsReview,
  type Outcome,
  type ReceiverOptions,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, held, KEY, nameOf, OK, recording, SECRET, WAYS } from './options.js';

/** One line of the contract: what happens, and what becomes of the body. */
interface Row {
  readonly what: string;
  /** What the function of a deposit does. Default: it returns. */
  readonly run?: () => unknown;
  readonly body?: string;
  readonly store?: null | Partial<Store>;
  readonly outcome: Outcome;
  readonly status: number;
  readonly text?: string;
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

const fails = (error: unknown) => () => Promise.reject(error);
const full = () => Promise.reject(new Error('ENOSPC: no space left on device'));
const throwsFull = () => {
  throw new Error('ENOSPC: no space left on device');
};
const UNSAVED = /^no\. The body was not saved: ENOSPC: no space left on device$/;

const settled: Row[] = [
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
].map(([what, returned]) => ({
  what: `the function returns ${what}`,
  run: async () => returned,
  outcome: 'settled',
  status: 200,
}));

const failed: Row[] = [
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
].map(([what, returned, reason]) => ({
  what: `the function returns ${what}`,
  run: async () => returned,
  outcome: 'retry',
  status: 500,
  reason: reason as RegExp,
}));

const ROWS: Row[] = [
  ...settled,
  ...failed,
  {
    what: 'the function throws NeedsReview',
    run: fails(new NeedsReview('the order is unknown')),
    outcome: 'review',
    status: 200,
    reason: 'the order is unknown',
  },
  {
    what: 'the function throws an error',
    run: fails(Object.assign(new Error('the database says no'), { status: 200, statusCode: 200 })),
    outcome: 'retry',
    status: 500,
    reason: 'the database says no',
  },
  {
    what: 'the function throws without a promise',
    run: () => {
      throw new Error('no');
    },
    outcome: 'retry',
    status: 500,
    reason: 'no',
  },
  {
    what: 'the function throws an error with a cause',
    run: fails(new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
    outcome: 'retry',
    status: 500,
    reason: 'fetch failed: connect ECONNREFUSED',
  },
  {
    what: 'the function throws an error whose message has its cause',
    run: fails(new Error('not sent: no route', { cause: new Error('no route') })),
    outcome: 'retry',
    status: 500,
    reason: 'not sent: no route',
  },
  {
    what: 'the function throws an error without a message',
    run: fails(new RangeError()),
    outcome: 'retry',
    status: 500,
    reason: 'RangeError',
  },
  {
    what: 'the function throws text',
    run: fails('no'),
    outcome: 'retry',
    status: 500,
    reason: 'no',
  },
  {
    what: 'the function throws what has no text',
    run: fails(Object.create(null)),
    outcome: 'retry',
    status: 500,
    reason: 'an error that has no readable message',
  },
  {
    what: 'the function throws an error of the parser, which has not refused this body',
    run: fails(safeParseDepositReceived('{}').error),
    outcome: 'retry',
    status: 500,
    reason: /^deposit\.received refused: /,
  },
  {
    what: 'the parser refuses the body',
    body: DEPOSIT.replace('CONFIRMED', 'NEW').replace(/"depositId":"[^"]*"/, '"depositId":"1"'),
    outcome: 'refused',
    status: 400,
    text: 'unknown_value, invalid_id',
    reason: /status: expected "CONFIRMED", received "NEW"/,
  },
  {
    what: 'the body is for the other function, which is missing',
    body: withdrawalBroadcastBody(),
    outcome: 'refused',
    status: 400,
    text: 'unrecognized_notification, unknown_value, missing_field',
    reason: /callback URLs are swapped/,
  },
  {
    what: 'the body is too large',
    body: DEPOSIT.padEnd(65_537),
    outcome: 'refused',
    status: 413,
    text: 'body_too_large',
    reason: /at most 65536/,
  },
  {
    what: 'nothing can be saved after an error',
    run: fails(new Error('no')),
    store: { save: full },
    outcome: 'failed',
    status: 500,
    reason: UNSAVED,
  },
  {
    what: 'nothing can be saved for review, and the store throws without a promise',
    run: fails(new NeedsReview('no')),
    store: { save: throwsFull },
    outcome: 'failed',
    status: 500,
    reason: UNSAVED,
  },
  {
    what: 'a refused body can’t be saved',
    body: '{',
    store: { save: full },
    outcome: 'failed',
    status: 500,
    reason: /incomplete JSON.* The body was not saved: ENOSPC/,
  },
  {
    what: 'there is no store, and the function throws',
    run: fails(new Error('no')),
    store: null,
    outcome: 'failed',
    status: 500,
    reason: 'no',
  },
  {
    what: 'there is no store, and the event needs review',
    run: fails(new NeedsReview('no')),
    store: null,
    outcome: 'failed',
    status: 500,
    reason: 'no',
  },
  {
    what: 'there is no store, and the parser refuses the body',
    body: '{',
    store: null,
    outcome: 'refused',
    status: 400,
    text: 'invalid_json',
    reason: /incomplete JSON/,
  },
  { what: 'there is no store to settle with', store: null, outcome: 'settled', status: 200 },
];

/** A receiver of deposits, and what the row says that it saves and logs. */
function open({ run = () => {}, body = DEPOSIT, store = {}, outcome, reason = 'settled' }: Row) {
  const recorded = recording();
  const options: ReceiverOptions = {
    secret: SECRET,
    store: store && { ...recorded.options.store, ...(store as Store) },
    onDepositReceived: async () => run(),
    log: recorded.options.log,
  };
  const key = body === DEPOSIT ? KEY : null;
  const message = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  const saved = [outcome === 'retry' ? 'retry' : 'review', message, key, bytes(body)];
  const isSaved = store !== null && !['settled', 'failed'].includes(outcome);
  return {
    ...recorded,
    receiver: createReceiver(options),
    body,
    name: nameOf(key ?? 'refused', body),
    expectedLog: [expect.objectContaining({ outcome, key, message })],
    expectedSaved: isSaved ? [saved] : [],
  };
}

describe.each(Object.entries(WAYS))('%s', (_, ask) => {
  test.each(ROWS)('$outcome: $what', async (row) => {
    const { receiver, body, entries, saved, expectedLog, expectedSaved } = open(row);
    const { status, text = status === 200 ? 'ok' : 'failed' } = row;
    expect(await ask(receiver, body)).toStrictEqual({ status, text });
    expect(entries).toStrictEqual(expectedLog);
    expect(saved()).toStrictEqual(expectedSaved);
  });
});

test.each(ROWS)('settle says what became of a body of a queue. $outcome: $what', async (row) => {
  const { receiver, body, entries, saved, expectedLog, expectedSaved } = open(row);
  // Without a store, a body that is refused would be lost with its place in the queue.
  const isLost = row.store === null && row.outcome === 'refused';
  expect(await receiver.settle(body)).toBe(isLost ? 'failed' : row.outcome);
  if (!isLost) expect(entries).toStrictEqual(expectedLog);
  expect(saved()).toStrictEqual(expectedSaved);
});

test.each(ROWS)('a round leaves what it can’t settle. $outcome: $what', async (row) => {
  const { receiver, name, body, retry, entries, saved, expectedLog, expectedSaved } = open(row);
  const waiting = ['retry', 'earlier', null, bytes(body)];
  retry.set(name, { to: 'retry', name, reason: 'earlier', key: null, body: bytes(body) });
  await receiver.retry();
  if (row.store === null) {
    expect([entries, saved()]).toStrictEqual([[], [waiting]]);
  } else {
    expect(entries).toStrictEqual(expectedLog);
    // A body that can't be saved anew stays where it is.
    expect(saved()).toStrictEqual(row.outcome === 'failed' ? [waiting] : expectedSaved);
  }
});

test('the name of a saved body is its key, or "refused", and a part of its SHA-256', async () => {
  const withdrawal = withdrawalBroadcastBody({ status: 'FAILED' });
  const { options, retry, review } = recording({
    onWithdrawalBroadcast: fails(new Error('no')),
    onDepositReceived: fails(new NeedsReview('no')),
  });
  const { settle } = createReceiver(options);
  for (const body of [withdrawal, DEPOSIT, '{']) await settle(body);
  const { withdrawalId } = JSON.parse(withdrawal);
  const key = `withdrawal.broadcast.${withdrawalId}.FAILED`;
  expect([...retry.keys()]).toStrictEqual([nameOf(key, withdrawal)]);
  expect([...review.keys()]).toStrictEqual([nameOf(KEY, DEPOSIT), nameOf('refused', '{')]);
});

test('NeedsReview of another copy of the package is recognized', async () => {
  vi.resetModules();
  const other = await import('../../src/receiver/needs-review.js');
  const error = new other.NeedsReview('the order is unknown');
  expect(error).not.toBeInstanceOf(NeedsReview);
  expect(String(error)).toBe('NeedsReview: the order is unknown');
  const { receiver, review } = open({
    ...{ what: '', outcome: 'review', status: 200, run: fails(error) },
  });
  expect(await receiver.settle(DEPOSIT)).toBe('review');
  expect(review.size).toBe(1);
});

test('an empty body is refused and logged, and there is nothing to save', async () => {
  for (const store of [undefined, null]) {
    const { options, calls, saved } = recording(store === null ? { store } : {});
    const answer = await createReceiver(options).receive({ body: '', url: '/' });
    expect(answer).toStrictEqual({ status: 400, text: 'invalid_json' });
    expect(calls).toStrictEqual([['refused', expect.stringContaining('an empty body'), null]]);
    expect(saved()).toStrictEqual([]);
  }
});

describe('text in which bytes may be lost', () => {
  const sent = depositReceivedBody({ clientPaymentId: 'caf\ufffd' });
  const message =
    /^deposit\.received refused: body: expected raw bytes, received text with U\+FFFD or a lone surrogate.* move the body from review to retry \[depositId /;

  test('is refused and saved unchanged, and settled once someone has moved it to retry', async () => {
    const { options, calls, review, retry, saved } = recording();
    const receiver = createReceiver(options);
    const answer = await receiver.receive({ body: sent, url: '/' });
    expect(answer).toStrictEqual({ status: 400, text: 'invalid_json' });
    expect(saved()).toStrictEqual([['review', expect.stringMatching(message), null, bytes(sent)]]);
    const [[name, body] = []] = review;
    if (name && body) retry.set(name, body);
    await receiver.retry();
    expect([calls.map(([name]) => name), retry.size]).toStrictEqual([['refused', 'deposit'], 0]);
  });

  test.each([
    ['a lone surrogate', sent.replace('\ufffd', '\ud800')],
    ['U+FFFD in a broken body', sent.slice(0, -1)],
  ])('is refused, such as %s', async (_, body) => {
    const { options, calls } = recording();
    expect(await createReceiver(options).settle(body)).toBe('refused');
    expect(calls).toHaveLength(1);
  });

  test('is no longer the case for bytes, and for U+FFFD that JSON escapes', async () => {
    const { options } = recording();
    const { settle } = createReceiver(options);
    expect(await settle(bytes(sent))).toBe('settled');
    expect(await settle(sent.replace('\ufffd', '\\ufffd'))).toBe('settled');
  });
});

describe('a success', () => {
  test.each([
    [
      { status: 202, text: 'kept' },
      { status: 202, text: 'kept' },
    ],
    [{ status: 201 }, { status: 201, text: 'ok' }],
    [{ text: '{"success":true}' }, { status: 200, text: '{"success":true}' }],
    [{ status: 204 }, { status: 204, text: '' }],
    [undefined, OK],
  ])('may be another answer: %j', async (success, expected) => {
    for (const run of [async () => {}, fails(new NeedsReview('no'))]) {
      const { options } = recording({ success, onDepositReceived: run });
      expect(await WAYS.fetch(createReceiver(options), DEPOSIT)).toStrictEqual(expected);
    }
  });

  test.each([
    [{ status: 199 }, '199 and a string of length 2'],
    [{ status: 600 }, '600 and a string of length 2'],
    [{ status: 200.5 }, '200.5 and a string of length 2'],
    [{ status: '200' }, '"200" and a string of length 2'],
    [{ text: null }, '200 and null'],
  ])('can’t be an answer that no server can send: %j', (success, received) => {
    const create = () => createReceiver(recording({ success: success as never }).options);
    const message = `success: expected a status of 200 to 599 and a text, received ${received}`;
    expect(create).toThrow(new TypeError(message));
  });
});

describe('saveFirst', () => {
  test('keeps a body in the store while it is settled, and no round takes it', async () => {
    const slow = held();
    const { options, retry, review } = recording({ saveFirst: true, onDepositReceived: slow.run });
    const receiver = createReceiver(options);
    const answered = receiver.receive({ body: DEPOSIT, url: '/' });
    await slow.called;
    expect([...retry.values()].map(({ reason }) => reason)).toStrictEqual(['in progress']);
    await receiver.retry();
    slow.resolve();
    expect(await answered).toStrictEqual(OK);
    expect([retry.size, review.size]).toStrictEqual([0, 0]);
  });

  test.each<[what: string, error: Error, reasons: (string | undefined)[]]>([
    ['a failure stays in retry', new Error('no'), ['no', undefined]],
    ['a body for review moves', new NeedsReview('no'), [undefined, 'no']],
  ])('%s', async (_, error, reasons) => {
    const own = { saveFirst: true, onDepositReceived: fails(error) };
    const { options, retry, review } = recording(own);
    await createReceiver(options).settle(DEPOSIT);
    const name = nameOf(KEY, DEPOSIT);
    expect([retry.get(name)?.reason, review.get(name)?.reason]).toStrictEqual(reasons);
  });

  test('saves a body of a round only once', async () => {
    const { options, retry } = recording({ saveFirst: true });
    const save = vi.fn();
    const name = nameOf(KEY, DEPOSIT);
    retry.set(name, { to: 'retry', name, reason: '', key: null, body: bytes(DEPOSIT) });
    await createReceiver({ ...options, store: { ...(options.store as Store), save } }).retry();
    expect([save.mock.calls, retry.size]).toStrictEqual([[], 0]);
  });

  test.each([
    ['save', ['failed', 'settled']],
    ['remove', ['failed', 'settled']],
  ] as const)('a store that can’t %s stops no event, and is logged', async (name, outcomes) => {
    const recorded = recording({ saveFirst: true });
    const store = { ...(recorded.options.store as Store), [name]: full };
    const { receive } = createReceiver({ ...recorded.options, store });
    expect(await receive({ body: DEPOSIT, url: '/' })).toStrictEqual(OK);
    expect(recorded.entries.map(({ outcome }) => outcome)).toStrictEqual(outcomes);
  });
});
