import { Decimal, type PaymentNotification } from 'payment-notifications';
import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { MUTANTS, merchant } from './merchant.js';

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

/** Without what differs from run to run. */
const messagesOf = (failures: Record<string, Error>) =>
  Object.entries(failures).map(([name, { message }]) =>
    `${name}\n    ${message}`.replace(/-[\da-f]{12}(?=[: ])/g, '-…'),
  );

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
    expect(messagesOf(failures)).toEqual([]);
  });
});

test('every fault of a handler is told', async () => {
  const told: string[] = [];
  for (const mutant of MUTANTS) {
    const failures = await failuresOf(merchant(mutant));
    expect(failures, mutant).not.toEqual({});
    told.push(`${mutant}\n`, ...messagesOf(failures).map((text) => `  ${text}\n`));
  }
  await expect(told.join('')).toMatchFileSnapshot('handler-tests.txt');
});

test('a failure has what runners show the difference of', async () => {
  const [error] = Object.values(await failuresOf(merchant('toFixed(8)')));
  expect(error).toMatchObject({ expected: '+0.123456789012345678 BTC', actual: '+0.12345679 BTC' });
});

test('other faults are told', async () => {
  const right = merchant();
  const told = async (options: Partial<HandlerTestsOptions>) => {
    const [error] = Object.values(await failuresOf({ ...right, ...options }));
    return error?.message.replace(/^.*?: (?=expected)/, '');
  };
  const answer = (status: number) => async () => new Response('no', { status });
  const refused = async () => {
    throw new Error('connect ECONNREFUSED');
  };
  expect(await told({ fetch: refused })).toMatch(
    /received connect ECONNREFUSED\. The handler does/,
  );
  expect(await told({ fetch: answer(404) })).toMatch(/received 404 no\. The order is unknown/);
  expect(await told({ fetch: answer(500) })).toMatch(/received 500 no\. The handler throws: its/);
  expect(await told({ fetch: answer(200), balance: async () => null })).toMatch(/0 BTC/);
  expect(await told({ balance: async () => 1 as never })).toMatch(
    /a string or a Decimal, received 1/,
  );
  const negative = async (currency: string) =>
    new Decimal((await right.balance(currency)) ?? 0).negated();
  expect(await told({ balance: negative })).toMatch(/Credits and debits are interchanged/);
  expect(await told({ deposit: () => ({ depositId: 'x' }) })).toMatch(/expected fields of a valid/);
  expect(() => handlerTests({ url: '' } as never)).toThrow('balance: expected a function');
});
