import { Decimal } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patientTests } from '../../src/testing/handler-tests.js';
import { FAULTS } from './handler-faults.js';
import { failuresOf, type Move, merchant, NO_WAIT, type Parts, RIGHT } from './merchant.js';

describe('a fault is found', () => {
  const rows = Object.entries(FAULTS).flatMap(([name, faults]) =>
    faults.map((fault) => [name, ...fault] as const),
  );
  test.each(rows)('%s: %s', async (name, _, parts, cause) => {
    const tests = patientTests(merchant(parts), NO_WAIT);
    const finder = tests.find((one) => one.name === name);
    await expect(finder?.run()).rejects.toThrow(cause);
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
  const failures = await failuresOf(
    merchant({
      moveOf(one, context) {
        const move = RIGHT.moveOf(one, context);
        return { ...move, amount: move.amount?.toDecimalPlaces(8) ?? null };
      },
    }),
  );
  const error = failures['withdrawal: 18 decimals are debited exactly'];
  const [, digits = '', seed] = /-(\w{12}):COMPLETED .*seed (\d+)/.exec(error?.message ?? '') ?? [];
  expect(Number.parseInt(digits, 16)).toBe(Number(seed));
  expect(error?.message).toBe(
    `withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-${digits}:COMPLETED (6543.219876543219876543, every amount as a number, seed ${seed}): expected -6543.219876543219876543 XRP, received -6543.21987654 XRP. The amount was rounded to 8 decimals. Look for toFixed(8), toDecimalPlaces(8), or a column such as numeric(20,8)`,
  );
  // For the runner's diff.
  expect(error).toMatchObject({
    expected: '-6543.219876543219876543 XRP',
    actual: '-6543.21987654 XRP',
  });
});

/** How a test fails, without the name of what was sent. */
async function failureOf(options: Partial<HandlerTestsOptions>, name: string) {
  const failures = await failuresOf({ ...merchant(), ...options }, (one) => one === name);
  return failures[name]?.message.replace(/^.*?\(.*?seed \d+\): /, '');
}

const FIRST = 'deposit: the plainest one is credited';

test('a failure without a likely cause ends with what was received', async () => {
  const atMost = ({ amount }: Move) => amount && Decimal.min(amount, '99999999.99');
  const moveOf: Parts['moveOf'] = (one, context) => {
    const move = RIGHT.moveOf(one, context);
    return { ...move, amount: atMost(move) };
  };
  expect(await failureOf(merchant({ moveOf }), 'deposit: 28 digits are credited exactly')).toMatch(
    /, received \+99999999\.99 BTC$/,
  );
});

/** An endpoint that always answers with one status. */
const answers =
  (status: number, text = ''): HandlerTestsOptions['fetch'] =>
  async () => ({ status, text: async () => text });
const FAILS = () => Promise.reject(new Error('connect ECONNREFUSED'));

describe('the first test says what to do', () => {
  const STATUS = 'expected a status of 2xx, received';
  const UNMOVED = 'expected +1.75 BTC, received no change.';
  const unknown = merchant({ requiresOrder: true });

  test.each<[string, Partial<HandlerTestsOptions>, string]>([
    [
      'nothing listens',
      { fetch: FAILS },
      `${STATUS} connect ECONNREFUSED. Check that your server runs at the host and the port of url, and answers every request`,
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
    ['a kept that fails', { kept: () => Promise.reject('closed') }, 'kept: closed'],
  ])('%s', async (_, options, message) => {
    expect(await failureOf(options, FIRST)).toBe(message);
  });

  test('and while it fails, the others of its type are not run', async () => {
    const { fetch, ...others } = merchant();
    let isUp = false;
    const post: typeof fetch = (...given) =>
      isUp ? (fetch?.(...given) ?? Promise.reject()) : Promise.reject(new Error('down'));
    const tests = patientTests({ ...others, fetch: post }, NO_WAIT);
    const resultsOf = async () =>
      (await Promise.allSettled(tests.map(({ run }) => run()))).map((result) =>
        result.status === 'rejected' ? String(result.reason.message) : 'passed',
      );
    const results = await resultsOf();
    expect(results.filter((result) => result.includes('your server runs'))).toHaveLength(2);
    expect(results.filter((result) => result.startsWith('not run: '))).toHaveLength(
      tests.length - 2,
    );
    expect(results[1]).toBe(`not run: "${FIRST}" fails`);
    isUp = true;
    expect(new Set(await resultsOf())).toEqual(new Set(['passed']));
  });

  test('copies that wait for each other', async () => {
    const never = () => new Promise<never>(() => {});
    const name = 'deposit: five copies at the same time are credited once';
    expect(await failureOf({ fetch: never, timeoutMs: 1 }, name)).toMatch(
      /received no answer within 1 ms\. What arrives at the same time waits for each other, or for a connection\. /,
    );
  });
});

describe('what is wrong with the options is named', () => {
  test.each([
    ['', 'an empty string'],
    ['many', '"many"'],
    [[{ count: '1' }], 'an array'],
  ])('%j as kept', async (value, received) => {
    const kept = async () => value as never;
    const message = await failureOf({ kept }, FIRST);
    expect(message).toBe(`kept: expected a whole number, received ${received}`);
  });

  test('an amountOf that holds what the handler moves', async () => {
    const amountOf = () => ({ currency: 'BTC', amount: null });
    const doubled = merchant({ add: (before, amount) => RIGHT.add(before, amount.times(2)) });
    expect(await failureOf({ ...doubled, amountOf }, FIRST)).toMatch(
      /expected no change, received \+3\.5 BTC\. It moved, though its amount is null, or amountOf returns null$/,
    );
  });

  const failureOfFirst = (options: Partial<HandlerTestsOptions>) => failureOf(options, FIRST);

  test('a number as balance', async () => {
    const balance = async () => 0.1 as never;
    expect(await failureOfFirst({ balance })).toBe(
      'balance: expected decimal text, received the number 0.1, which may have lost digits. Cast it in the query: sum(amount)::text',
    );
  });

  test.each([
    ['1,5', '"1,5"'],
    [[{ sum: '1' }], 'an array'],
    ['0.750.75', '"0.750.75". Amounts were joined as strings. Add them as Decimal'],
  ])('%j as balance', async (value, received) => {
    expect(await failureOfFirst({ balance: async () => value as never })).toBe(
      `balance: expected decimal text, received ${received}`,
    );
  });

  test('a kept that is null, though faulty bodies are accepted', async () => {
    const options = { ...merchant({ refused: { status: 200, text: '' } }), kept: null };
    const name = 'deposit: faulty bodies move nothing, and are refused';
    expect(await failureOf(options, name)).toMatch(
      /received 200\. Store a faulty body for review, and answer 400\. If you answer with success, pass kept$/,
    );
  });

  test('a balance with the opposite sign', async () => {
    const { balance, ...others } = merchant();
    const negated = async (currency: string) =>
      new Decimal((await balance(currency)) ?? 0).negated().toString();
    expect(await failureOfFirst({ ...others, balance: negated })).toMatch(
      /The sign is wrong\. balance returns credits minus debits$/,
    );
  });

  test('a balance that something else changes', async () => {
    let calls = 0;
    const { balance, ...others } = merchant();
    const disturbed = async (currency: string) =>
      new Decimal((await balance(currency)) ?? 0).plus(calls++ / 8);
    expect(await failureOf({ ...others, balance: disturbed }, FIRST)).toMatch(
      /expected \+1\.75 BTC, received \+2\.125 BTC, \+0\.375 EUR, \+0\.375 USDC$/,
    );
  });

  test('a balance that changes after the last answer', async () => {
    const { balance, prepare, ...others } = merchant();
    let calls = 0;
    const late = async (currency: string) => {
      calls += 1;
      return new Decimal((await balance(currency)) ?? 0).plus(calls > 9 ? 1 : 0);
    };
    expect(await failureOf({ ...others, balance: late, prepare }, FIRST)).toBe(
      'all bodies of this test: expected no more changes, received +1 BTC, +1 EUR, +1 USDC. Something moved after its answer. Look for work that is done twice',
    );
  });

  test('a breakDatabase that breaks nothing', async () => {
    const unbroken = { ...merchant(), breakDatabase: async () => async () => {} };
    const failures = await failuresOf(unbroken, (name) => /the (keys|balances) failed/.test(name));
    expect(Object.keys(failures)).toHaveLength(8);
    for (const { message } of Object.values(failures)) {
      expect(message).toMatch(
        /received one\. Either breakDatabase broke nothing that the handler uses, or the money was committed before an error that was caught/,
      );
    }
  });

  test('fields that make a body invalid', async () => {
    expect(await failureOfFirst({ deposit: () => ({ depositId: 'x' }) })).toBe(
      'deposit or withdrawal: expected fields of a valid body, but depositId: expected a UUID, received a string of length 1',
    );
  });

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
      'unknown option "secret". The options are url, balance, kept, breakDatabase, prepare, receives, amountOf, deposit, withdrawal, headers, timeoutMs, fetch',
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

describe('a race', () => {
  const NAME = 'deposit: five copies at the same time are credited once';
  afterEach(() => void vi.useRealTimers());

  test.each([
    [30, 10],
    [5, 200],
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
