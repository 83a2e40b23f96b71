import { WithdrawalStatus } from '../parser/enums.js';
import type { NotificationType } from '../parser/errors.js';
import { readWire } from '../parser/members.js';
import { safeParseNotification } from '../parser/parse.js';
import { Decimal } from '../parser/values/amount.js';
import { faultsOf, limitsOf } from './faults.js';
import type { Causes } from './handler-causes.js';
import {
  amountsOf,
  type Changes,
  type NewEvent,
  NOTHING_MOVED,
  part,
  type TestEvent,
} from './handler-events.js';
import { formsOfEvents, harmlessValues, inCapitals, timesInOtherForms } from './handler-forms.js';
import type { DatabasePart, HandlerTestsOptions } from './handler-options.js';
import {
  know,
  PARSER,
  REPEATED,
  race,
  roundsOf,
  send,
  sendDuring,
  sendEach,
  sendFaulty,
  sendFirst,
  sendForReview,
  sendLimit,
  sendOrHold,
  sendUnknown,
  type Trial,
} from './handler-trial.js';
import { bodyVariants, inBothEncodings } from './variants.js';

/** Shows with new events that a handler is right. */
export type Show = (trial: Trial, event: NewEvent) => Promise<unknown>;
/** What shows each thing that a right handler does, by name. */
export type Behaviors = Readonly<Record<string, Show>>;

const FORM =
  'This form is refused or not read. Use the parsers of this package, and accept any content type';
const FORGOTTEN = 'The key is not checked, or forgotten after others. Keep every key';
const SHARED_KEY = 'The key is made of fields that other events share. Use idempotencyKey';
const CONFLICT = 'The key is not checked, or contains more than the event. Use idempotencyKey';
const TRANSACTION =
  'The key is the transactionId, which one transaction with several outputs repeats. Use idempotencyKey';
const OTHER_KEY =
  'Either the key is made of other fields than depositId: use idempotencyKey. Or the balance is overwritten: add to it';
const ORDER_KEY =
  'Either the key is that of the order: use idempotencyKey. Or the first deposit closes its order: credit each';
const PAID = 'A deposit for an order that is paid is dropped. Credit it, or keep it for review';
const RETRIED_KEY = 'The key is the clientWithdrawalId. Use idempotencyKey';
const STATUS = { change: 'The status is not checked. Debit only COMPLETED withdrawals' };
const FINAL = 'The key lacks the status, or the first status is final. Use idempotencyKey';
const NO_AMOUNT =
  'The body is lost, or the key was inserted without the amount. Keep the body for review, and insert the key when you debit';
const NEW_ORDER: Causes = {
  change:
    'Either the key was inserted though the order was unknown, or it moves again once the order is known. Insert the key when you settle',
  answer: 'Either prepare does not insert the order, or it is remembered as unknown',
};
const SMALL = 'A small amount is dropped or rounded to zero, or its exponent is not read';
const EXPECTED =
  'An amount that differs from the expected one is dropped. Credit it, or keep it for review and return amount: null in amountOf';
const COIN =
  'Nothing moved in this currency, and nothing is kept. Its code is cut off or unknown: store codes of any length';
const SECOND_COIN =
  'It is credited in the currency of the order, or dropped. Credit the currency of the deposit';
const HARMLESS =
  'The event is dropped or refused for a value that decides nothing, such as a fee, the rateType or a warning. Ignore the value';
const LATE =
  'A deposit after its link expired is dropped. Credit it, or keep it for review and return amount: null in amountOf';
const MISSING = 'The handler depends on this field, which may be missing. See the types';
const NARROW = {
  answer:
    'A column or a check may be too narrow, such as varchar(4), varchar(64), bigint or numeric(20,18). See the log',
};
const NUL: Causes = {
  answer: 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea',
};
const RACE =
  'Either the balance is read and then written, so that one overwrites the other: add in the database, or lock the row. Or one is dropped while another is in progress';
const MENDED: Causes = {
  change:
    'The key was committed, or is remembered, without the money. Put both into one transaction',
  several:
    'The money was committed without the key, or the key is only remembered in memory. Put both into one transaction',
  answer:
    'It still fails. Either the key was committed without the money, and a known key fails. Or the transaction is not rolled back, or its connection not released',
};

/** An order that expects more than all deposits of a test. */
const UNPAID: Changes = { expectedDepositAmount: '500', expectedDisplayAmount: '13800' };
/** Different amounts, so that a change shows which one is missing. */
const FIVE = ['0.71', '0.53', '0.37', '0.29', '0.83'] as const;

const FACTORS = ['1', '0.995', '1.005', '0.5', '2'];
const STATUSES = Object.values(WithdrawalStatus);

const amountOf = {
  'deposit.received': 'actualDepositAmount',
  'withdrawal.broadcast': 'actualWithdrawAmount',
} as const;
const currencyOf = {
  'deposit.received': 'depositCurrency',
  'withdrawal.broadcast': 'withdrawCurrency',
} as const;

/** As a double, 19.99 * 100 is less than 1999, and 1.005 is rounded down. */
const CENTS = ['19.99', '0.29', '0.129', '0.125', '1.005', '8.345'];

/** Amounts that something loses, by what is special about them. */
const AMOUNTS: readonly (readonly [what: string, amounts: readonly string[], causes: Causes])[] = [
  ['18 decimals', ['6543.219876543219876543'], NARROW],
  // More digits than decimal.js calculates with by default.
  ['28 digits', ['1234567890.123456789012345678'], NARROW],
  ['12 digits before the point', ['123456789012.34'], NARROW],
  ['small amounts', ['0.00005', '0.00000015', '1.5e-7', '1.5E-7'], SMALL],
  ['cents, halves and thirds', [...CENTS, '0.666666667', '1.000000005'], NARROW],
];

/** What a handler must do, of one type. The first one shows whether the options are right. */
export function behaviorsOf(
  type: NotificationType,
  { breakDatabase, kept, headers = {} }: HandlerTestsOptions,
): Behaviors {
  const isDeposit = type === 'deposit.received';
  const moved = isDeposit ? 'credited' : 'debited';
  // A merchant who sets a content type knows what the service sends.
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    [`the plainest one is ${moved}`]: async (trial, event) => {
      const [one, other] = [event('1.75'), event()];
      await know(trial, [one, other]);
      await sendFirst(trial, one);
      await send(trial, 'another event', other, SHARED_KEY);
    },

    // ---- The amount, and what else the body says ----
    ...Object.fromEntries(
      AMOUNTS.map(([what, amounts, causes]) => [
        `${what} are ${moved} exactly`,
        (trial: Trial, event: NewEvent) => exactly(trial, event, type, amounts, causes),
      ]),
    ),
    [`every form of a body is ${moved} once`]: async (trial, event) => {
      const first = event();
      await sendEach(trial, [
        ['', first],
        ...formsOfEvents(event, !isTyped).flatMap(({ label, one, body }) => [
          [label, body, FORM] as const,
          [`again, after ${label}`, one, REPEATED] as const,
        ]),
        ['the first event again', first, FORGOTTEN],
      ]);
    },
    'an event in another form is a repeat': async (trial, event) => {
      const one = event();
      const variants = bodyVariants(one.body).map(
        ({ label, body }) => [label, { ...one, body }, REPEATED] as const,
      );
      const capitals = ['identifiers in capitals', inCapitals(one), REPEATED] as const;
      await sendEach(trial, [['', one], ...variants, capitals]);
    },
    'a value that decides nothing changes nothing': async (trial, event) => {
      const steps = harmlessValues(event()).map(({ label, changes, of }) => {
        const causes = { length: NARROW, expiry: LATE, choice: HARMLESS }[of];
        return [label, event().with(changes), causes] as const;
      });
      await sendEach(trial, steps);
    },
    'each optional field may be missing': async (trial, event) => {
      const names = optionalIn(event());
      const none = event().with(Object.fromEntries(names.map((name) => [name, null])));
      await sendEach(trial, [
        ...names.map(
          (name) => [`without ${name}`, event().with({ [name]: undefined }), MISSING] as const,
        ),
        ['each of them as null', none, MISSING],
      ]);
    },
    'an unknown field changes nothing': async (trial, event) => {
      const one = event();
      await sendEach(trial, [
        ['a number', one.with({}, { unknownField: '1.50' })],
        ['again, without the unknown field', one, REPEATED],
        ['an object', event().with({}, { unknownField: '{"amount":[1.50,null]}' })],
        ['\\u0000', event().with({}, { unknownField: '"\\u0000"' }), NUL],
      ]);
    },
    [`a currency of three, four or five letters is ${moved}, or held`]: async (trial, event) => {
      const usual = event();
      const sent = ['ETH', 'DOGE', 'MATIC'].flatMap((code) =>
        [currencyOf[type], 'settlementCurrency'].map((name) => ({
          ...{ label: `${name} ${code}`, one: event().with({ [name]: code }) },
        })),
      );
      await know(trial, [usual, ...sent.map(({ one }) => one)]);
      await send(trial, '', usual);
      for (const { label, one } of sent) {
        await sendOrHold(trial, label, one, { ...NARROW, change: COIN });
      }
    },
    ...(isDeposit ? DEPOSITS : WITHDRAWALS),

    // ---- The key ----
    [`A, B, then A again are ${moved} once each`]: async (trial, event) => {
      const [a, b] = [event(), event('0.5')];
      await sendEach(trial, [
        ['', a],
        ['another event', b],
        ['the first event again', a, FORGOTTEN],
        ['the second event again', b, REPEATED],
      ]);
    },
    [`two events of one transactionId are ${moved}, and two without one`]: async (trial, event) => {
      const hash = `0x${event().seed.toString(16).padStart(64, '0')}`;
      const steps = [hash, null, undefined].flatMap((transactionId) => {
        const label = `transactionId ${transactionId}`;
        const answer = transactionId ? NARROW.answer : MISSING;
        return [
          [label, event().with({ transactionId }), { change: TRANSACTION, answer }] as const,
          [`${label} again`, event().with({ transactionId }), TRANSACTION] as const,
        ];
      });
      await sendEach(trial, steps);
    },
    [`a known key with another amount, order or currency moves nothing${kept ? ', and is kept' : ''}`]:
      async (trial, event) => {
        const other = event();
        const coins = { displayCurrency: 'CHF', settlementCurrency: 'PYUSD' };
        const changes = {
          'with a larger amount': amountsOf(type, '7'),
          'with a smaller amount': amountsOf(type, '0.5'),
          'with another last digit': amountsOf(type, '0.750000000000000001'),
          'of another order': other.order,
          'in another currency': { ...coins, [currencyOf[type]]: 'LTC' },
        };
        const sent = Object.entries(changes).map(([label, change]) => {
          const one = event();
          return { label, one, changed: one.with(change) };
        });
        await know(trial, [other, ...sent.map(({ one }) => one)]);
        for (const { label, one, changed } of sent) {
          await send(trial, '', one);
          await sendForReview(trial, label, changed, CONFLICT);
        }
      },

    // ---- What can't be settled, or not yet ----
    [`faulty bodies move nothing, and are ${kept ? 'kept' : 'refused'}`]: async (trial, event) => {
      const one = event();
      await know(trial, [one]);
      for (const { label, body } of faultsOf(one.body)) {
        await sendFaulty(trial, label, [{ ...one, body }]);
      }
      await send(trial, 'the valid body', one, PARSER);
    },
    [`different faulty bodies at the same time are ${kept ? 'kept' : 'refused'}`]: async (
      trial,
      event,
    ) => {
      const sent = FIVE.map((_, index) => {
        const one = event();
        return { one, body: { ...one, ...faultsOf(one.body).at(-1 - index) } };
      });
      await know(
        trial,
        sent.map(({ one }) => one),
      );
      await sendFaulty(
        trial,
        'different faults',
        sent.map(({ body }) => body),
      );
    },
    [`what only this package refuses is refused, or ${moved} right`]: async (trial, event) => {
      const sent = limitsOf(event().body).map((_, index) => {
        const one = event();
        return { one, limit: limitsOf(one.body)[index] };
      });
      await know(
        trial,
        sent.map(({ one }) => one),
      );
      for (const { one, limit } of sent) {
        await sendLimit(trial, `${limit?.label}`, { ...one, ...limit }, one);
        await send(trial, 'the valid body', one, PARSER);
      }
    },
    [`an order that was not known yet is ${moved} once it is`]: async (trial, event) => {
      const one = event();
      await sendUnknown(trial, one);
      await send(trial, 'now known', one, NEW_ORDER);
      await send(trial, 'again', one, REPEATED);
    },

    // ---- At the same time ----
    [`five copies at the same time are ${moved} once`]: async (trial, event) => {
      const rounds = await roundsOf(trial, event);
      await know(trial, rounds);
      await race(trial, rounds, (one) => send(trial, '', one, {}, 5));
    },
    [`five ${isDeposit ? 'orders of one customer' : 'withdrawals'} at the same time add up`]: (
      trial,
      event,
    ) => addUp(trial, () => FIVE.map((amount) => event(amount))),
    ...(breakDatabase ? { ...outages('balances', moved), ...outages('keys', moved) } : {}),
  };
}

const DEPOSITS: Behaviors = {
  'what arrived is credited, near to what the order expected or far from it': async (
    trial,
    event,
  ) => {
    const steps = FACTORS.map((factor) => {
      const expectedDepositAmount = part('0.8', factor);
      const expected = { expectedDepositAmount, expectedDisplayAmount: part('20.8', factor) };
      const label = `${expectedDepositAmount} expected`;
      return [label, event('0.8').with(expected), EXPECTED] as const;
    });
    await sendEach(trial, steps);
  },
  'a time in another form is read, or held': async (trial, event) => {
    const sent = timesInOtherForms(event()).map(({ label, changes }) => ({
      ...{ label, one: event().with(changes) },
    }));
    await know(
      trial,
      sent.map(({ one }) => one),
    );
    for (const { label, one } of sent) await sendOrHold(trial, label, one, HARMLESS);
  },
  'deposits that pay an order in parts add up': async (trial, event) => {
    const ofOne = { ...event().order, ...UNPAID };
    await sendEach(trial, [
      ['', event('0.7').with(ofOne), EXPECTED],
      ['the second of its order', event('0.5').with(ofOne), ORDER_KEY],
      ['the third of its order', event('0.7').with(ofOne), OTHER_KEY],
    ]);
  },
  'deposits that differ only in depositId are credited': async (trial, event) => {
    const { transactionId } = JSON.parse(event().body);
    const ofOne = { ...event().order, ...UNPAID, transactionId };
    await sendEach(trial, [
      ['', event().with(ofOne), EXPECTED],
      ['another of its order, amount and transaction', event().with(ofOne), OTHER_KEY],
    ]);
  },
  'a deposit after its order is paid is credited, or held': async (trial, event) => {
    const expected = { expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
    const ofOne = { ...event().order, ...expected };
    const second = event('0.5').with(ofOne);
    await sendEach(trial, [['', event('0.7').with(ofOne)]]);
    await sendOrHold(trial, 'the order is paid', second, PAID);
  },
  'a second deposit in another currency is credited in that currency, or held': async (
    trial,
    event,
  ) => {
    const ofOne = { ...event().order, ...UNPAID };
    const second = event('0.5').with({ ...ofOne, depositCurrency: 'LTC' });
    await sendEach(trial, [['', event().with(ofOne), EXPECTED]]);
    await sendOrHold(trial, 'LTC', second, { change: SECOND_COIN });
  },
  'five deposits of one order at the same time add up': async (trial, event) => {
    const ofOne = { ...event().order, ...UNPAID };
    const [first = []] = await addUp(trial, () => FIVE.map((amount) => event(amount).with(ofOne)));
    for (const one of first) await send(trial, 'the first again', one, FORGOTTEN);
  },
};

const WITHDRAWALS: Behaviors = {
  'what left is debited, near to the estimate or far from it': async (trial, event) => {
    const steps = FACTORS.map((factor) => {
      const estimatedWithdrawAmount = part('0.8', factor);
      const estimated = { estimatedWithdrawAmount, expectedDisplayAmount: part('20.8', factor) };
      return [`${estimatedWithdrawAmount} estimated`, event('0.8').with(estimated)] as const;
    });
    await sendEach(trial, steps);
  },
  'FAILED debits nothing': (trial, event) => unmoved(trial, event, 'FAILED'),
  'BLOCKED debits nothing': (trial, event) => unmoved(trial, event, 'BLOCKED'),
  'each status after each other one is an event, and debits once': async (trial, event) => {
    const pairs = STATUSES.flatMap((first) =>
      STATUSES.filter((then) => then !== first).map((then) => ({ first, then, one: event() })),
    );
    const steps = pairs.flatMap(({ first, then, one }) =>
      [
        [first, first] as const,
        [`${first}, then ${then}`, then] as const,
        [`${first}, ${then}, then ${first} again`, first] as const,
        [`${first}, ${then}, then ${then} again`, then] as const,
      ].map(([label, status]) => {
        const causes = status === 'COMPLETED' ? FINAL : STATUS;
        return [label, one.with({ status }), causes] as const;
      }),
    );
    await sendEach(trial, steps);
  },
  'a new withdrawal after one that FAILED is debited': async (trial, event) => {
    const failed = event().with({ status: 'FAILED', ...NOTHING_MOVED });
    const label = 'a new one of its clientWithdrawalId';
    await sendEach(trial, [
      ['FAILED', failed, STATUS],
      [label, event().with(failed.order), RETRIED_KEY],
    ]);
  },
  'without an amount, nothing is debited until the amount arrives': async (trial, event) => {
    const one = event();
    await know(trial, [one]);
    await sendForReview(trial, 'without an amount', one.with(NOTHING_MOVED), NO_AMOUNT, NO_AMOUNT);
    await send(trial, 'now with its amount', one, NO_AMOUNT);
  },
};

const outages = (part: DatabasePart, moved: string): Behaviors => ({
  [`is ${moved} once if the ${part} failed`]: async (trial, event) => {
    const [known, one] = [event(), event('0.5')];
    await know(trial, [known, one]);
    await send(trial, '', known);
    await sendDuring(trial, part, `again, while the ${part} fail`, known, 1);
    await sendDuring(trial, part, `while the ${part} fail`, one, 1);
    await send(trial, 'after the database was mended', one, MENDED);
  },
  [`copies are ${moved} once if the ${part} failed`]: async (trial, event) => {
    const one = event();
    await know(trial, [one]);
    // As many as empty a pool, if a failure leaves a connection in use.
    for (let count = 0; count < 3; count += 1) {
      await sendDuring(trial, part, `while the ${part} fail`, one, 5);
    }
    await send(trial, 'after the database was mended', one, MENDED, 5);
  },
});

export const TOGETHER: Behaviors = {
  'deposits and withdrawals of one customer at the same time add up': async (trial) => {
    const { deposit, withdrawal } = trial;
    const { withdrawCurrency, settlementCurrency } = JSON.parse(withdrawal().body);
    const inOne = { depositCurrency: withdrawCurrency, settlementCurrency };
    const first = deposit().with(inOne);
    const rounds = await roundsOf(trial, () =>
      FIVE.map((amount, index) =>
        index % 2 === 0 ? deposit(amount).with(inOne) : withdrawal(amount),
      ),
    );
    await know(trial, [first, ...rounds.flat()]);
    // A handler may hold deposits in this currency.
    if (!(await sendOrHold(trial, `a deposit in ${withdrawCurrency}`, first, COIN))) return;
    await race(trial, rounds, (some) => send(trial, 'at the same time', some, RACE));
  },
};

/** Each amount as a number and as a string: what one keeps, the other may lose. */
async function exactly(
  trial: Trial,
  event: NewEvent,
  type: NotificationType,
  amounts: readonly string[],
  causes: Causes,
): Promise<void> {
  const steps = amounts.flatMap((amount) =>
    [0, 1].map((encoding) => {
      const one = event(new Decimal(amount).toFixed()).with({ [amountOf[type]]: amount });
      const form = inBothEncodings(readWire(one.body))[encoding];
      return [`${amount}, ${form?.label}`, { ...one, ...form }, causes] as const;
    }),
  );
  await sendEach(trial, steps);
}

/** The service doesn't document which fields it sends if nothing moved. */
async function unmoved(trial: Trial, event: NewEvent, status: string): Promise<void> {
  const bare = event().with({ status });
  // By the documentation, the others are required. But nothing was sent to an address.
  const names = ['toTxAddress', ...optionalIn(event())];
  const left = Object.fromEntries(names.map((name) => [name, undefined]));
  await sendEach(trial, [
    ['with an amount', event().with({ status }), STATUS],
    ['without an amount', event().with({ status, ...NOTHING_MOVED }), STATUS],
    ['with required fields only', bare.with(left), { ...STATUS, answer: MISSING }],
  ]);
}

async function addUp(trial: Trial, make: () => TestEvent[]): Promise<TestEvent[][]> {
  const rounds = await roundsOf(trial, make);
  await know(trial, rounds.flat());
  await race(trial, rounds, (some) => send(trial, 'at the same time', some, RACE));
  return rounds;
}

/** The names of the fields without which a body is still valid. */
function optionalIn(event: TestEvent): string[] {
  return Object.keys(JSON.parse(event.body)).filter(
    (name) => safeParseNotification(event.with({ [name]: undefined }).body).success,
  );
}
