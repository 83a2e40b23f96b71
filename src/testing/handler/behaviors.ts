import { WithdrawalStatus } from '../../parser/enums.js';
import type { NotificationType } from '../../parser/errors.js';
import { safeParseNotification } from '../../parser/parse.js';
import { Decimal } from '../../parser/values/amount.js';
import { readWire } from '../../shared/members.js';
import { faultsOf, limitsOf } from '../faults.js';
import { bodyVariants, inBothEncodings } from '../variants.js';
import type { Causes } from './causes.js';
import {
  amountsOf,
  type Changes,
  type NewEvent,
  NOTHING_MOVED,
  part,
  type TestEvent,
} from './events.js';
import {
  DROPPED,
  formsOfEvent,
  harmlessValues,
  inCapitals,
  NARROW,
  timesInOtherForms,
} from './forms.js';
import type { DatabasePart, HandlerTestsOptions } from './options.js';
import {
  keeps,
  PARSER,
  REPEATED,
  race,
  refuses,
  type Step,
  settles,
  settlesOnceKnown,
  settlesOrKeeps,
  settlesOrRefuses,
  survives,
} from './steps.js';

/** What a correct handler does, by name: the steps that show it with new events. */
export type Behaviors = Readonly<Record<string, (event: NewEvent) => readonly Step[]>>;

const FIRST: Causes = {
  change:
    'Nothing moved. Check that balance reads what your handler changes, and that prepare inserts what it updates. Otherwise, an error was caught, the answer came before the work, or a worker gave up',
  kept: 'The body was kept for review. Check that prepare inserts the order that your handler looks up. If you keep it on purpose, return amount: null in amountOf',
  answer: 'See the log of your server, and check that prepare inserts the order',
};
const FIRST_WITHOUT_PREPARE: Causes = {
  change:
    'Nothing moved. Pass prepare, which inserts the order. If there are no orders, check that balance reads what your handler changes',
  kept: 'The body was kept for review, because its order is unknown. Pass prepare, which inserts it',
  answer:
    'Pass prepare, which inserts the order. If there are no orders, see the log of your server',
};
const FORM =
  'This form is refused or not read. Use the parsers of this package, and accept any content type';
const FORGOTTEN = 'The key is not checked, or forgotten after others. Keep every key';
const SHARED_KEY =
  'The key is made of fields that other events share, such as those of an order or a transaction. Use idempotencyKey';
const CONFLICT = 'The key is not checked, or contains more than the event. Use idempotencyKey';
const UNCOMPARED =
  'The values of a known key are not compared, or not to the last digit. If they differ, keep the body for review, where kept counts it';
const PART =
  'Either the key is that of the order: use idempotencyKey. Or the first deposit closes its order: credit each';
const STATUS = {
  change: 'The status is not checked. Debit only COMPLETED withdrawals, and undo nothing',
};
const FINAL = 'The key lacks the status, or the first status is final. Use idempotencyKey';
const NO_AMOUNT =
  'The body is lost, or the key was inserted without the amount. Keep the body for review, and insert the key when you debit';
const SMALL = 'A small amount is dropped or rounded to zero, or its exponent is not read';
const COIN =
  'Its currency is cut off, unknown, or replaced by that of the order. Store codes of any length, and move its own currency';
const CODE = { ...NARROW, change: COIN };
const MISSING = 'The handler depends on this field, which may be missing. See the types';
const NUL = { answer: 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea' };
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
/** What an order expects, or an estimate, as multiples of what moves. */
const FACTORS = ['1', '0.995', '1.005', '0.5', '2'];
const STATUSES = Object.values(WithdrawalStatus);

/** As a double, 19.99 * 100 is less than 1999, and 1.005 is rounded down. */
const CENTS = ['19.99', '0.29', '0.129', '0.125', '1.005', '8.345'];

/** Amounts that a wrong type, column or rounding changes, by what is special about them. */
const AMOUNTS: readonly (readonly [what: string, amounts: readonly string[], causes: Causes])[] = [
  ['18 decimals', ['6543.219876543219876543'], NARROW],
  // More digits than decimal.js calculates with by default.
  ['28 digits', ['1234567890.123456789012345678'], NARROW],
  ['12 digits before the point', ['123456789012.34'], NARROW],
  ['small amounts', ['0.00005', '0.00000015', '1.5e-7', '1.5E-7'], SMALL],
  ['cents, halves and thirds', [...CENTS, '0.666666667', '1.000000005'], NARROW],
];

/** What a handler does with events of one type. The first shows whether the options are right. */
export function behaviorsOf(
  type: NotificationType,
  { breakDatabase, kept, prepare, headers = {} }: HandlerTestsOptions,
  rounds: number,
): Behaviors {
  const isDeposit = type === 'deposit.received';
  const moved = isDeposit ? 'credited' : 'debited';
  const amountName = isDeposit ? 'actualDepositAmount' : 'actualWithdrawAmount';
  const currencyName = isDeposit ? 'depositCurrency' : 'withdrawCurrency';
  // A merchant who sets a content type knows what the service sends.
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const outages = (part: DatabasePart): Behaviors => ({
    [`is ${moved} once if the ${part} failed`]: (event) => {
      const [known, one] = [event(), event('0.5')];
      return [
        settles('', known),
        survives(part, `again, while the ${part} fail`, known),
        survives(part, `while the ${part} fail`, one),
        settles('after the database was mended', one, MENDED),
      ];
    },
    [`copies are ${moved} once if the ${part} failed`]: (event) => {
      const one = event();
      const copies = survives(part, `while the ${part} fail`, one, 5);
      // 15 failures empty a pool of connections, if each leaves one in use.
      return [copies, copies, copies, settles('after the database was mended', one, MENDED, 5)];
    },
  });
  return {
    [`the plainest one is ${moved}`]: (event) => [
      settles('', event('1.75'), prepare ? FIRST : FIRST_WITHOUT_PREPARE),
      settles('another event', event(), SHARED_KEY),
    ],

    // ---- The amount, and what else the body says ----
    ...Object.fromEntries(
      AMOUNTS.map(([what, amounts, causes]) => [
        `${what} are ${moved} exactly`,
        (event: NewEvent) =>
          // What one encoding keeps, the other may lose.
          amounts.flatMap((amount) =>
            forEachForm(
              () => event(new Decimal(amount).toFixed()).with({ [amountName]: amount }),
              ({ body }) => inBothEncodings(readWire(body)),
              ({ label, body }, one) => [settles(`${amount}, ${label}`, { ...one, body }, causes)],
            ),
          ),
      ]),
    ),
    [`every form of a body is ${moved} once`]: (event) => {
      const first = event();
      const forms = forEachForm(
        event,
        (one) => formsOfEvent(one, !isTyped),
        ([label, body], one) => [
          settles(label, body, FORM),
          settles(`again, after ${label}`, one, REPEATED),
        ],
      );
      return [settles('', first), ...forms, settles('the first event again', first, FORGOTTEN)];
    },
    'an event in another form is a repeat': (event) => {
      const one = event();
      return [
        settles('', one),
        ...bodyVariants(one.body).map(({ label, body }) =>
          settles(label, { ...one, body }, REPEATED),
        ),
        settles('identifiers in capitals', inCapitals(one), REPEATED),
      ];
    },
    'a value that decides nothing changes nothing': (event) =>
      harmlessValues(event()).map(([label, changes, causes]) =>
        settles(label, event().with(changes), causes),
      ),
    'each optional field may be missing': (event) => {
      const names = Object.keys(JSON.parse(event().body)).filter((name) => isOptional(event, name));
      const none = Object.fromEntries(names.map((name) => [name, null]));
      return [
        ...names.map((name) =>
          settles(`without ${name}`, event().with({ [name]: undefined }), MISSING),
        ),
        settles('each of them as null', event().with(none), MISSING),
      ];
    },
    'an unknown field changes nothing': (event) => {
      const one = event();
      return [
        settles('a number', one.with({}, { unknownField: '1.50' })),
        settles('again, without the unknown field', one, REPEATED),
        settles('an object', event().with({}, { unknownField: '{"amount":[1.50,null]}' })),
        settles('\\u0000', event().with({}, { unknownField: '"\\u0000"' }), NUL),
      ];
    },
    [`a currency of three, four or five letters is ${moved}, or held`]: (event) => [
      settles('', event()),
      ...['ETH', 'DOGE', 'MATIC'].flatMap((code) =>
        [currencyName, 'settlementCurrency'].map((name) =>
          settlesOrKeeps(`${name} ${code}`, event().with({ [name]: code }), CODE),
        ),
      ),
    ],
    ...(isDeposit ? depositBehaviors(rounds) : WITHDRAWALS),

    // ---- The key ----
    [`A, B, then A again are ${moved} once each`]: (event) => {
      const [a, b] = [event(), event('0.5')];
      return [
        settles('', a),
        settles('another event', b),
        settles('the first event again', a, FORGOTTEN),
        settles('the second event again', b, REPEATED),
      ];
    },
    [`two events of one transactionId are ${moved}, and two without one`]: (event) => {
      const hash = `0x${event().seed.toString(16).padStart(64, '0')}`;
      return [hash, null, undefined].flatMap((transactionId) => {
        const label = `transactionId ${transactionId}`;
        const answer = transactionId ? NARROW.answer : MISSING;
        return [
          settles(label, event().with({ transactionId }), { change: SHARED_KEY, answer }),
          settles(`${label} again`, event().with({ transactionId }), SHARED_KEY),
        ];
      });
    },
    [`a known key with another amount, order or currency moves nothing${kept ? ', and is kept' : ''}`]:
      (event) => {
        const coins = { displayCurrency: 'CHF', settlementCurrency: 'PYUSD' };
        const changes = {
          'with a larger amount': amountsOf(type, '7'),
          'with a smaller amount': amountsOf(type, '0.5'),
          'with another last digit': amountsOf(type, '0.750000000000000001'),
          'of another order': event().order,
          'in another currency': { ...coins, [currencyName]: 'LTC' },
        };
        return Object.entries(changes).flatMap(([label, change]) => {
          const one = event();
          return [settles('', one), keeps(label, one.with(change), CONFLICT, UNCOMPARED)];
        });
      },

    // ---- What can't be settled, or not yet ----
    [`faulty bodies move nothing, and are ${kept ? 'kept' : 'refused'}`]: (event) => {
      const one = event();
      return [
        ...faultsOf(one.body).map(({ label, body }) => refuses(label, [{ ...one, body }])),
        settles('the valid body', one, PARSER),
      ];
    },
    [`different faulty bodies at the same time are ${kept ? 'kept' : 'refused'}`]: (event) => {
      const events = FIVE.map((amount) => event(amount));
      const bodies = events.map((one, index) => {
        const fault = faultsOf(one.body).at(-1 - index);
        return { ...one, ...fault };
      });
      return [
        refuses('different faults', bodies),
        ...events.map((one) => settles('the valid body', one, PARSER)),
      ];
    },
    [`what only this package refuses is refused, or ${moved} right`]: (event) =>
      forEachForm(
        event,
        ({ body }) => limitsOf(body),
        ({ label, body }, one) => [
          settlesOrRefuses(label, body, one),
          settles('the valid body', one, PARSER),
        ],
      ),
    [`an order that was not known yet is ${moved} once it is`]: (event) => [
      settlesOnceKnown(event),
    ],

    // ---- At the same time ----
    [`five copies at the same time are ${moved} once`]: (event) => [
      race(repeat(rounds, () => settles('', event(), {}, 5))),
    ],
    [`five ${isDeposit ? 'orders of one customer' : 'withdrawals'} at the same time add up`]: (
      event,
    ) => [race(repeat(rounds, () => together(FIVE.map((amount) => event(amount)))))],
    ...(breakDatabase ? { ...outages('balances'), ...outages('keys') } : {}),
  };
}

function depositBehaviors(rounds: number): Behaviors {
  return {
    'what arrived is credited, near to what the order expected or far from it': (event) =>
      FACTORS.map((factor) => {
        const expectedDepositAmount = part('0.8', factor);
        const expected = { expectedDepositAmount, expectedDisplayAmount: part('20.8', factor) };
        const one = event('0.8').with(expected);
        return settles(`${expectedDepositAmount} expected`, one, DROPPED);
      }),
    'a time in another form is read, or held': (event) =>
      timesInOtherForms(event()).map(([label, changes, causes]) =>
        settlesOrKeeps(label, event().with(changes), causes),
      ),
    'deposits that pay an order in parts add up': (event) => {
      const ofOne = { ...event().order, ...UNPAID };
      return [
        settles('', event('0.7').with(ofOne), DROPPED),
        settles('the second of its order', event('0.5').with(ofOne), PART),
        settles('the third of its order', event('0.7').with(ofOne), SHARED_KEY),
      ];
    },
    'deposits that differ only in depositId are credited': (event) => {
      const { transactionId } = JSON.parse(event().body);
      const ofOne = { ...event().order, ...UNPAID, transactionId };
      const label = 'another of its order, amount and transaction';
      return [
        settles('', event().with(ofOne), DROPPED),
        settles(label, event().with(ofOne), SHARED_KEY),
      ];
    },
    'a deposit after its order is paid is credited, or held': (event) => {
      const expected = { expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
      const ofOne = { ...event().order, ...expected };
      return [
        settles('', event('0.7').with(ofOne)),
        settlesOrKeeps('the order is paid', event('0.5').with(ofOne), DROPPED),
      ];
    },
    'a second deposit in another currency is credited in that currency, or held': (event) => {
      const ofOne = { ...event().order, ...UNPAID };
      const second = event('0.5').with({ ...ofOne, depositCurrency: 'LTC' });
      return [
        settles('', event().with(ofOne), DROPPED),
        settlesOrKeeps('LTC', second, { change: COIN }),
      ];
    },
    'five deposits of one order at the same time add up': (event) => {
      const ofOne = { ...event().order, ...UNPAID };
      const all = repeat(rounds, () => FIVE.map((amount) => event(amount).with(ofOne)));
      const [first = []] = all;
      return [
        race(all.map(together)),
        ...first.map((one) => settles('the first again', one, FORGOTTEN)),
      ];
    },
  };
}

const WITHDRAWALS: Behaviors = {
  'what left is debited, near to the estimate or far from it': (event) =>
    FACTORS.map((factor) => {
      const estimatedWithdrawAmount = part('0.8', factor);
      const estimated = { estimatedWithdrawAmount, expectedDisplayAmount: part('20.8', factor) };
      return settles(`${estimatedWithdrawAmount} estimated`, event('0.8').with(estimated));
    }),
  'FAILED debits nothing': (event) => debitsNothing(event, 'FAILED'),
  'BLOCKED debits nothing': (event) => debitsNothing(event, 'BLOCKED'),
  'each status after each other one is an event, and debits once': (event) =>
    STATUSES.flatMap((first) =>
      STATUSES.filter((then) => then !== first).flatMap((then) => {
        const one = event();
        const has = (label: string, status: string): Step =>
          settles(label, one.with({ status }), status === 'COMPLETED' ? FINAL : STATUS);
        return [
          has(first, first),
          has(`${first}, then ${then}`, then),
          has(`${first}, ${then}, then ${first} again`, first),
          has(`${first}, ${then}, then ${then} again`, then),
        ];
      }),
    ),
  'a new withdrawal after one that FAILED is debited': (event) => {
    const failed = event().with({ status: 'FAILED', ...NOTHING_MOVED });
    const label = 'a new one of its clientWithdrawalId';
    return [
      settles('FAILED', failed, STATUS),
      settles(label, event().with(failed.order), SHARED_KEY),
    ];
  },
  'without an amount, nothing is debited until the amount arrives': (event) => {
    const one = event();
    return [
      keeps('without an amount', one.with(NOTHING_MOVED), NO_AMOUNT, NO_AMOUNT),
      settles('now with its amount', one, NO_AMOUNT),
    ];
  },
};

/** The service doesn't document which fields it sends if nothing moved. */
function debitsNothing(event: NewEvent, status: string): Step[] {
  const one = (): TestEvent => event().with({ status });
  // The address is documented as required, but nothing was sent to one.
  const names = Object.keys(JSON.parse(event().body)).filter((name) => isOptional(event, name));
  const left = Object.fromEntries(['toTxAddress', ...names].map((name) => [name, undefined]));
  return [
    settles('with an amount', one(), STATUS),
    settles('without an amount', one().with(NOTHING_MOVED), STATUS),
    settles('with required fields only', one().with(left), { ...STATUS, answer: MISSING }),
  ];
}

/** What a handler does that receives both types. */
export function sharedBehaviors(withdrawal: NewEvent, rounds: number): Behaviors {
  return {
    'deposits and withdrawals of one customer at the same time add up': (deposit) => {
      const { withdrawCurrency, settlementCurrency } = JSON.parse(withdrawal().body);
      const inOne = { depositCurrency: withdrawCurrency, settlementCurrency };
      const events = (): TestEvent[] =>
        FIVE.map((amount, index) =>
          index % 2 === 0 ? deposit(amount).with(inOne) : withdrawal(amount),
        );
      return [
        settlesOrKeeps(`a deposit in ${withdrawCurrency}`, deposit().with(inOne), COIN),
        race(repeat(rounds, () => together(events()))),
      ];
    },
  };
}

const together = (events: readonly TestEvent[]): Step => settles('at the same time', events, RACE);

const repeat = <T>(times: number, make: () => T): T[] => Array.from({ length: times }, make);

/**
 * Returns the steps for each form that `make` gives an event. Each form gets a new event of its
 * own. One more event is only used to count the forms, and is never sent.
 */
function forEachForm<T>(
  event: NewEvent,
  make: (one: TestEvent) => readonly T[],
  stepsOf: (made: T, one: TestEvent) => readonly Step[],
): Step[] {
  return make(event()).flatMap((_, index) => {
    const one = event();
    return make(one)
      .slice(index, index + 1)
      .flatMap((made) => stepsOf(made, one));
  });
}

/** Whether a body is still valid without a field. */
function isOptional(event: NewEvent, name: string): boolean {
  return safeParseNotification(event().with({ [name]: undefined }).body).success;
}
