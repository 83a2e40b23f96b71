import { Decimal, type PaymentNotification } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { MUTANTS, type Mutant, merchant } from './merchant.js';

/** The tests that fail, with their errors. */
async function failuresOf(options: HandlerTestsOptions): Promise<Record<string, Error>> {
  const failures: Record<string, Error> = {};
  for (const { name, run } of handlerTests(options)) {
    await run().catch((error) => {
      failures[name] = error;
    });
  }
  return failures;
}

describe('a right handler', () => {
  for (const { name, run } of handlerTests(merchant())) test(`passes: ${name}`, run);

  test('passes again, and with all tests at once', async () => {
    const tests = handlerTests(merchant());
    await Promise.all([...tests, ...tests].map(({ run }) => run()));
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
  });

  test('gets the tests of what it receives, and of what can be broken', () => {
    const namesOf = (options: Partial<HandlerTestsOptions>) =>
      handlerTests({ ...merchant(), ...options }).map(({ name }) => name);
    const deposits = namesOf({ receives: 'deposit.received' });
    expect([...deposits, ...namesOf({ receives: 'withdrawal.broadcast' })]).toEqual(namesOf({}));
    const whole = deposits.filter((name) => !name.includes('the database fails'));
    expect(namesOf({ receives: 'deposit.received', breakDatabase: undefined })).toEqual(whole);
  });

  test('may need its orders, fields of its own, and credit another amount', async () => {
    const orders = new Set<string>();
    const { fetch, ...options } = merchant('credits settlementAmount');
    const idOf = (one: PaymentNotification) =>
      'clientPaymentId' in one ? one.clientPaymentId : one.clientWithdrawalId;
    const failures = await failuresOf({
      ...options,
      fetch: async (url, init) => {
        const [, id = ''] = /"own-(\d+)"/.exec(`${init.body}`) ?? [];
        const isBlind = typeof init.body !== 'string' || !init.body.startsWith('{"');
        if (!isBlind && !orders.has(`own-${id}`)) return new Response('unknown', { status: 404 });
        return fetch?.(url, init) ?? new Response();
      },
      prepare: async (notifications) => {
        for (const one of notifications) orders.add(idOf(one));
        expect(new Set(notifications.map(idOf)).size).toBe(notifications.length);
      },
      deposit: (seed) => ({ clientPaymentId: `own-${seed}`, depositCurrency: 'ETH' }),
      withdrawal: (seed) => ({ clientWithdrawalId: `own-${seed}` }),
      amountOf: (one) =>
        one.type === 'deposit.received'
          ? { currency: one.depositCurrency, amount: one.settlementAmount }
          : { currency: one.withdrawCurrency, amount: one.actualWithdrawAmount },
    });
    expect(failures).toEqual({});
  });
});

test.each(Object.entries(MUTANTS))('a fault is found: %s', async (mutant, [type, name, cause]) => {
  const tests = handlerTests(merchant(mutant as Mutant));
  const finder = tests.find((one) => one.name === `${type}: ${name}`);
  await expect(finder?.run()).rejects.toThrow(cause);
});

test('a key that is committed before the credit is also found by copies', async () => {
  const failures = await failuresOf(merchant('key committed before the credit'));
  const name =
    'deposit: five copies answered 500 while the database fails, credited once afterwards';
  expect(failures[name]?.message).toMatch(
    /received 200 ok\. The key was committed without the change of the balance\. Put both into one transaction$/,
  );
});

test('a failure says what was sent, what was expected and received, and the likely cause', async () => {
  const failures = await failuresOf(merchant('toFixed(8)'));
  const error = failures['withdrawal: 18 decimals are debited exactly'];
  const [, digits = '', seed] = /-(\w{12}):COMPLETED .*seed (\d+)/.exec(error?.message ?? '') ?? [];
  expect(Number.parseInt(digits, 16)).toBe(Number(seed));
  expect(error?.message).toBe(
    `withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-${digits}:COMPLETED (every amount as a number, seed ${seed}): expected -0.123456789012345678 XRP, received -0.12345679 XRP. The amount was rounded to 8 decimals. Look for toFixed(8), toDecimalPlaces(8), or a column such as numeric(20,8)`,
  );
  // For the runner's diff.
  expect(error).toMatchObject({
    expected: '-0.123456789012345678 XRP',
    actual: '-0.12345679 XRP',
  });
});

/** How the first test fails. */
async function firstFailureOf(options: Partial<HandlerTestsOptions>): Promise<string | undefined> {
  const [error] = Object.values(await failuresOf({ ...merchant(), ...options }));
  return error?.message.replace(/^[^ ]+ \(.*?\): /, '');
}

describe('what is wrong with the endpoint is named', () => {
  const answer = (status: number) => async () => new Response(null, { status });
  const EXPECTED = 'expected a status from 200 to 299, received';

  test.each([
    [
      '404',
      answer(404),
      '404. Check the URL and its secret, whether prepare inserts the order, and the log',
    ],
    [
      '302',
      answer(302),
      '302. Check the URL and its secret, whether prepare inserts the order, and the log',
    ],
    ['500', answer(500), '500. The handler fails. See its log'],
    [
      'no answer',
      () => Promise.reject(new Error('connect ECONNREFUSED')),
      'connect ECONNREFUSED. Check that the handler runs at this URL, and answers every request',
    ],
    [
      'an answer with control characters',
      async () => new Response('\u001b[2J'.repeat(99), { status: 500 }),
      `500 ${'\\u001b[2J'.repeat(50)}. The handler fails. See its log`,
    ],
  ])('%s', async (_, fetch, expected) => {
    const withOrder = { fetch, receives: 'withdrawal.broadcast' } as const;
    const failures = await failuresOf({ ...merchant(), ...withOrder });
    const message = failures['withdrawal: FAILED debits nothing']?.message;
    expect(message).toMatch(/ \(with an amount, seed \d+\): /);
    expect(message?.replace(/^.*?\): /, '')).toBe(`${EXPECTED} ${expected}`);
  });

  test('copies that wait for each other', async () => {
    const never = () => new Promise<never>(() => {});
    const failures = await failuresOf({ ...merchant(), fetch: never, timeoutMs: 1 });
    expect(failures['deposit: five copies at the same time are credited once']?.message).toMatch(
      /received no answer within 1 ms\. Copies wait for each other\. Use one connection to the database for each request$/,
    );
  });

  test('success without a change', async () => {
    const failures = await failuresOf({ ...merchant(), fetch: answer(200) });
    expect(failures['deposit: an unknown field changes nothing']?.message).toMatch(
      /expected \+0\.75 BTC, received 0 BTC\. The event was taken for a repeat or kept for review, or balance reads another table$/,
    );
  });
});

describe('what is wrong with the options is named', () => {
  test('a number as balance', async () => {
    const balance = async () => 0.1 as never;
    expect(await firstFailureOf({ balance })).toBe(
      'balance: expected decimal text, received the number 0.1, which may have lost digits. Cast it in the query: sum(amount)::text',
    );
  });

  test.each([
    ['1,5', '"1,5"'],
    [[{ sum: '1' }], 'an array'],
    [true, 'true'],
  ])('%j as balance', async (value, received) => {
    expect(await firstFailureOf({ balance: async () => value as never })).toBe(
      `balance: expected decimal text, received ${received}`,
    );
  });

  test('the balances of another currency, or with the opposite sign', async () => {
    const { balance, ...others } = merchant();
    const negated = async (currency: string) =>
      new Decimal((await balance(currency)) ?? 0).negated().toString();
    expect(await firstFailureOf({ ...others, balance: negated })).toMatch(
      /The sign is wrong\. Return credits minus debits$/,
    );
    expect(await firstFailureOf({ ...others, balance: async () => null })).toMatch(
      /received 0 BTC\. Check whether a column has too few digits, such as numeric\(20,8\), and what balance reads$/,
    );
  });

  test('a balance that something else changes', async () => {
    let calls = 0;
    const { balance, ...others } = merchant();
    const disturbed = async (currency: string) =>
      new Decimal((await balance(currency)) ?? 0).plus(calls++);
    const failures = await failuresOf({ ...others, balance: disturbed });
    expect(failures['deposit: an unknown field changes nothing']?.message).toMatch(
      /received \+1\.75 BTC\. The balance was overwritten, or something else changed it at the same time$/,
    );
  });

  test('a breakDatabase that breaks nothing', async () => {
    const failures = await failuresOf({ ...merchant(), breakDatabase: async () => async () => {} });
    expect(Object.keys(failures)).toHaveLength(4);
    for (const { message } of Object.values(failures)) {
      expect(message).toMatch(
        /received 200 ok\. breakDatabase broke nothing that the handler uses$/,
      );
    }
  });

  test('fields that make a body invalid', async () => {
    expect(await firstFailureOf({ deposit: () => ({ depositId: 'x' }) })).toBe(
      'deposit or withdrawal: expected fields of a valid body, but depositId: expected a UUID, received a string of length 1',
    );
  });

  test.each([
    [{ url: undefined }, 'url: expected an http or https URL, received nothing'],
    [{ url: '/callbacks' }, 'url: expected an http or https URL, received "/callbacks"'],
    [{ balance: undefined }, 'balance: expected a function, received nothing'],
    [{ balance: '0' }, 'balance: expected a function, received "0"'],
    [{ prepare: [] }, 'prepare: expected a function, received an array'],
    [{ breakDatabase: null }, 'breakDatabase: expected a function, received null'],
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
