import { Decimal, parseDepositReceived } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { poll } from '../../../src/testing/handler/balances.js';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { credits, moves } from './fault-parts.js';
import { FAULTS } from './faults.js';
import { failuresOf, merchant, NO_WAIT, textOf } from './merchant.js';

describe('a fault is found', () => {
  const rows = Object.entries(FAULTS).flatMap(([name, faults]) =>
    faults.map((fault) => [name, ...fault] as const),
  );
  test.each(rows)('%s: %s', async (name, _, parts, cause) => {
    const tests = patientTests(merchant(parts), NO_WAIT);
    const finder = tests.find((one) => one.name === name);
    await expect(finder?.run()).rejects.toThrow(cause);
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
      'expected +0.129 BTC, received +0.1289999 BTC. The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision',
    );
  });

  test('by each test, of deposits or of withdrawals', () => {
    const behaviorOf = (name: string) =>
      name.replace(/^\w+: /, '').replace(/(cred|deb)ited/g, 'moved');
    const found = new Set(Object.keys(FAULTS).map(behaviorOf));
    const names = handlerTests(merchant()).map(({ name }) => name);
    expect(names.filter((name) => !found.has(behaviorOf(name)))).toEqual([]);
  });
});

test('a failure says what was sent, what was expected and received, and the likely cause', async () => {
  const failures = await failuresOf(merchant(credits((amount) => amount.toFixed(8))));
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
  const failures = await failuresOf({ ...merchant(), ...options }, (one) => one === name);
  return failures[name]?.message.replace(/^.*?\(.*?seed \d+\): /, '');
}

const FIRST = 'deposit: the plainest one is credited';

/** An endpoint that always answers with one status. */
const answers =
  (status: number, text = ''): HandlerTestsOptions['fetch'] =>
  async () => ({ status, text: async () => text });

/** A balance that differs from the right one after some readings. */
function balanceWith(changeOf: (balance: Decimal, calls: number) => Decimal) {
  const { balance, ...others } = merchant();
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
  const unknown = merchant({ requiresOrder: true });

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
      `${STATUS} 404. Check the path of url and the secret in it, and whether prepare inserts the order`,
    ],
    [
      'a failure',
      { fetch: answers(500, '\u001b[2J'.repeat(99)) },
      `${STATUS} 500 ${'\\u001b[2J'.repeat(50)}. See the log of your server, and check that prepare inserts the order`,
    ],
    [
      'a failure without prepare',
      { fetch: answers(500), prepare: undefined },
      `${STATUS} 500. Pass prepare, which inserts the order. If there are no orders, see the log of your server`,
    ],
    [
      'no prepare, and the body is kept',
      { ...unknown, prepare: undefined },
      `${UNMOVED} The body was kept for review, because its order is unknown. Pass prepare, which inserts it`,
    ],
    [
      'no prepare, and the body is dropped',
      { fetch: answers(200), prepare: undefined },
      `${UNMOVED} Nothing moved. Pass prepare, which inserts the order. If there are no orders, check that balance reads what your handler changes`,
    ],
    [
      'a prepare that inserts nothing',
      { ...unknown, prepare: async () => {} },
      `${UNMOVED} The body was kept for review. Check that prepare inserts the order that your handler looks up. If you keep it on purpose, return amount: null in amountOf`,
    ],
    [
      'the balances of another table',
      { balance: async () => null },
      `${UNMOVED} Nothing moved. Check that balance reads what your handler changes, and that prepare inserts what it updates. Otherwise, an error was caught, the answer came before the work, or a worker gave up`,
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
      'expected +1.75 BTC, received -1.75 BTC. The sign is wrong. balance returns credits minus debits',
    ],
    [
      'a balance that something else changes',
      balanceWith((balance, calls) => balance.plus(calls / 8)),
      'expected +1.75 BTC, received +2.125 BTC, +0.375 EUR, +0.375 USDC',
    ],
    [
      'a balance that changes after the last answer',
      balanceWith((balance, calls) => balance.plus(calls > 15 ? 1 : 0)),
      'all bodies of this test so far: expected no more changes, received +1 BTC, +1 EUR, +1 USDC. Something moved after its answer. Look for work that is done twice',
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
      'expected no change, received +1.75 BTC. It moved, though its amount is null, or amountOf returns null',
    ],
    [
      'fields that make a body invalid',
      { deposit: () => ({ depositId: 'x' }) },
      'deposit or withdrawal: expected fields of a valid body, but depositId: expected a UUID, received a string of length 1',
    ],
    [
      'a change that has no likely cause',
      merchant(moves(() => ({ amount: new Decimal('99999999.99') }))),
      'expected +1.75 BTC, received +99999999.99 BTC',
    ],
    [
      'a kept that is null, though faulty bodies are accepted',
      { ...merchant({ refused: { status: 200, text: '' } }), kept: null },
      'expected a status of 4xx, received 200. Store a faulty body for review, and answer 400. If you answer with success, pass kept',
      'deposit: faulty bodies move nothing, and are refused',
    ],
    [
      'copies that wait for each other',
      { fetch: () => new Promise(() => {}), timeoutMs: 1 },
      `${STATUS} no answer within 1 ms. What arrives at the same time waits for each other, or for a connection. Use one connection to the database for each request, and release it even after an error`,
      'deposit: five copies at the same time are credited once',
    ],
  ])('%s', async (_, options, message, name) => {
    expect(await failureOf(options, name)).toBe(message);
  });

  test.each([
    ['text', String],
    ['a bigint', BigInt],
  ])('but nothing of a kept that is %s', async (_, write) => {
    const { kept, ...others } = merchant();
    const written = async () => write((await kept?.()) ?? Number.NaN);
    const name = 'deposit: faulty bodies move nothing, and are kept';
    expect(await failureOf({ ...others, kept: written }, name)).toBeUndefined();
  });

  test('a breakDatabase that breaks nothing', async () => {
    const unbroken = { ...merchant(), breakDatabase: async () => async () => {} };
    const failures = await failuresOf(unbroken, (name) => /the (keys|balances) failed/.test(name));
    expect(Object.keys(failures)).toHaveLength(8);
    for (const { message } of Object.values(failures)) {
      expect(message).toMatch(
        /expected no change while the database fails, received one\. Either breakDatabase broke nothing that the handler uses, or the money was committed before an error that was caught/,
      );
    }
  });

  test('an option that fails, with its error as the cause', async () => {
    const cause = new Error('no permission');
    const options = { ...merchant(), breakDatabase: () => Promise.reject(cause) };
    const name = 'deposit: is credited once if the keys failed';
    const failures = await failuresOf(options, (one) => one === name);
    expect(failures[name]).toStrictEqual(new Error('breakDatabase: no permission', { cause }));
    expect(failures[name]?.cause).toBe(cause);
  });
});

describe('while its first test fails', () => {
  test.each(['deposit', 'withdrawal'])('no other %s test is run, nor one of both', async (noun) => {
    const down = new Error('down');
    let isDown = true;
    const options = merchant({
      around: (handle, _, body) =>
        isDown && textOf(body).includes(`"${noun}Id"`) ? Promise.reject(down) : handle(),
    });
    const tests = patientTests(options, NO_WAIT);
    const resultsOf = async () => {
      const results = await Promise.allSettled(tests.map(({ run }) => run()));
      return results.map((one) => (one.status === 'fulfilled' ? 'passed' : one.reason.message));
    };
    const first = `${noun}: the plainest one is ${noun === 'deposit' ? 'credited' : 'debited'}`;
    const expected = tests.map(({ name }) => {
      if (name === first) return expect.stringContaining('received down. Check that your server');
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
    [{ prepare: [] }, 'prepare: expected a function, received an array'],
    [
      { breakDatabase: undefined },
      'breakDatabase: expected a function, or null to skip its tests, received nothing. Make one part of the database fail, and return a function that mends it',
    ],
    [
      { kept: undefined },
      'kept: expected a function, or null to skip its tests, received nothing. Return how many bodies wait for review',
    ],
    [
      { secret: null },
      'secret: unknown option. Expected url, balance, kept, breakDatabase, prepare, receives, amountOf, deposit, withdrawal, headers, timeoutMs, fetch',
    ],
    [{ amountOf: 'BTC' }, 'amountOf: expected a function, received "BTC"'],
    [{ deposit: {} }, 'deposit: expected a function, received an object'],
    [{ withdrawal: {} }, 'withdrawal: expected a function, received an object'],
    [
      { receives: 'deposits' },
      'receives: expected deposit.received or withdrawal.broadcast, received "deposits"',
    ],
  ])('%j', (options, message) => {
    const all = { ...merchant(), ...options } as HandlerTestsOptions;
    expect(() => handlerTests(all)).toThrow(new TypeError(message));
  });

  test('a URL from a function is read when a test runs', async () => {
    const { url, ...others } = merchant();
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
      await expect(first?.run()).rejects.toThrow('It moved 2 times');
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
    [7, 200],
    [1, 6_000],
  ])('has %i rounds if each copy takes %i ms', async (rounds, copyMs) => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const { fetch, ...others } = merchant();
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
  const [first] = handlerTests({ ...merchant(), url, fetch });
  await expect(first?.run()).rejects.toThrow('404 Cannot POST /callbacks/a-se…');
});
