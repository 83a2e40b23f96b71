import { inspect } from 'node:util';
import { createReceiver, NeedsReview, type ReceiverOptions } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, FAILED, held, KEY, OK, recording } from './options.js';

const ID = '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
/** With a warning. */
const UNUSUAL = depositReceivedBody({ depositId: ID }).replace(/"F\w+ED"/, '"NEW"');
const WARNED = `deposit.received:${ID}`;
const WARNING = 'rateType: expected "FIXED" or "FLOATING", received "NEW"';

const error = new Error('the log says no');
const rejects = () => Promise.reject(error);
const throws = () => {
  throw error;
};

afterEach(() => void vi.restoreAllMocks());

const receive = (options: ReceiverOptions, body = DEPOSIT) =>
  createReceiver(options).receive({ body, url: '/' });

test('gets an entry of each body, and of each warning with its issue', async () => {
  const { options, entries } = recording();
  await receive(options, UNUSUAL);
  const issue = expect.objectContaining({ code: 'unknown_value', path: ['rateType'] });
  expect(entries).toStrictEqual([
    { outcome: 'warning', key: WARNED, message: WARNING, issue },
    { outcome: 'settled', key: WARNED, message: 'settled' },
  ]);
});

test('gets an entry only after the body is saved', async () => {
  const slow = held();
  const { options, entries } = recording({ onDepositReceived: rejects });
  const store = { ...Object(options.store), save: slow.run };
  const answered = receive({ ...options, store }, UNUSUAL);
  await slow.called;
  await new Promise(setImmediate);
  expect(entries).toStrictEqual([]);
  slow.resolve();
  await answered;
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['warning', 'retry']);
});

describe('by default', () => {
  const pg = Object.assign(new Error('null value in column "account"'), {
    code: '23502',
    detail: 'Failing row contains (customer-7, 0.5).',
  });

  test.each<[what: string, thrown: unknown, printed: RegExp]>([
    ['review', new NeedsReview('no order'), /^review: KEY: no order$/],
    ['an error with a code', pg, /^retry: KEY: null value in column "account" \(23502\)$/],
    ['a bug, with its stack', new TypeError('a bug'), /^retry: KEY: a bug(\n +at .+)+$/],
    ['a forged line', new Error('a\nretry: b'), /^retry: KEY: a\\u000aretry: b(\n +at .+)+$/],
    [
      'an error without a stack',
      Object.assign(new Error('no'), { stack: 1 }),
      /^retry: KEY: no\n?$/,
    ],
    ['text', 'no', /^retry: KEY: no$/],
  ])('prints a line of %s', async (_, thrown, printed) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const own = { log: undefined, onDepositReceived: () => Promise.reject(thrown) };
    await receive(recording(own).options);
    expect(print.mock.calls).toHaveLength(1);
    const [[line] = []] = print.mock.calls;
    expect(`${line}`.replace(KEY, 'KEY')).toMatch(printed);
    expect(line).not.toContain('customer-7');
  });

  test('prints a warning, and nothing of a settled event', async () => {
    const [warn, print] = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    warn.mockReturnValue();
    await receive(recording({ log: undefined }).options, UNUSUAL);
    expect(warn.mock.calls).toStrictEqual([[`warning: ${WARNED}: ${WARNING}`]]);
    expect(print.mock.calls).toStrictEqual([]);
  });
});

describe('that fails', () => {
  test.each([rejects, throws])('changes no answer, and its entry is printed', async (log) => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const { calls, options } = recording({ log });
    expect(await receive(options, UNUSUAL)).toStrictEqual(OK);
    expect(calls).toStrictEqual([['deposit', ID, WARNED, bytes(UNUSUAL)]]);
    await new Promise(setImmediate);
    expect(print.mock.calls).toStrictEqual([
      [`warning: ${WARNED}: ${WARNING} (not logged: the log says no)`],
      [`settled: ${WARNED}: settled (not logged: the log says no)`],
    ]);
  });

  test('because it inspects an error that throws, changes no answer', async () => {
    const hostile = Object.defineProperty(new Error('no'), inspect.custom, { value: throws });
    const own = { onDepositReceived: () => Promise.reject(hostile) };
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const log = (entry: unknown) => void inspect(entry);
    expect(await receive(recording({ ...own, log }).options)).toStrictEqual(FAILED);
    expect(print.mock.calls).toStrictEqual([[`retry: ${KEY}: no (not logged: the log says no)`]]);
  });

  test.each<[what: string, body: string, own: Partial<ReceiverOptions>, status: number]>([
    ['log', DEPOSIT, { onDepositReceived: throws, log: rejects }, 500],
    ['console.warn', UNUSUAL, { log: undefined }, 200],
    ['console.error', DEPOSIT, { onDepositReceived: throws, log: undefined }, 500],
  ])('changes no answer, even if nothing can be printed: %s', async (_, body, own, status) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled); // without a listener, it ends the process
    for (const method of ['warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation(throws);
    const answer = await receive(recording(own).options, body);
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(answer.status).toBe(status);
    expect(unhandled.mock.calls).toStrictEqual([]);
  });
});

describe('that hangs', () => {
  const hangs = () => new Promise<never>(() => {});

  test('delays no settled event', async () => {
    expect(await receive(recording({ log: hangs }).options, UNUSUAL)).toStrictEqual(OK);
  });

  test('delays another answer by five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const log = vi.fn(hangs);
    let status = 0;
    const refused = receive(recording({ log }).options, '{').then((answer) => {
      status = answer.status;
    });
    while (log.mock.calls.length === 0) await new Promise(setImmediate);
    vi.advanceTimersByTime(4999);
    await new Promise(setImmediate);
    expect(status).toBe(0);
    vi.advanceTimersByTime(1);
    await refused;
    vi.useRealTimers();
    expect(status).toBe(400);
    expect(print.mock.lastCall?.[0]).toContain('(not logged: log: no result within 5 s)');
  });
});
