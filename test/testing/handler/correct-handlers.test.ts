import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseLossless } from 'lossless-json';
import { Decimal, type DepositReceived } from 'payment-notifications';
import {
  type HandlerAmount,
  type HandlerTestsOptions,
  handlerTests,
} from 'payment-notifications/testing';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { type Call, customerOf, failuresOf, type Handler, isRight, isSame, shop } from './shop.js';

/**
 * What moves late is waited for, on any machine. In memory, each round of a race takes the same
 * turns, so that few show what many do.
 */
const PATIENT = { quietMs: 1, answeredMs: 60_000, mendedMs: 60_000, rounds: 2 };

describe('a correct handler', () => {
  for (const { name, run } of patientTests(shop(), PATIENT)) test(`passes: ${name}`, run);

  test('passes again, and with all tests at once', async () => {
    const tests = patientTests(shop(), PATIENT);
    await Promise.all([...tests, ...tests].map(({ run }) => run()));
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
  });

  test('gets the tests of what it receives, of what it saves, and of what can be broken', () => {
    const namesOf = (options: Partial<HandlerTestsOptions>) =>
      handlerTests({ ...shop(), ...options }).map(({ name }) => name);
    const all = namesOf({});
    const deposits = namesOf({ receives: 'deposit.received' });
    const withdrawals = namesOf({ receives: 'withdrawal.broadcast' });
    const both = all.filter((name) => name.startsWith('both: '));
    expect([...deposits, ...withdrawals, ...both]).toEqual(all);
    const unkept = all.map((name) =>
      name.replace(/, and is saved for review$/, '').replace(/saved$/, 'refused'),
    );
    expect(namesOf({ kept: null })).toEqual(unkept);
    const isOfSecret = (name: string) => name.endsWith('a wrong secret is refused');
    const open = namesOf({ url: 'http://127.0.0.1/', secret: null });
    expect(open).toEqual(all.filter((name) => !isOfSecret(name)));
    const whole = namesOf({ breakDatabase: null });
    expect(whole).toEqual(all.filter((name) => !/writes to the (keys|balances) failed/.test(name)));
  });
});

test('a payment and a withdrawal with the same number are both prepared', async () => {
  const prepared: string[] = [];
  const options: HandlerTestsOptions = {
    ...shop(),
    deposit: () => ({ clientPaymentId: '1' }),
    withdrawal: () => ({ clientWithdrawalId: '1' }),
    prepare: async (orders) => void prepared.push(...orders.map(({ type }) => type)),
  };
  expect(await failuresOf(options, (name) => name.startsWith('both: '))).toEqual({});
  expect(prepared).toStrictEqual(['deposit.received', 'withdrawal.broadcast']);
});

test('a handler that tries again itself passes, though only the first prepare gives money', async () => {
  const options = retries(() => new Decimal(7));
  expect(await failuresOf(options, (name) => name.includes('an unknown order'), PATIENT)).toEqual(
    {},
  );
});

/** A handler that moves another amount of a deposit, or null for review, and says so. */
function by(
  depositOf: (deposit: DepositReceived) => HandlerAmount,
  handler: (call: Call, other: HandlerAmount) => ReturnType<Handler>,
  onFaulty?: Handler,
): HandlerTestsOptions {
  const settle: Handler = (call) => {
    const { one, move } = call;
    if (one.type !== 'deposit.received') return handler(call, move);
    return handler(call, depositOf(one as unknown as DepositReceived));
  };
  return {
    ...shop(settle, onFaulty),
    amountOf: (one) =>
      one.type === 'deposit.received'
        ? depositOf(one)
        : { currency: `${one.withdrawCurrency}`, amount: one.actualWithdrawAmount },
  };
}

/**
 * Null for less than the order expected, and for less than 0.4: of five deposits at the same time,
 * some are less.
 */
const atLeastExpected = (one: DepositReceived): HandlerAmount => {
  const [least, amount] = [one.expectedDepositAmount ?? Infinity, one.actualDepositAmount];
  const isEnough = amount.gte(Decimal.max(least, '0.4'));
  return { currency: one.depositCurrency, amount: isEnough || amount.isZero() ? amount : null };
};

/** A handler that stores each body, answers 202, and settles it afterwards. */
function queued(waits: boolean, options: HandlerTestsOptions): HandlerTestsOptions {
  let waiting = 0;
  return {
    ...options,
    async fetch(url, request) {
      if (!isRight(url)) return new Response(null, { status: 404 });
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

const needsOrder: Handler = (call) => (customerOf(call) ? call.settle() : 500);

/**
 * Its balance is what may be spent, and fails for other codes. `prepare` reserves withdrawals, and
 * adds more at each call.
 */
function reserves(): HandlerTestsOptions {
  const options = shop((call) => {
    const account = customerOf(call);
    return account ? call.settle({ account }) : call.review(200);
  });
  let [reserved, calls] = [new Decimal(0), 0];
  return {
    ...options,
    async balance(code) {
      if (code === 'BITCOIN') throw new Error('unknown currency');
      return reserved.plus((await options.balance(code)) ?? 0).toString();
    },
    async prepare(notifications) {
      await options.prepare?.(notifications);
      calls += 1;
      reserved = reserved.plus(notifications.length * calls).minus('0.3');
    },
  };
}

/** Tries again by itself what failed for an unknown order. `prepare` gives the customer money. */
function retries(give: (given: Decimal) => Decimal): HandlerTestsOptions {
  const waiting = new Set<Call>();
  const options = shop((call) => {
    const status = Number(needsOrder(call));
    if (status === 500) waiting.add(call);
    return status;
  });
  let given = new Decimal(0);
  return {
    ...options,
    balance: async (code) => given.plus((await options.balance(code)) ?? 0).toString(),
    async prepare(notifications) {
      await options.prepare?.(notifications);
      given = give(given);
      for (const call of waiting) needsOrder(call);
    },
  };
}

/** Only writing fails while its database is broken. Its spool then settles what failed. */
function spooled(): HandlerTestsOptions {
  const failed = new Map<string, Call>();
  let db: Call['db'] | undefined;
  const options = shop((call) => {
    db = call.db;
    const { key, move, review, settle } = call;
    const known = db.keys.get(key);
    if (known) return isSame(known, move) ? 200 : review(200);
    try {
      return settle();
    } catch (error) {
      failed.set(`${call.body}`, call);
      throw error;
    }
  });
  return {
    ...options,
    balance: async (code) => db?.total(code).toString() ?? null,
    async breakDatabase(part) {
      const mend = await options.breakDatabase?.(part);
      return async () => {
        await mend?.();
        for (const { settle } of failed.values()) settle();
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
function byHand(): HandlerTestsOptions {
  const handle: Handler = ({ body, review, settle }) => {
    let json: unknown;
    try {
      json = isUtf8(body) && parseLossless(`${body}`, null, String);
    } catch {
      return review(400);
    }
    const { success, output: fields } = v.safeParse(BODY, json);
    if (!success) return review(400);
    const isDeposit = fields.status === 'CONFIRMED';
    if (!isDeposit && fields.status !== 'COMPLETED') return 200;
    const amount = isDeposit ? fields.actualDepositAmount : fields.actualWithdrawAmount;
    if (!amount) return review(200);
    return settle({
      key: (isDeposit ? fields.depositId : fields.withdrawalId).toLowerCase(),
      account: isDeposit ? fields.clientPaymentId : fields.clientWithdrawalId,
      currency: isDeposit ? fields.depositCurrency : fields.withdrawCurrency,
      amount: new Decimal(amount).times(isDeposit ? 1 : -1),
    });
  };
  return shop(handle, handle);
}

/** Each is right in several ways, so that few runs show that nobody is blamed for one. */
test.concurrent.each<[string, HandlerTestsOptions]>([
  ['that parses without losing digits, and validates with a schema', byHand()],
  [
    'net of a fee, with customers, that answers 204',
    by(
      ({ settlementCurrency: currency, settlementAmount, settlementServiceFee: fee }) => {
        return { currency, amount: settlementAmount.minus(fee ?? 0) };
      },
      (call, other) => {
        const account = customerOf(call);
        return account ? call.settle({ ...other, account }) && 204 : call.review(204);
      },
    ),
  ],
  [
    'in cents, that refuses an unknown order and a copy of what is in progress with 5xx',
    by(
      ({ depositCurrency: currency, actualDepositAmount: amount }) => {
        return { currency, amount: amount.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN) };
      },
      async (call, other) => {
        if (!customerOf(call)) return 500;
        if (!call.db.once(call.key)) return 503;
        await sleep(1);
        call.db.memory.delete(call.key);
        return call.settle(other);
      },
    ),
  ],
  [
    'that settles only what is enough, saves the rest for review and answers 422, and accepts each faulty delivery anew',
    by(
      atLeastExpected,
      ({ one, review, settle }, other) =>
        one.type === 'deposit.received' && other.amount === null ? review(422) : settle(other),
      ({ db, body }) => {
        db.inReview.add(`${db.inReview.size} ${body}`);
        return 200;
      },
    ),
  ],
  ['that reserves', reserves()],
  ['that tries again itself, and whose prepare gives money', retries((given) => given.plus(7))],
  ['that settles later, and whose balance does not wait', queued(false, shop())],
  [
    'whose worker saves what FAILED for review, but not before the next webhook comes',
    shop(({ db, one, body, settle }) => {
      const late = db.memory.get('late');
      if (late !== undefined) db.inReview.add(`${late}`);
      db.memory.delete('late');
      if (one.status === 'FAILED') db.memory.set('late', body);
      return settle();
    }),
  ],
  ['that settles once the order is known', queued(true, shop(needsOrder))],
  ['whose store settles what failed as soon as the database is mended', spooled()],
  [
    'that saves coins for review that it does not know, and a second deposit in another currency',
    shop(({ db, one, key, move, review, settle }) => {
      const first = [...db.keys.values()].find(({ account }) => account === move.account);
      const isForReview = first !== undefined && first.currency !== move.currency;
      const isUnknown = move.currency !== 'BTC' && one.type === 'deposit.received';
      return !db.keys.has(key) && (isForReview || isUnknown) ? review(200) : settle();
    }),
  ],
  [
    'of deposits without a hash, with date-times and a content type',
    {
      ...{ ...shop(), receives: 'deposit.received' },
      deposit: () => ({ transactionId: null, expirationTime: '2026-09-21T15:13:20Z' }),
      headers: { 'Content-Type': 'application/json' },
    },
  ],
  ['of withdrawals, without kept', { ...shop(), receives: 'withdrawal.broadcast', kept: null }],
])('a correct handler %s passes', async (_, options) => {
  expect(await failuresOf(options, undefined, PATIENT)).toEqual({});
});
