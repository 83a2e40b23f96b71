import { runInNewContext } from 'node:vm';
import { NeedsReview, type ReceiverSettings, type SavedBody } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { LAST_TURNS, within } from '../../src/shared/deadline.js';
import { revoked } from '../sample-bodies.js';
import {
  DEPOSIT,
  FAILED,
  fails,
  held,
  KEY,
  never,
  no,
  OK,
  open,
  settleDown,
  stopClock,
  throws,
  until,
} from './setup.js';

/** With a warning. */
const UNUSUAL = depositReceivedBody().replace(/"F\w+ED"/, '"NEW"');
const WARNING = 'rateType: expected "FIXED" or "FLOATING", received "NEW"';

let printed: Record<'warn' | 'error', MockInstance<(...shown: unknown[]) => void>>;
beforeEach(() => {
  const [warn, error] = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  printed = { warn: warn.mockReturnValue(), error: error.mockReturnValue() };
});
afterEach(() => void vi.restoreAllMocks());

test('gets an entry of each body, and of each warning with its issue', async () => {
  const { ask, entries } = open();
  await ask(UNUSUAL);
  const issue = expect.objectContaining({ code: 'unknown_value', path: ['rateType'] });
  const settled = { outcome: 'settled', key: KEY, message: 'settled' };
  expect(entries).toStrictEqual([
    { outcome: 'warning', key: KEY, message: WARNING, issue },
    settled,
  ]);
});

test('gets an entry only after the body is saved', async () => {
  const slow = held();
  const save = async ({ to }: SavedBody) => (to === 'retry' ? slow.run() : undefined);
  const { ask, entries } = open({ onDepositReceived: no, store: { save } });
  const answered = ask(UNUSUAL);
  await slow.called;
  await settleDown();
  expect(entries).toStrictEqual([]);
  slow.resolve();
  await answered;
  expect(entries).toMatchObject([{ outcome: 'warning' }, { outcome: 'retry' }]);
});

const PG = Object.assign(new Error('no'), { code: '23502', detail: 'customer-7 lacks 0.5' });

const LATE = await within(9, 'db', new Promise(() => {})).catch((error) => error);
const OTHER_REALM = runInNewContext("new Error('no')");
const CHANGED = Object.assign(new Error('no'), {
  stack: 'Error: lunch at 12\n    at settle (a\u001b.js)',
});

test.each<[what: string, thrown: unknown, line: RegExp]>([
  ['review', new NeedsReview('no order'), /^review: KEY: no order$/],
  ['an error with a code', PG, /^retry: KEY: no \(23502\)$/],
  ['a cause with a code', new Error('a', { cause: PG }), /^retry: KEY: a: no \(23502\)$/],
  ['what is late', LATE, /^retry: KEY: db: took longer than 9 ms \(ETIMEDOUT\)$/],
  ['a forged line', new Error('a\u2028retry: b'), /^retry: KEY: a\\u2028retry: b(\n +at .+)+$/],
  ['a forged call', new Error('a\n at b\u001b'), /^retry: KEY: a(\n {4}at .+)+$/],
  ['a proxy that was revoked', revoked(), /^retry: KEY: an error that has no readable message$/],
  ['no stack', Object.assign(new Error('no'), { stack: 1 }), /^retry: KEY: no$/],
  ['an error of another realm, with its stack', OTHER_REALM, /^retry: KEY: no(\n +at .+)+$/],
  ['a message that has changed', CHANGED, /^retry: KEY: no\n {4}at settle \(a\\u001b\.js\)$/],
])('by default, prints a line of %s', async (_, thrown, expected) => {
  await open({ log: undefined, onDepositReceived: fails(thrown) }).ask(DEPOSIT);
  const lines = printed.error.mock.calls.map(([line]) => `${line}`.replace(KEY, 'KEY'));
  expect(lines).toStrictEqual([expect.stringMatching(expected)]);
});

test('by default, prints a warning, nothing of a settled event, and a line without a key', async () => {
  const { ask } = open({ log: undefined });
  await ask(UNUSUAL);
  expect(printed.warn.mock.calls).toStrictEqual([[`warning: ${KEY}: ${WARNING}`]]);
  expect(printed.error.mock.calls).toStrictEqual([]);
  await ask('{');
  const line = expect.stringMatching(/^refused: notification refused: [^\n]+$/);
  expect(printed.error.mock.calls).toStrictEqual([[line]]);
});

test.each([
  [fails(new Error('a\u2028settled: b')), 'a\\u2028settled: b'],
  [throws, 'no'],
])('that fails changes no answer, and its entry is printed in a line', async (log, why) => {
  expect(await open({ log }).ask(UNUSUAL)).toStrictEqual(OK);
  await settleDown();
  expect(printed.error.mock.calls).toStrictEqual([
    [`warning: ${KEY}: ${WARNING} (not logged: ${why})`],
    [`settled: ${KEY}: settled (not logged: ${why})`],
  ]);
});

// A rejection that nobody handles would end the process, and fails the tests.
test.each<[body: string, log: ReceiverSettings['log'], status: number]>([
  ['{', no, 400],
  [UNUSUAL, undefined, 200],
])('changes no answer, even if nothing can be printed: %s', async (body, log, status) => {
  for (const spy of Object.values(printed)) spy.mockImplementation(throws);
  expect((await open({ log }).ask(body)).status).toBe(status);
  await settleDown();
});

test('that hangs delays no settled event, and another answer by five seconds', async () => {
  stopClock();
  const log = vi.fn(never);
  expect(await open({ log }).ask(UNUSUAL)).toStrictEqual(OK);
  log.mockClear();
  const answered = vi.fn();
  const failed = open({ log, onDepositReceived: no }).ask(DEPOSIT).then(answered);
  await until(() => log.mock.calls.length > 0);
  vi.advanceTimersByTime(4999 + LAST_TURNS);
  await settleDown();
  expect(answered).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await failed;
  expect(answered).toHaveBeenCalledWith(FAILED);
  const line = `retry: ${KEY}: no (not logged: log: took longer than 5 s)`;
  expect(printed.error.mock.calls).toStrictEqual([[line]]);
});

test('standard error whose reader has left ends no process, and has one listener', () => {
  open({ log: undefined });
  const count = process.stderr.listenerCount('error');
  open({ log: undefined });
  expect(process.stderr.listenerCount('error')).toBe(count);
  process.stderr.emit('error', new Error('EPIPE'));
});
