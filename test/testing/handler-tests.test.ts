import { Decimal, type PaymentNotification } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { patientTests } from '../../src/testing/handler-tests.js';
import { FAULTS } from './handler-faults.js';
import { failuresOf, type Move, merchant, NO_WAIT, type Parts, RIGHT } from './merchant.js';

describe('a fault is found', () => {
  test.each(FAULTS)('%s: %s', async (name, _, parts, cause) => {
    const tests = patientTests(merchant(parts), NO_WAIT);
    const finder = tests.find((one) => one.name === name);
    await expect(finder?.run()).rejects.toThrow(cause);
  });

  test('by each test, of deposits or of withdrawals', () => {
    const behaviorOf = (name: string) =>
      name.replace(/^\w+: /, '').replace(/(cred|deb)ited/g, 'moved');
    const found = new Set(FAULTS.map(([name]) => behaviorOf(name)));
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

describe('the first test says what to do', () => {
  const answer = (status: number) => async () => new Response(null, { status });
  const SUCCESS = 'expected a status from 200 to 299, received';
  const UNMOVED = 'expected +1.75 BTC, received 0 BTC.';
  const unknown = merchant({ requiresOrder: true });

  test.each<[string, Partial<HandlerTestsOptions>, string]>([
    [
      'nothing listens',
      { fetch: () => Promise.reject(new Error('connect ECONNREFUSED')) },
      `${SUCCESS} connect ECONNREFUSED. Start your server, and check the host and the port of url`,
    ],
    [
      'a wrong secret',
      { fetch: answer(404) },
      `${SUCCESS} 404. Check the path of url, and the secret in it`,
    ],
    [
      'a failure',
      { fetch: async () => new Response('\u001b[2J'.repeat(99), { status: 500 }) },
      `${SUCCESS} 500 ${'\\u001b[2J'.repeat(50)}. See the log of your server, and check that prepare inserts the order`,
    ],
    [
      'a failure without prepare',
      { fetch: answer(500), prepare: undefined },
      `${SUCCESS} 500. Pass prepare, which inserts the order. If there are no orders, see the log of your server`,
    ],
    [
      'no prepare, and the body is kept',
      { ...unknown, prepare: undefined },
      `${UNMOVED} The body was kept for review, because its order is unknown. Pass prepare, which inserts it`,
    ],
    [
      'no prepare, and the body is dropped',
      { fetch: answer(200), prepare: undefined },
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
    expect(results.filter((result) => result.includes('Start your server'))).toHaveLength(2);
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

  test.each([
    ['deposit: faulty bodies move nothing, and are kept', 0, 'Check that the handler runs'],
    ['deposit: copies are credited once if the keys failed', 0, 'Check that the handler runs'],
    ['withdrawal: FAILED debits nothing', 404, 'Check the URL and its secret, and whether'],
  ])('a later one: %s: %s', async (name, status, cause) => {
    const fetch = status === 0 ? () => Promise.reject(new Error('closed')) : answer(status);
    expect(await failureOf({ fetch }, name)).toContain(cause);
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

  test('the field, if amountOf rounds', async () => {
    const rounding =
      (field: 'actualDepositAmount' | 'expectedDepositAmount') => (one: PaymentNotification) => {
        const isDeposit = one.type === 'deposit.received';
        const amount = isDeposit ? one[field] : one.actualWithdrawAmount;
        const currency = `${isDeposit ? one.depositCurrency : one.withdrawCurrency}`;
        return { currency, amount: amount?.toDecimalPlaces(8, Decimal.ROUND_DOWN) ?? null };
      };
    const moveOf: Parts['moveOf'] = (one, context) => ({
      ...RIGHT.moveOf(one, context),
      ...rounding('expectedDepositAmount')(one),
    });
    const options = { ...merchant({ moveOf }), amountOf: rounding('actualDepositAmount') };
    expect(await failureOf(options, 'deposit: 28 digits are credited exactly')).toMatch(
      /received \+1230864186\.45308641 BTC\. This is expectedDepositAmount\. /,
    );
  });

  test('an amountOf that holds what the handler moves', async () => {
    const amountOf = () => ({ currency: 'BTC', amount: null });
    const doubled = merchant({ add: (before, amount) => RIGHT.add(before, amount.times(2)) });
    expect(await failureOf({ ...doubled, amountOf }, FIRST)).toMatch(
      /expected 0 BTC, received \+3\.5 BTC\. It moved, though amountOf returns amount: null$/,
    );
    expect(await failureOf({ amountOf }, FIRST)).toMatch(
      /expected 0 BTC, received \+1\.75 BTC\. This is actualDepositAmount$/,
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
      /received 200\. The handler accepts a faulty body, and kept is null\. /,
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
    ['a fast database', 10, 0, 30],
    ['a database that takes 20 ms', 20, 0, 10],
    ['a database that takes 100 ms', 100, 0, 3],
    ['copies that take 3 s each', 0, 3_000, 1],
  ])('on %s', async (_, balanceMs, copyMs, rounds) => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
    const { balance, fetch, ...others } = merchant();
    const post = vi.fn<NonNullable<typeof fetch>>((url, request) => {
      pass(copyMs);
      return fetch?.(url, request) ?? Promise.reject();
    });
    const slow = async (currency: string) => {
      pass(balanceMs);
      return balance(currency);
    };
    const tests = handlerTests({ ...others, balance: slow, fetch: post });
    await tests.find(({ name }) => name === NAME)?.run();
    expect(post.mock.calls.length / 5).toBe(rounds);
  });
});

test('an answer that quotes the URL is shown without its secret', async () => {
  const url = 'http://127.0.0.1:1/callbacks/a-secret-of-the-test';
  const answer = async () => ({
    status: 404,
    text: async () => `Cannot POST ${new URL(url).pathname}`,
  });
  const [first] = handlerTests({ ...merchant(), url, fetch: answer });
  await expect(first?.run()).rejects.toThrow('404 Cannot POST /callbacks/a-se…');
});
