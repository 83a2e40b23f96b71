import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { NeedsReview, type ReceiverSettings, type SavedBody } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { LAST_TURNS } from '../../src/shared/deadline.js';
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
  type OwnOptions,
  open,
  SECRET,
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
  expect(entries).toStrictEqual([
    { outcome: 'warning', key: KEY, message: WARNING, issue },
    { outcome: 'settled', key: KEY, message: 'settled' },
  ]);
});

test('gets an entry only after the body is saved', async () => {
  const slow = held();
  const save = ({ to }: SavedBody) => (to === 'retry' ? slow.run() : Promise.resolve());
  const { ask, entries } = open({ onDepositReceived: no, store: { save } });
  const answered = ask(UNUSUAL);
  await slow.called;
  await settleDown();
  expect(entries).toStrictEqual([]);
  slow.resolve();
  await answered;
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['warning', 'retry']);
});

const pg = { code: '23502', detail: 'Failing row contains (customer-7, 0.5).' };

test.each<[what: string, thrown: unknown, line: RegExp]>([
  ['review', new NeedsReview('no order'), /^review: KEY: no order$/],
  ['an error with a code', Object.assign(new Error('no'), pg), /^retry: KEY: no \(23502\)$/],
  ['a bug, with its stack', new TypeError('a bug'), /^retry: KEY: a bug(\n +at .+)+$/],
  ['a forged line', new Error('a\u2028retry: b'), /^retry: KEY: a\\u2028retry: b(\n +at .+)+$/],
  ['a forged call', new Error('a\n at b\u001b'), /^retry: KEY: a(\n {4}at .+)+$/],
  [
    'a forged call, in an error with a cause',
    new Error('a\n at b', { cause: new Error('c') }),
    /^retry: KEY: a: c(\n {4}at .+)+$/,
  ],
  [
    'a message that is no text',
    Object.assign(new Error(), { message: Object.create(null) }),
    /^retry: KEY: an error that has no readable message$/,
  ],
  ['a proxy that was revoked', revoked(), /^retry: KEY: an error that has no readable message$/],
  ['no stack', Object.assign(new Error('no'), { stack: 1 }), /^retry: KEY: no$/],
  [
    'an error of another realm, with its stack',
    runInNewContext("new Error('no')"),
    /^retry: KEY: no(\n +at .+)+$/,
  ],
  [
    'a message that has changed since the error was made',
    Object.assign(new Error('no'), { stack: 'Error: lunch at 12\n    at settle (a.js:1:2)' }),
    /^retry: KEY: no\n {4}at settle \(a\.js:1:2\)$/,
  ],
  ['no body', new Error(`no\n${DEPOSIT}`), /^retry: KEY: no(\n {4}at .+)+$/],
  ['text', 'no', /^retry: KEY: no$/],
  ['nothing', null, /^retry: KEY: null$/],
])('by default, prints a line of %s', async (_, thrown, expected) => {
  await open({ log: undefined, onDepositReceived: fails(thrown) }).ask(DEPOSIT);
  const [[line] = [], ...others] = printed.error.mock.calls;
  expect(`${line}`.replace(KEY, 'KEY')).toMatch(expected);
  expect(others).toStrictEqual([]);
});

test.each<[what: string, own: OwnOptions, line: RegExp]>([
  ['refused', {}, /^refused: notification refused: [^\n]+$/],
  ['failed, with the stack of a bug', { store: { save: no } }, /^failed: [^\n]+(\n +at .+)+$/],
])('by default, prints a line without a key: %s', async (_, own, expected) => {
  await open({ log: undefined, ...own }).ask('{');
  expect(printed.error.mock.calls).toStrictEqual([[expect.stringMatching(expected)]]);
});

test('by default, prints a warning, and nothing of a settled event', async () => {
  await open({ log: undefined }).ask(UNUSUAL);
  expect(printed.warn.mock.calls).toStrictEqual([[`warning: ${KEY}: ${WARNING}`]]);
  expect(printed.error.mock.calls).toStrictEqual([]);
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
test.each<[what: string, body: string, own: Partial<ReceiverSettings>, status: number]>([
  ['log', '{', { log: no }, 400],
  ['console.warn', UNUSUAL, { log: undefined }, 200],
  ['console.error', '{', { log: undefined }, 400],
  ['of a stranger', DEPOSIT, { log: undefined, secret: SECRET }, 404],
])('changes no answer, even if nothing can be printed: %s', async (_, body, own, status) => {
  for (const spy of Object.values(printed)) spy.mockImplementation(throws);
  expect((await open(own).ask(body)).status).toBe(status);
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
  const line = `retry: ${KEY}: no (not logged: log: no result within 5 s)`;
  expect(printed.error.mock.calls).toStrictEqual([[line]]);
});

describe('standard error', () => {
  const flags = ['--import', 'tsx', '--input-type=module', '--eval'];
  const create = (log: string) =>
    `createReceiver({ secret: null, store: null, onDepositReceived() {}, ${log} })`;
  const IMPORT = "import { createReceiver } from './src/receiver/index.ts';";

  test('has one listener, whatever the number of receivers, and none for other logs', async () => {
    const program = `${IMPORT}
      const before = process.stderr.listenerCount('error');
      const count = () => process.stderr.listenerCount('error') - before;
      const counts = [];
      for (const log of ['own', 'default', 'default']) {
        if (log === 'own') ${create('log() {}')};
        else ${create('')};
        counts.push(count());
      }
      console.log(counts.join());`;
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
    expect(stdout).toBe('0,1,1\n');
  });

  test('whose reader has left ends no process', async () => {
    open({ log: undefined });
    process.stderr.emit('error', new Error('EPIPE'));
    const program = `${IMPORT}
      const receiver = ${create('')};
      for await (const _ of process.stdin);
      for (let count = 0; count < 3; count += 1) await receiver.settle('{');
      setImmediate(() => console.log('goes on'));`;
    const child = spawn(process.execPath, [...flags, program]);
    const [exit, printedText] = [once(child, 'exit'), text(child.stdout)];
    child.stderr.destroy();
    await once(child.stderr, 'close');
    child.stdin.end();
    expect([await printedText, await exit]).toStrictEqual(['goes on\n', [0, null]]);
  });
});
