import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parseDepositReceived } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { faultsOf, limitsOf, NOT_UTF_8 } from '../../../src/testing/faults.js';
import { onForm, onParser } from '../../../src/testing/handler/advice.js';
import { poll } from '../../../src/testing/handler/balances.js';
import { plainBody } from '../../../src/testing/handler/events.js';
import { CONTENT_TYPES, eventForms } from '../../../src/testing/handler/forms.js';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { serve } from '../../receiver/setup.js';
import { FAULTS_OF_READING } from './faults-of-reading.js';
import { FAULTS_OF_SETTLING } from './faults-of-settling.js';
import { balanceWith, failureOf, failuresOf, type Handler, NO_WAIT, shop } from './shop.js';

const FAULTS = { ...FAULTS_OF_READING, ...FAULTS_OF_SETTLING };
const STRANGERS = 'deposit: a wrong secret is refused';

/** Stores each body, answers 202, and settles it once somebody has looked. */
function worker(handler: Handler): HandlerTestsOptions {
  const { fetch, balance, kept, ...others } = shop(handler);
  const stored: (() => unknown)[] = [];
  const work = () => setImmediate(() => stored.shift()?.());
  return {
    ...others,
    async fetch(url, request) {
      stored.push(() => fetch?.(url, request));
      return { status: 202, text: async () => '' };
    },
    async balance(currency) {
      work();
      return balance(currency);
    },
    async kept() {
      work();
      return kept?.() ?? 0;
    },
  };
}

/** Runs the test of large bodies with a server that reads them like this. */
async function sendsLarge(
  read: (request: IncomingMessage) => Promise<Buffer>,
  headers?: HandlerTestsOptions['headers'],
) {
  const { fetch, ...others } = shop();
  const port = await serve(async (request, response) => {
    const body = await read(request);
    const { status } = (await fetch?.(`${request.url}`, { body } as never)) ?? { status: 0 };
    response.writeHead(status).end();
  });
  const url = `${others.url}`.replace('127.0.0.1', `127.0.0.1:${port}`);
  const tests = patientTests({ ...others, url, headers }, NO_WAIT);
  const name = 'deposit: a body of 10 kB is credited, and one that arrives in two parts';
  await tests.find((one) => one.name === name)?.run();
}

describe('a fault is found', () => {
  const rows = Object.entries(FAULTS).flatMap(([name, faults]) =>
    faults.map(([fault, ...others]) => ({ name, fault, others })),
  );
  test.each(rows)('$name: $fault', async ({ name, others: [cause, handler, onFaulty] }) => {
    const tests = patientTests(shop(handler, onFaulty), NO_WAIT);
    const finder = tests.find((one) => one.name === name);
    await expect(finder?.run()).rejects.toThrow(cause);
  });

  test.each<[label: string, fits: (given: string, secret: string) => boolean]>([
    ['a wrong secret', () => true],
    ['a secret without its last character', (given, secret) => secret.startsWith(given)],
    ['a secret with one more character', (given, secret) => given.startsWith(secret)],
    ['a secret in upper case', (given, secret) => given.toLowerCase() === secret.toLowerCase()],
    ['no secret', (given) => given === ''],
  ])('by a URL with %s', async (label, fits) => {
    const { fetch, ...others } = shop();
    const right = `${others.url}`;
    const secretIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
    const lax: typeof fetch = async (url, request) =>
      fetch?.(fits(secretIn(url), secretIn(right)) ? right : url, request) ?? Promise.reject();
    const failures = await failuresOf({ ...others, fetch: lax }, (name) => name === STRANGERS);
    const { message = '' } = failures[STRANGERS] ?? {};
    expect(message).toContain(`(sent: ${label}; seed`);
    expect(message).toContain('The handler does not compare the whole secret');
  });

  test('by a server that reads only the first part of a body', async () => {
    const readFirst = async (request: IncomingMessage) => (await once(request, 'data'))[0];
    // Of a large body, the first part is not always all of it.
    await expect(sendsLarge(readFirst)).rejects.toThrow(/in two parts; seed|a body of 10 kB; seed/);
    await sendsLarge(buffer, { 'content-type': null });
  });

  test('of a worker, at the step that it has moved in', async () => {
    const failures = await failuresOf(
      worker(async (call) => {
        if (call.db.keys.has(call.key)) call.db.add(call.move);
        return call.settle();
      }),
      (name) => name === 'deposit: every form of a webhook is credited once',
      { ...NO_WAIT, answeredMs: 5_000 },
    );
    expect(Object.values(failures)[0]?.message).toMatch(
      /sent: again, after every amount as a number; .*received \+0\.75 BTC\. The handler moves money for a known key/,
    );
  });

  test('of a worker, by another event that it settles a bit later', async () => {
    const options = worker(({ db, settle }) => (db.once('first') ? 200 : settle()));
    expect(await failureOf(options)).toContain('Another webhook passes');
  });

  test('when doubles are added to a large balance', async () => {
    let sum = 1e9; // so large that what moves is not even near to what is due
    const failure = await failureOf(
      {
        balance: async (code) => (code === 'BTC' ? `${sum}` : null),
        async fetch(_, { body }) {
          sum += parseDepositReceived(`${body}`).actualDepositAmount.toNumber();
          return { status: 200, text: async () => '' };
        },
      },
      'deposit: cents, halves and thirds are credited exactly',
    );
    expect(failure).toBe(
      'expected +0.129 BTC, received +0.1289999 BTC. The amount was a double, which rounds. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision',
    );
  });

  test('by each test, of deposits or of withdrawals', () => {
    const behaviorOf = (name: string) =>
      name.replace(/^\w+: /, '').replace(/(cred|deb)ited/g, 'moved');
    const found = new Set(Object.keys(FAULTS).map(behaviorOf));
    const names = handlerTests(shop()).map(({ name }) => name);
    const unfound = names.filter((name) => !found.has(behaviorOf(name)));
    expect(new Set(unfound.map(behaviorOf))).toEqual(new Set(['a wrong secret is refused']));
  });
});

test('a failure says what was sent, what was expected and received, and the likely cause', async () => {
  const failures = await failuresOf(
    shop(({ move, settle }) => settle({ amount: move.amount.toFixed(8) })),
  );
  const error = failures['withdrawal: 18 decimals are debited exactly'];
  const [, digits = '', seed] = /-(\w{12}):COMPLETED .*seed (\d+)/.exec(error?.message ?? '') ?? [];
  expect(Number.parseInt(digits, 16)).toBe(Number(seed));
  expect(error?.message).toBe(
    `withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-${digits}:COMPLETED (sent: 6543.219876543219876543, every amount as a number; seed ${seed}): expected -6543.219876543219876543 XRP, received -6543.21987654 XRP. The amount was rounded to 8 decimals. Look for toFixed(8), toDecimalPlaces(8), or a column such as numeric(20,8)`,
  );
  // For the runner's diff.
  expect(error).toMatchObject({
    expected: '-6543.219876543219876543 XRP',
    actual: '-6543.21987654 XRP',
  });
});

test.each(['deposit.received', 'withdrawal.broadcast'] as const)(
  'a parser by hand gets advice for each form and each fault of %s',
  (type) => {
    const body = plainBody(type);
    const forms = [...eventForms(type), ...CONTENT_TYPES].map(([label]) => onForm(label));
    const faults = [...faultsOf(body), ...limitsOf(body)].filter(
      ({ label }) => label !== NOT_UTF_8,
    );
    for (const advice of [...forms, ...faults.map(({ label }) => onParser(label))]) {
      expect(advice).toMatch(/\. [A-Z].*\. Or use createReceiver$/);
    }
    expect(onParser()).toMatch(/package\. Use createReceiver$/);
  },
);

describe('while its first test fails', () => {
  test.each(['deposit', 'withdrawal'])('no other %s test is run, nor one of both', async (noun) => {
    let isDown = true;
    const { fetch, ...others } = shop();
    const down: typeof fetch = async (url, request) => {
      if (isDown && `${request.body}`.includes(`"${noun}Id"`)) throw new Error('down');
      return fetch?.(url, request) ?? Promise.reject();
    };
    const tests = patientTests({ ...others, fetch: down }, NO_WAIT);
    const resultsOf = async () => {
      const results = await Promise.allSettled(tests.map(({ run }) => run()));
      return results.map((one) => (one.status === 'fulfilled' ? 'passed' : one.reason.message));
    };
    const first = `${noun}: a plain webhook is ${noun === 'deposit' ? 'credited' : 'debited'}`;
    const expected = tests.map(({ name }) => {
      if (name === first) return expect.stringContaining('received down. ');
      const isOther = !name.startsWith(noun) && !name.startsWith('both');
      return isOther ? 'passed' : `not run: "${first}" fails`;
    });
    expect(await resultsOf()).toEqual(expected);
    isDown = false;
    expect(await resultsOf()).toEqual(tests.map(() => 'passed'));
  });
});

describe('a wait', () => {
  afterEach(() => void vi.useRealTimers());

  const TIMES = [0, 1, 3, 7, 15, 31, 63, 127, 227, 327, 427, 527, 627, 727, 827, 927, 1027];

  test.each([
    [0, 1],
    [3, 4],
    // Even if the time is over sooner, there are 16 readings.
    [15, 16],
    [927, 16],
    [928, 17],
  ])('of %i ms has %i readings, with growing pauses', async (forMs, count) => {
    vi.useFakeTimers({ now: 0 });
    const readings: number[] = [];
    const reading = async () => void readings.push(Date.now());
    const done = poll(reading, async () => false, forMs);
    await vi.runAllTimersAsync();
    await done;
    expect(readings).toEqual(TIMES.slice(0, count));
  });

  test('ends with a wrong amount', async () => {
    const readingsIn = async (answeredMs: number) => {
      const options = balanceWith((balance) => balance.times(2));
      const balance = vi.fn(options.balance);
      const [first] = patientTests({ ...options, balance }, { ...NO_WAIT, answeredMs });
      await expect(first?.run()).rejects.toThrow('The amount was moved 2 times');
      return balance.mock.calls.length;
    };
    expect(await readingsIn(15)).toBe(await readingsIn(0));
  });
});

describe('a race', () => {
  const NAME = 'deposit: five copies at the same time are credited once';
  afterEach(() => void vi.useRealTimers());

  test.each([
    [30, 10],
    // 1, then 2, then 4: the orders of several rounds are inserted at once.
    [7, 200],
    [1, 6_000],
  ])('has %i rounds if each copy takes %i ms', async (rounds, copyMs) => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const { fetch, ...others } = shop();
    const post = vi.fn<NonNullable<typeof fetch>>((url, request) => {
      vi.setSystemTime(Date.now() + copyMs);
      return fetch?.(url, request) ?? Promise.reject();
    });
    const tests = handlerTests({ ...others, fetch: post });
    await tests.find(({ name }) => name === NAME)?.run();
    expect(post.mock.calls.length / 5).toBe(rounds);
  });
});
