import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseLossless } from 'lossless-json';
import { Decimal, type DepositReceived, type PaymentNotification } from 'payment-notifications';
import {
  type HandlerAmount,
  type HandlerTestsOptions,
  handlerTests,
} from 'payment-notifications/testing';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { patientTests } from '../../../src/testing/handler/tests.js';
import {
  failuresOf,
  isSame,
  type Move,
  merchant,
  orderOf,
  type Parts,
  RIGHT,
  textOf,
} from './merchant.js';

/**
 * What moves late is waited for, on any machine. In memory, each round of a race takes the same
 * turns, so that few show what many do.
 */
const PATIENT = { brokenMs: 1, answeredMs: 60_000, mendedMs: 60_000, rounds: 2 };

describe('a correct handler', () => {
  for (const { name, run } of patientTests(merchant(), PATIENT)) test(`passes: ${name}`, run);

  test('passes again, and with all tests at once', async () => {
    const tests = patientTests(merchant(), PATIENT);
    await Promise.all([...tests, ...tests].map(({ run }) => run()));
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
  });

  test('gets the tests of what it receives, of what is kept, and of what can be broken', () => {
    const namesOf = (options: Partial<HandlerTestsOptions>) =>
      handlerTests({ ...merchant(), ...options }).map(({ name }) => name);
    const all = namesOf({});
    const deposits = namesOf({ receives: 'deposit.received' });
    const withdrawals = namesOf({ receives: 'withdrawal.broadcast' });
    const both = all.filter((name) => name.startsWith('both: '));
    expect([...deposits, ...withdrawals, ...both]).toEqual(all);
    const unkept = all.map((name) =>
      name.replace(/, and is kept$/, '').replace(/kept$/, 'refused'),
    );
    expect(namesOf({ kept: null })).toEqual(unkept);
    const whole = namesOf({ breakDatabase: null });
    expect(whole).toEqual(all.filter((name) => !/the (keys|balances) failed/.test(name)));
  });
});

test('a payment and a withdrawal with the same number are both prepared', async () => {
  const prepared: string[] = [];
  const options: HandlerTestsOptions = {
    ...merchant(),
    deposit: () => ({ clientPaymentId: '1' }),
    withdrawal: () => ({ clientWithdrawalId: '1' }),
    prepare: async (orders) => void prepared.push(...orders.map(({ type }) => type)),
  };
  expect(await failuresOf(options, (name) => name.startsWith('both: '))).toEqual({});
  expect(prepared).toStrictEqual(['deposit.received', 'withdrawal.broadcast']);
});

test('a handler that tries again itself passes, though only the first prepare gives money', async () => {
  const options = retries(() => new Decimal(7));
  expect(await failuresOf(options, (name) => name.includes('not known yet'), PATIENT)).toEqual({});
});

/** A handler that moves another amount of a deposit, or holds it, and says so. */
function by(
  depositOf: (deposit: DepositReceived) => HandlerAmount,
  parts: Partial<Parts>,
): HandlerTestsOptions {
  const amountOf = (one: PaymentNotification) =>
    one.type === 'deposit.received'
      ? depositOf(one)
      : { currency: `${one.withdrawCurrency}`, amount: one.actualWithdrawAmount };
  const moveOf: Parts['moveOf'] = (one, context) => {
    const move = RIGHT.moveOf(one, context);
    return one.type === 'deposit.received' ? { ...move, ...depositOf(one) } : move;
  };
  return { ...merchant({ moveOf, ...parts }), amountOf };
}

/**
 * Null for less than the order expected, and for less than 0.4: of five deposits at the same time,
 * some are less.
 */
const atLeastExpected = (one: DepositReceived): HandlerAmount => {
  const [least, amount] = [one.expectedDepositAmount ?? Infinity, one.actualDepositAmount];
  const isEnough = amount.gte(Decimal.max(least, '0.4'));
  return { currency: one.depositCurrency, amount: isEnough ? amount : null };
};

/** A handler that stores each body, answers 202, and settles it afterwards. */
function queued(waits: boolean, options: HandlerTestsOptions): HandlerTestsOptions {
  let waiting = 0;
  return {
    ...options,
    async fetch(url, request) {
      waiting += 1;
      void (async () => {
        let pause = 1;
        await sleep(pause);
        while ((await options.fetch?.(url, request))?.status === 500) {
          await sleep(pause);
          pause = Math.min(2 * pause, 50);
        }
        waiting -= 1;
      })();
      return new Response(null, { status: 202 });
    },
    async balance(currency) {
      while (waits && waiting > 0) await sleep(1);
      return options.balance(currency);
    },
  };
}

const NEEDS_ORDER: Partial<Parts> = {
  first: (one, { orders }) =>
    orders.has(orderOf(one)) ? undefined : { status: 500, text: 'unknown' },
};

/** A handler whose codes are in lower case, in its database and in `balance`. */
function lower(): HandlerTestsOptions {
  const options = merchant({
    moveOf(one, context) {
      const move = RIGHT.moveOf(one, context);
      return { ...move, currency: move.currency.toLowerCase() };
    },
    hold: (body, { held }) => void held.add(`${held.size} ${textOf(body)}`),
  });
  return { ...options, balance: (code) => options.balance(code.toLowerCase()) };
}

/** Its balance is what may be spent. `prepare` reserves withdrawals, and adds more at each call. */
function reserves(): HandlerTestsOptions {
  const options = merchant({ requiresOrder: true });
  let [reserved, calls] = [new Decimal(0), 0];
  return {
    ...options,
    balance: async (code) => reserved.plus((await options.balance(code)) ?? 0).toString(),
    async prepare(notifications) {
      await options.prepare?.(notifications);
      calls += 1;
      reserved = reserved.plus(notifications.length * calls).minus('0.3');
    },
  };
}

/** Tries again by itself what failed for an unknown order. `prepare` gives the customer money. */
function retries(give: (given: Decimal) => Decimal): HandlerTestsOptions {
  const waiting = new Set<() => Promise<unknown>>();
  const options = merchant({
    ...NEEDS_ORDER,
    async around(handle) {
      const answer = await handle();
      if (answer.status === 500) waiting.add(handle);
      return answer;
    },
  });
  let given = new Decimal(0);
  return {
    ...options,
    balance: async (code) => given.plus((await options.balance(code)) ?? 0).toString(),
    async prepare(notifications) {
      await options.prepare?.(notifications);
      given = give(given);
      for (const handle of waiting) await handle();
    },
  };
}

/** Only writing fails while its database is broken. Its spool then settles what failed. */
function spooled(): HandlerTestsOptions {
  const sums = new Map<string, Decimal>();
  const failed = new Map<string, () => Promise<unknown>>();
  const options = merchant({
    book(key, move, store, parts) {
      const known = store.keys.get(key);
      if (known) return isSame(known, move) ? 'repeated' : 'conflict';
      const outcome = RIGHT.book(key, move, store, parts);
      sums.set(move.currency, (sums.get(move.currency) ?? new Decimal(0)).plus(move.amount ?? 0));
      return outcome;
    },
    async around(handle, _, body) {
      const answer = await handle();
      if (answer.status === 500) failed.set(textOf(body), handle);
      return answer;
    },
  });
  return {
    ...options,
    balance: async (code) => sums.get(code)?.toString() ?? null,
    async breakDatabase(part) {
      const mend = await options.breakDatabase?.(part);
      return async () => {
        await mend?.();
        for (const handle of failed.values()) await handle();
        failed.clear();
      };
    },
  };
}

const decimal = v.pipe(v.string(), v.regex(/^\d+(\.\d+)?(e[+-]?\d+)?$/i));
const COMMON = { settlementCurrency: v.pipe(v.string(), v.nonEmpty()) };
const BODY = v.variant('status', [
  v.looseObject({
    ...COMMON,
    ...{ status: v.literal('CONFIRMED'), depositId: v.pipe(v.string(), v.uuid()) },
    ...{ clientPaymentId: v.string(), depositCurrency: v.string(), actualDepositAmount: decimal },
  }),
  v.looseObject({
    ...COMMON,
    status: v.picklist(['COMPLETED', 'FAILED', 'BLOCKED']),
    ...{ withdrawalId: v.pipe(v.string(), v.uuid()), clientWithdrawalId: v.string() },
    ...{ withdrawCurrency: v.string(), actualWithdrawAmount: v.nullish(decimal) },
    estimatedWithdrawAmount: decimal,
  }),
]);

/** A handler that doesn't use the parsers of this package. */
function byHand(parse: (text: string) => unknown): HandlerTestsOptions {
  return merchant({
    async around(_, store, bytes) {
      const answer = (status: number) => ({ status, text: '' });
      const hold = (status: number) => {
        RIGHT.hold(bytes, store);
        return answer(status);
      };
      try {
        const { success, output: fields } = v.safeParse(
          BODY,
          isUtf8(bytes) && parse(textOf(bytes)),
        );
        if (!success) return hold(400);
        const isDeposit = fields.status === 'CONFIRMED';
        if (!isDeposit && fields.status !== 'COMPLETED') return answer(200);
        const amount = isDeposit ? fields.actualDepositAmount : fields.actualWithdrawAmount;
        if (!amount) return hold(200);
        const move: Move = {
          account: isDeposit ? fields.clientPaymentId : fields.clientWithdrawalId,
          currency: isDeposit ? fields.depositCurrency : fields.withdrawCurrency,
          amount: new Decimal(amount).times(isDeposit ? 1 : -1),
        };
        const key = (isDeposit ? fields.depositId : fields.withdrawalId).toLowerCase();
        const outcome = await RIGHT.book(key, move, store, RIGHT);
        return outcome === 'conflict' ? hold(200) : answer(200);
      } catch (error) {
        return error instanceof SyntaxError ? hold(400) : answer(500);
      }
    },
  });
}

const NUMBER = /("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const quoteNumbers = (text: string) =>
  text.replace(NUMBER, (found, string) => (string ? found : `"${found}"`));

/** Each is right in several ways, so that few runs show that nobody is blamed for one. */
test.concurrent.each<[string, HandlerTestsOptions]>([
  [
    'that quotes numbers, and validates with a schema',
    byHand((text) => JSON.parse(quoteNumbers(text))),
  ],
  ['that parses without losing digits', byHand((text) => parseLossless(text, null, String))],
  [
    'net of a fee, with customers, that answers 204',
    by(
      ({ settlementCurrency: currency, settlementAmount, settlementServiceFee: fee }) => ({
        ...{ currency, amount: settlementAmount.minus(fee ?? 0) },
      }),
      {
        requiresOrder: true,
        async around(handle) {
          const { status, text } = await handle();
          return { status: status === 200 ? 204 : status, text };
        },
      },
    ),
  ],
  [
    'in cents, that refuses an unknown order and a copy of what is in progress with 5xx',
    by(
      ({ depositCurrency: currency, actualDepositAmount: amount }) => ({
        ...{ currency, amount: amount.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN) },
      }),
      {
        async first(one, { cache, orders }, { key }) {
          if (!orders.has(orderOf(one))) return { status: 500, text: 'unknown' };
          if (cache.has(key)) return { status: 503, text: 'in progress' };
          cache.set(key, true);
          await sleep(1);
          cache.delete(key);
          return undefined;
        },
      },
    ),
  ],
  [
    'that settles only what is enough, keeps the rest and answers 422, and accepts faulty bodies',
    by(atLeastExpected, {
      refused: { status: 200, text: '' },
      first(one, store, { body }) {
        if (one.type !== 'deposit.received' || atLeastExpected(one).amount) return undefined;
        RIGHT.hold(body, store);
        return { status: 422, text: '' };
      },
    }),
  ],
  ['with codes in lower case, that stores each refused delivery anew', lower()],
  ['that reserves', reserves()],
  ['that tries again itself, and whose prepare gives money', retries((given) => given.plus(7))],
  ['that settles later, and whose balance does not wait', queued(false, merchant())],
  ['that settles once the order is known', queued(true, merchant(NEEDS_ORDER))],
  ['whose store settles what failed as soon as the database is mended', spooled()],
  [
    'that holds coins that it does not know, and a second deposit in another currency',
    merchant({
      book(key, move, store, parts) {
        const first = [...store.keys.values()].find(({ account }) => account === move.account);
        const isHeld = first !== undefined && first.currency !== move.currency;
        const isUnknown = move.currency !== 'BTC' && key.startsWith('deposit');
        return !store.keys.has(key) && (isHeld || isUnknown)
          ? 'conflict'
          : RIGHT.book(key, move, store, parts);
      },
    }),
  ],
  [
    'of deposits without a hash, with date-times and a content type',
    {
      ...{ ...merchant(), receives: 'deposit.received' },
      deposit: () => ({ transactionId: null, expirationTime: '2026-09-21T15:13:20Z' }),
      headers: { 'Content-Type': 'application/json' },
    },
  ],
  ['of withdrawals, without kept', { ...merchant(), receives: 'withdrawal.broadcast', kept: null }],
])('a correct handler %s passes', async (_, options) => {
  expect(await failuresOf(options, undefined, PATIENT)).toEqual({});
});
