import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Decimal, parseDepositReceived } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { poll } from '../../../src/testing/handler/balances.js';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { FAULTS } from './faults.js';
import { customerOf, failuresOf, type Handler, NO_WAIT, right, shop } from './shop.js';

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
    const { fetch, ...others } = shop();
    const server = createServer((request, response) => {
      request.once('data', async (body) => {
        const url = `${others.url}`.replace(/\/callbacks.*/, `${request.url}`);
        const { status } = (await fetch?.(url, { body, headers: {} } as never)) ?? { status: 0 };
        response.writeHead(status).end();
      });
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `${others.url}`.replace('127.0.0.1', `127.0.0.1:${port}`);
    const tests = patientTests({ ...others, url }, NO_WAIT);
    const name = 'deposit: a body of 10 kB is credited, and one that arrives in two parts';
    const ran = tests.find((one) => one.name === name)?.run();
    // Of a large body, the first part is not always all of it.
    await expect(ran).rejects.toThrow(/in two parts; seed|a body of 10 kB; seed/);
    server.close();
  });

  test('of a worker, at the step that it has moved in', async () => {
    const failures = await failuresOf(
      worker(async (call) => {
        if (call.db.keys.has(call.key)) call.db.add(call.move);
        return call.settle();
      }),
      (name) => name === 'deposit: every form of a body is credited once',
      { ...NO_WAIT, answeredMs: 5_000 },
    );
    expect(Object.values(failures)[0]?.message).toMatch(
      /sent: again, after every amount as a number; .*received \+0\.75 BTC\. The handler does not check/,
    );
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

/** How a test fails, without the name of what was sent. */
async function failureOf(options: Partial<HandlerTestsOptions>, name = FIRST) {
  const failures = await failuresOf({ ...shop(), ...options }, (one) => one === name);
  return failures[name]?.message.replace(/^.*?\(.*?seed \d+\): /, '');
}

const FIRST = 'deposit: the plainest one is credited';
const STRANGERS = 'deposit: a wrong secret is refused';

/** Stores each body, answers 202, and settles it once a balance has been read. */
function worker(handler: Handler): HandlerTestsOptions {
  const { fetch, balance, ...others } = shop(handler);
  const stored: (() => unknown)[] = [];
  return {
    ...others,
    async fetch(url, request) {
      stored.push(() => fetch?.(url, request));
      return { status: 202, text: async () => '' };
    },
    async balance(currency) {
      setImmediate(() => stored.shift()?.());
      return balance(currency);
    },
  };
}

/** An endpoint that always answers with one status. */
const answers =
  (status: number, text = ''): HandlerTestsOptions['fetch'] =>
  async () => ({ status, text: async () => text });

/** A balance that differs from the right one after some readings. */
function balanceWith(changeOf: (balance: Decimal, calls: number) => Decimal) {
  const { balance, ...others } = shop();
  let calls = 0;
  const changed = async (code: string) => {
    calls += 1;
    return changeOf(new Decimal((await balance(code)) ?? 0), calls);
  };
  return { ...others, balance: changed };
}

describe('a test says what is wrong with the setup', () => {
  const STATUS = 'expected a status of 2xx, received';
  const UNMOVED = 'expected +1.75 BTC, received no change.';
  const BALANCE = 'balance: expected decimal text, received';
  const KEPT = 'kept: expected a whole number, received';
  // Some drivers return rows without a prototype, which can't become text.
  const ROW = Object.create(null);
  const unknown = shop((call) => (customerOf(call) ? call.settle() : call.keep(200)));

  test.each<[string, Partial<HandlerTestsOptions>, string, name?: string]>([
    [
      'nothing listens',
      { fetch: () => Promise.reject(new Error('connect ECONNREFUSED')) },
      `${STATUS} connect ECONNREFUSED. Check that your server runs at the host and the port of url, and answers every request`,
    ],
    [
      'a server that does not answer',
      { fetch: () => new Promise(() => {}), timeoutMs: 1 },
      `${STATUS} no answer within 1 ms. Check that your server runs at the host and the port of url, and answers every request`,
    ],
    [
      'a wrong secret',
      { fetch: answers(404) },
      `${STATUS} 404. Check the path and the secret in url, and that prepare inserts the order`,
    ],
    [
      'a failure',
      { fetch: answers(500, '\u001b[2J'.repeat(99)) },
      `${STATUS} 500 ${'\\u001b[2J'.repeat(50)}. See your server's log, and check that prepare inserts the order`,
    ],
    [
      'a failure without prepare',
      { fetch: answers(500), prepare: undefined },
      `${STATUS} 500. Pass prepare, which inserts the order. If your handler looks up no order, see your server's log`,
    ],
    [
      'no prepare, and the body is kept',
      { ...unknown, prepare: undefined },
      `${UNMOVED} The webhook was kept for review, because its order is unknown. Pass prepare, which inserts the order`,
    ],
    [
      'no prepare, and the body is dropped',
      { fetch: answers(200), prepare: undefined },
      `${UNMOVED} No balance changed. Pass prepare, which inserts the order. If your handler looks up no order, check that balance reads what it changes`,
    ],
    [
      'a prepare that inserts nothing',
      { ...unknown, prepare: async () => {} },
      `${UNMOVED} The webhook was kept for review. Check that prepare inserts the order that your handler looks up. If you keep it on purpose, return amount: null from amountOf`,
    ],
    [
      'the balances of another table',
      { balance: async () => null },
      `${UNMOVED} No balance changed. Check that balance reads what your handler changes, and that prepare inserts the order that it looks up. Or the handler caught an error, answered before it settled, or its worker stopped`,
    ],
    [
      'a balance that fails',
      { balance: () => Promise.reject(new Error('no such table: balance')) },
      'balance: no such table: balance',
    ],
    ['a prepare that fails', { prepare: () => Promise.reject('closed') }, 'prepare: closed'],
    [
      'a balance as a number',
      { balance: async () => 0.1 as never },
      `${BALANCE} the number 0.1, which may have lost digits. Cast it in the query: sum(amount)::text`,
    ],
    ['a balance with a comma', { balance: async () => '1,5' }, `${BALANCE} "1,5"`],
    ['a balance with its code', { balance: async () => '1.5.0 BTC' }, `${BALANCE} "1.5.0 BTC"`],
    ['a balance after its code', { balance: async () => 'BTC1.5.0' }, `${BALANCE} "BTC1.5.0"`],
    ['a row as balance', { balance: async () => ROW }, `${BALANCE} an object`],
    ['rows as balance', { balance: async () => [{ sum: '1' }] as never }, `${BALANCE} an array`],
    [
      'a joined balance',
      { balance: async () => '0.750.75' },
      `${BALANCE} "0.750.75". Amounts were joined as strings. Add them as Decimal`,
    ],
    [
      'a balance with the opposite sign',
      balanceWith((balance) => balance.negated()),
      'expected +1.75 BTC, received -1.75 BTC. The sign is wrong. balance must return credits minus debits',
    ],
    [
      'a balance that something else changes',
      balanceWith((balance, calls) => balance.plus(calls / 8)),
      'expected +1.75 BTC, received +2.375 BTC, +0.625 EUR, +0.625 USDC, +0.5 BITCOIN. The balances of several currencies changed',
    ],
    [
      'a balance that changes after the last answer',
      balanceWith((balance, calls) => balance.plus(calls > 8 ? 1 : 0)),
      'all bodies of this test so far: expected no more changes, received +1 BTC, +1 EUR, +1 USDC, +1 BITCOIN. A balance changed later than it should have. Look for work that is done twice',
    ],
    ['a kept that fails', { kept: () => Promise.reject('closed') }, 'kept: closed'],
    ['an empty kept', { kept: async () => '' }, `${KEPT} an empty string`],
    ['a text as kept', { kept: async () => 'many' }, `${KEPT} "many"`],
    ['a row as kept', { kept: async () => ROW }, `${KEPT} an object`],
    ['a fraction as kept', { kept: async () => 0.5 }, `${KEPT} 0.5`],
    ['a kept below zero', { kept: async () => '-1' }, `${KEPT} "-1"`],
    [
      'a kept that no number holds exactly',
      { kept: async () => `${2n ** 53n}` },
      `${KEPT} "9007199254740992"`,
    ],
    ['rows as kept', { kept: async () => [{ count: '1' }] as never }, `${KEPT} an array`],
    [
      'an amountOf that holds what the handler moves',
      { amountOf: () => ({ currency: 'BTC', amount: null }) },
      'expected no change, received +1.75 BTC. The balance changed, although the amount is null',
    ],
    [
      'fields that make a body invalid',
      { deposit: () => ({ depositId: 'x' }) },
      'deposit or withdrawal: expected fields of a valid body, but depositId: expected a UUID, received a string of length 1',
    ],
    [
      'an amount that nothing explains',
      shop(({ settle }) => settle({ amount: '99999999.99' })),
      'expected +1.75 BTC, received +99999999.99 BTC. The handler moved another amount. If it converts at a rate, or subtracts or adds a fee, return that amount from amountOf',
    ],
    [
      'a kept that is null, though faulty bodies are accepted',
      { ...shop(right, () => 200), kept: null },
      'expected a status of 4xx, received 200. Store a faulty body for review, and answer 400. If you answer with success, pass kept',
      'deposit: faulty bodies move nothing, and are refused',
    ],
    [
      'copies that wait for each other',
      { fetch: () => new Promise(() => {}), timeoutMs: 1 },
      `${STATUS} no answer within 1 ms. Concurrent requests wait for each other, or for a database connection. Use one connection for each request, and release it even after an error`,
      'deposit: five copies at the same time are credited once',
    ],
  ])('%s', async (_, options, message, name) => {
    expect(await failureOf(options, name)).toBe(message);
  });

  test.each<[string, Partial<HandlerTestsOptions>, message: string | undefined]>([
    [
      'no secret in url',
      { url: 'http://127.0.0.1/callbacks?a=1' },
      'expected a secret of at least 16 characters in its path or query, so',
    ],
    [
      'another secret in url',
      { secret: 'another' },
      'expected the secret in its path or query, so',
    ],
    ['the secret in url', { secret: '0123456789' }, undefined],
  ])('%s', async (_, options, expected) => {
    const message = await failureOf(options, STRANGERS);
    const advice =
      'that nobody else can credit. If a proxy or a signature checks who calls, pass secret: null';
    expect(message).toBe(expected && `url: ${expected} ${advice}`);
  });

  test('but nothing of a URL without a secret, if a proxy checks who calls', () => {
    const options = { ...shop(), url: 'http://127.0.0.1/', secret: null };
    expect(handlerTests(options).filter(({ name }) => /secret/.test(name))).toEqual([]);
  });

  test.each([
    [
      'stops',
      { fetch: () => Promise.reject(new Error('socket hang up')) },
      'socket hang up. Your server closed the connection, or stopped. See its log',
    ],
    [
      'is silent',
      { fetch: () => new Promise<never>(() => {}), timeoutMs: 9 },
      'no answer within 9 ms. The handler never answers this webhook. Answer in every branch, and let errors propagate',
    ],
  ])('a server that has answered before, and then %s', async (_, later, message) => {
    const { fetch, ...others } = shop();
    let requests = 0;
    const options = { ...others, ...later };
    const post: typeof fetch = (url, request) => {
      requests += 1;
      return (requests > 1 ? later.fetch() : fetch?.(url, request)) ?? Promise.reject();
    };
    expect(await failureOf({ ...options, fetch: post })).toBe(
      `expected a status of 2xx, received ${message}`,
    );
  });

  test.each([
    ['text', String],
    ['a bigint', BigInt],
  ])('but nothing of a kept that is %s', async (_, write) => {
    const { kept, ...others } = shop();
    const written = async () => write((await kept?.()) ?? Number.NaN);
    const name = 'deposit: faulty bodies move nothing, and are kept';
    expect(await failureOf({ ...others, kept: written }, name)).toBeUndefined();
  });

  test('a breakDatabase that breaks nothing', async () => {
    const unbroken = { ...shop(), breakDatabase: async () => async () => {} };
    const failures = await failuresOf(unbroken, (name) =>
      /writing (keys|balances) failed/.test(name),
    );
    expect(Object.keys(failures)).toHaveLength(8);
    for (const { message } of Object.values(failures)) {
      expect(message).toMatch(
        /expected no change while the database fails, received one\. Either breakDatabase broke nothing that the handler uses, or the handler committed the money, and caught a later error/,
      );
    }
  });

  test('an option that fails, with its error as the cause', async () => {
    const cause = new Error('no permission');
    const options = { ...shop(), breakDatabase: () => Promise.reject(cause) };
    const name = 'deposit: is credited once after writing keys failed';
    const failures = await failuresOf(options, (one) => one === name);
    expect(failures[name]).toStrictEqual(new Error('breakDatabase: no permission', { cause }));
    expect(failures[name]?.cause).toBe(cause);
  });
});

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
    const first = `${noun}: the plainest one is ${noun === 'deposit' ? 'credited' : 'debited'}`;
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

describe('an invalid option is refused', () => {
  test.each([
    [{ url: undefined }, 'url: expected an http or https URL, received nothing'],
    [{ url: '/callbacks' }, 'url: expected an http or https URL, received "/callbacks"'],
    [
      { balance: undefined },
      'balance: expected a function, received nothing. Return credits minus debits in a currency',
    ],
    [
      { balance: '0' },
      'balance: expected a function, received "0". Return credits minus debits in a currency',
    ],
    [
      { secret: '' },
      'secret: expected the secret in url, or null to skip its test, received an empty string',
    ],
    [{ prepare: [] }, 'prepare: expected a function, received an array'],
    [
      { breakDatabase: undefined },
      'breakDatabase: expected a function, or null to skip its tests, received nothing. Make one part of the database fail, and return a function that repairs it',
    ],
    [
      { kept: undefined },
      'kept: expected a function, or null to skip its tests, received nothing. Return how many bodies wait for review',
    ],
    [
      { token: null },
      'token: unknown option. Expected url, secret, balance, kept, breakDatabase, prepare, receives, amountOf, deposit, withdrawal, headers, timeoutMs, fetch',
    ],
    [{ amountOf: 'BTC' }, 'amountOf: expected a function, received "BTC"'],
    [{ deposit: {} }, 'deposit: expected a function, received an object'],
    [{ withdrawal: {} }, 'withdrawal: expected a function, received an object'],
    [
      { receives: 'deposits' },
      'receives: expected deposit.received or withdrawal.broadcast, received "deposits"',
    ],
  ])('%j', (options, message) => {
    const all = { ...shop(), ...options } as HandlerTestsOptions;
    expect(() => handlerTests(all)).toThrow(new TypeError(message));
  });

  test('a URL from a function is read when a test runs', async () => {
    const { url, ...others } = shop();
    let started = false;
    const tests = handlerTests({ ...others, url: () => (started ? `${url}` : '') });
    started = true;
    await tests[0]?.run();
    started = false;
    await expect(tests[0]?.run()).rejects.toThrow('url: expected an http or https URL');
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

test('an answer that quotes the URL is shown without its secret', async () => {
  const url = 'http://127.0.0.1:1/callbacks/a-secret-of-the-test';
  const fetch = answers(404, `Cannot POST ${new URL(url).pathname}`);
  const [first] = handlerTests({ ...shop(), url, fetch });
  await expect(first?.run()).rejects.toThrow('404 Cannot POST /callbacks/a-se…');
});
