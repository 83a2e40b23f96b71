import { Decimal } from '../amount.js';
import type { NotificationType } from '../errors.js';
import { safeParseNotification } from '../parse.js';
import { faultyBodies } from './faults.js';
import {
  type Changes,
  depositAmounts,
  type NewEvent,
  NOTHING_MOVED,
  part,
  type TestBody,
  type TestEvent,
  withdrawalAmounts,
} from './handler-events.js';
import type { DatabasePart } from './handler-options.js';
import { bodyVariants } from './variants.js';

/** What is sent at the same time. What must follow is derived from `amountOf`. */
export interface Step {
  /** How the bodies differ from ordinary ones. */
  readonly label: string;
  readonly bodies: readonly TestBody[];
  /** How many copies of each are sent (default: 1). */
  readonly copies?: number;
  /** What the handler must answer (default: success). */
  readonly answer?: 'refusal' | 'any';
  /** Sent while this part of the database is broken. */
  readonly broken?: DatabasePart;
  /** Sent again after this part was mended. */
  readonly mended?: DatabasePart;
  /** Sent before `prepare` is given the orders. */
  readonly unprepared?: boolean;
  /** Checks that each body is kept for review, unless it is a repeat. */
  readonly keeps?: boolean;
  /** A right handler may also hold the bodies for review. */
  readonly mayHold?: boolean;
  /** A round of a race, which is left out if the rounds before it took long. */
  readonly round?: boolean;
  /** The likely cause if nothing moved, or if it moved though nothing was due. */
  readonly cause?: string;
  /** The likely cause if a body is refused (default: `cause`). */
  readonly ifRefused?: string;
}

export interface Behavior {
  /** Of what it is: of one type, or of both. */
  readonly of: readonly NotificationType[];
  /** In a name, {moved} is credited or debited. */
  readonly name: string;
  /** What shows it. A race is run this many times. */
  readonly steps: (event: NewEvent, rounds: number) => readonly Step[];
  /** The option without which the test is left out. */
  readonly needs?: 'breakDatabase' | 'kept';
}

const DEPOSIT = ['deposit.received'] as const;
const WITHDRAWAL = ['withdrawal.broadcast'] as const;
const BOTH = [...DEPOSIT, ...WITHDRAWAL];

const REPEATED =
  'The key is not checked, or depends on how the body is written. Use idempotencyKey';
const CONFLICT = 'The key is not checked, or contains more than the event. Use idempotencyKey';
const TRANSACTION =
  'The key is the transactionId, which one transaction with several outputs repeats. Use idempotencyKey';
const OTHER_KEY = 'The key is made of other fields than depositId. Use idempotencyKey';
const ORDER_KEY = 'The key is that of the order. Use idempotencyKey';
const PAID = 'What arrives after its order is paid is dropped. Credit it, or hold it for review';
const RETRIED_KEY = 'The key is the clientWithdrawalId. Use idempotencyKey';
const FINAL = 'The key lacks the status, or FAILED is final. Use idempotencyKey';
const STATUS = 'The status is not checked. Debit only COMPLETED withdrawals';
const NO_AMOUNT = 'The key was inserted without the amount. Insert it when you debit, not before';
const UNKNOWN = 'The key was inserted though the order was unknown. Insert it when you settle';
const SMALL = 'A small amount is dropped, or its exponent is not read';
const LESS = 'What is less or more than expected is dropped. Credit it, or hold it for review';
const FEE = 'A fee that is negative or missing stops the handler. It decides nothing';
const LATE = 'What arrives after its link expired is dropped. Credit it, or hold it for review';
const CUT_CODE =
  'Nothing moved in this currency, and nothing is kept. Its code is cut off or unknown';
const OTHER_CURRENCY = 'It is credited in the currency of the order, or dropped';
const PARSER = 'The body is read without the parsers of this package. Use createReceiver';
const REQUIRED =
  'The handler requires this field. See the types: a value that may be null may be missing';
const TOO_SHORT =
  'A column may be too short, such as varchar(4), varchar(64) or numeric(20,18). See the log';
const NUL = 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea';
const RACE =
  'Either the balance is read and then written, so that one overwrites the other: add in the database, or lock the row. Or one is dropped while another is in progress';

/** What a handler must do. */
export const BEHAVIORS: readonly Behavior[] = [
  // ---- The amount ----
  {
    of: BOTH,
    name: '18 decimals are {moved} exactly',
    steps: (event) => exactly(event, '6543.219876543219876543'),
  },
  {
    // More digits than decimal.js calculates with by default.
    of: BOTH,
    name: '28 digits are {moved} exactly',
    steps: (event) => exactly(event, '1234567890.123456789012345678'),
  },
  {
    of: BOTH,
    name: '12 digits before the point are {moved} exactly',
    steps: (event) => exactly(event, '123456789012.34'),
  },
  {
    of: BOTH,
    name: 'small amounts are {moved} exactly',
    steps: (event) =>
      ['0.00005', '0.00000015', '1.5e-7', '1.5E-7'].flatMap((amount) =>
        exactly(event, amount, SMALL),
      ),
  },
  {
    // As a double, 19.99 * 100 is less than 1999, and 1.005 is rounded down.
    of: BOTH,
    name: 'cents, halves and thirds are {moved} exactly',
    steps: (event) =>
      ['19.99', '0.29', '0.129', '0.125', '1.005', '8.345', '0.333333333', '1.000000005'].map(
        (amount) => send(amount, event(amount)),
      ),
  },
  {
    of: DEPOSIT,
    name: 'what arrived is credited, near to what the order expected or far from it',
    steps: (event) =>
      [
        ['as much as expected', '1'],
        ['half a percent more than expected', '0.995'],
        ['half a percent less than expected', '1.005'],
        ['twice as much as expected', '0.5'],
        ['half of what was expected', '2'],
      ].map(([label = '', factor = '']) => {
        const expected = {
          expectedDepositAmount: part('0.8', factor),
          expectedDisplayAmount: part('20.8', factor),
        };
        return send(label, event('0.8').with(expected), { cause: LESS });
      }),
  },
  {
    of: WITHDRAWAL,
    name: 'what left is debited, near to the estimate or far from it',
    steps: (event) =>
      ['1', '0.995', '1.005', '0.5', '2'].map((factor) => {
        const estimated = {
          estimatedWithdrawAmount: part('0.8', factor),
          expectedDisplayAmount: part('20.8', factor),
        };
        return send(`estimated ${factor} times as much`, event('0.8').with(estimated));
      }),
  },
  {
    of: BOTH,
    name: 'a fee that is negative or null changes nothing',
    steps: (event) =>
      Object.keys(event().amounts)
        .filter((name) => name.endsWith('Fee'))
        .flatMap((name) =>
          ['-0.01', null].map((fee) =>
            send(`${name} ${fee}`, event().with({ [name]: fee }), { cause: FEE }),
          ),
        ),
  },

  // ---- The key ----
  {
    of: BOTH,
    name: 'every encoding is {moved} exactly',
    steps: (event) => {
      // Those of a single amount are repeats of the next test: this one would take too long.
      const labels = encodingsOf(event()).filter((one) => !/^\w+ as a (number|string)$/.test(one));
      const first = event();
      return [
        send('', first),
        ...labels.map((label) => send(label, inEncoding(event(), label))),
        send('the first event again', first, { cause: REPEATED }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'an event in another encoding is a repeat',
    steps: (event) => {
      const one = event();
      const repeats = encodingsOf(one).map((label) =>
        send(label, inEncoding(one, label), { cause: REPEATED }),
      );
      return [send('', one), ...repeats];
    },
  },
  {
    of: BOTH,
    name: 'identifiers in capitals are the same',
    steps: (event) => {
      const [lower, upper] = [event(), event()];
      const cause = 'The key depends on capitals. Use idempotencyKey';
      return [
        send('', lower),
        send('again, in capitals', inCapitals(lower), { cause }),
        send('in capitals', inCapitals(upper)),
        send('again, in lower case', upper, { cause }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'A, B, then A again are {moved} once each',
    steps: (event) => {
      const [a, b] = [event(), event('0.5')];
      const cause = 'Only the last key is known, or none. Keep every key';
      return [
        send('', a),
        send('another event', b),
        send('the first event again', a, { cause }),
        send('the second event again', b, { cause: REPEATED }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'two events of one transactionId are {moved}, and two without one',
    steps: (event) => {
      const hash = `0x${event().seed.toString(16).padStart(64, '0')}`;
      return [hash, null, undefined].flatMap((transactionId) => [
        send(`transactionId ${transactionId}`, event().with({ transactionId }), {
          ifRefused: transactionId === hash ? TOO_SHORT : REQUIRED,
        }),
        send(`transactionId ${transactionId} again`, event('0.5').with({ transactionId }), {
          cause: TRANSACTION,
        }),
      ]);
    },
  },
  {
    of: DEPOSIT,
    name: 'deposits that differ only in depositId are credited',
    steps: (event) => {
      const { order, body } = event();
      const same = { ...order, ...UNPAID, transactionId: JSON.parse(body).transactionId };
      return [
        send('', event().with(same)),
        send('another of its order, amount and transaction', event().with(same), {
          cause: OTHER_KEY,
        }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'a known key with another amount, order or currency moves nothing',
    steps: conflicts,
  },
  {
    of: DEPOSIT,
    name: 'deposits that pay an order in parts add up',
    steps: (event) => {
      const { order } = event();
      const [first, second, third] = ['0.7', '0.5', '0.7'].map((amount) =>
        event(amount).with({ ...order, ...UNPAID }),
      );
      return [
        send('', first),
        send('the second of its order', second, { cause: ORDER_KEY }),
        send('the third of its order', third, { cause: OTHER_KEY }),
      ];
    },
  },
  {
    of: DEPOSIT,
    name: 'a deposit after its order is paid is credited, or held',
    steps: (event) => {
      const { order } = event();
      const paid = { ...order, expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
      return [
        send('', event('0.7').with(paid)),
        send('the order is paid', event('0.5').with(paid), { mayHold: true, cause: PAID }),
      ];
    },
  },
  {
    of: DEPOSIT,
    name: 'a second deposit in another currency is credited in that currency, or held',
    steps: (event) => {
      const { order } = event();
      const other = event('0.5').with({ ...order, ...UNPAID, depositCurrency: 'LTC' });
      return [
        send('', event().with({ ...order, ...UNPAID })),
        send('LTC', other, { mayHold: true, cause: OTHER_CURRENCY }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'a currency of three, four or five letters is {moved}, or held',
    steps: (event) =>
      ['ETH', 'DOGE', 'MATIC'].map((currency) =>
        send(currency, event().with({ [currencyOf(event())]: currency }), {
          ...{ mayHold: true, cause: CUT_CODE, ifRefused: TOO_SHORT },
        }),
      ),
  },

  // ---- The status of a withdrawal ----
  { of: WITHDRAWAL, name: 'FAILED debits nothing', steps: (event) => unmoved(event, 'FAILED') },
  { of: WITHDRAWAL, name: 'BLOCKED debits nothing', steps: (event) => unmoved(event, 'BLOCKED') },
  {
    of: WITHDRAWAL,
    name: 'FAILED, then COMPLETED is debited once',
    steps: (event) => {
      const one = event();
      return [
        send('FAILED', one.with({ status: 'FAILED', ...NOTHING_MOVED }), { cause: STATUS }),
        send('then COMPLETED', one, { cause: FINAL }),
        send('COMPLETED again', one, { cause: REPEATED }),
      ];
    },
  },
  {
    of: WITHDRAWAL,
    name: 'a new withdrawal after one that FAILED is debited',
    steps: (event) => {
      const [failed, retried] = [event(), event()];
      return [
        send('FAILED', failed.with({ status: 'FAILED', ...NOTHING_MOVED }), { cause: STATUS }),
        send('a new withdrawal of its clientWithdrawalId', retried.with(failed.order), {
          cause: RETRIED_KEY,
        }),
      ];
    },
  },
  {
    of: WITHDRAWAL,
    name: 'without an amount, nothing is debited until the amount arrives',
    steps: (event) => {
      const one = event();
      return [
        send('without an amount', one.with(NOTHING_MOVED), { answer: 'any' }),
        send('now with its amount', one, { cause: NO_AMOUNT }),
      ];
    },
  },
  {
    of: WITHDRAWAL,
    name: 'an address may be missing, or not screened',
    steps: (event) => {
      const blocked = { status: 'BLOCKED', toTxAddress: undefined, ...NOTHING_MOVED };
      return [
        send('without txAddressOwner', event().with({ txAddressOwner: undefined })),
        send('BLOCKED, without toTxAddress', event().with(blocked)),
      ].map((step) => ({ ...step, ifRefused: REQUIRED }));
    },
  },

  // ---- What may be missing or new ----
  {
    of: BOTH,
    name: 'each optional amount may be missing',
    steps: (event) => withoutEach(event, true),
  },
  {
    of: BOTH,
    name: 'each other optional field may be missing',
    steps: (event) => withoutEach(event, false),
  },
  {
    of: DEPOSIT,
    name: 'a deposit after its link expired is credited',
    steps: (event) => {
      const times = { expirationTime: 1_790_000_600, paymentReceivedAt: 1_790_001_260 };
      return [send('received after expirationTime', event().with(times), { cause: LATE })];
    },
  },
  {
    of: DEPOSIT,
    name: 'each rateType is credited, also an unknown one',
    steps: (event) =>
      ['FIXED', 'FLOATING', 'OTHER'].map((rateType) => send(rateType, event().with({ rateType }))),
  },
  {
    of: BOTH,
    name: 'an unknown field changes nothing',
    steps: (event) => {
      const one = event();
      return [
        send('a number', one.with({}, { unknownField: '1.50' })),
        send('again, without the unknown field', one, { cause: REPEATED }),
        send('an object', event().with({}, { unknownField: '{"amount":[1.50,null]}' })),
        send('\\u0000', event().with({}, { unknownField: '"\\u0000"' }), { ifRefused: NUL }),
      ];
    },
  },
  {
    of: BOTH,
    name: 'faulty bodies are refused and move nothing',
    steps: (event) => {
      const one = event();
      return [...faulty(one), send('the valid body', one, { cause: PARSER })];
    },
  },
  {
    of: BOTH,
    name: 'an order that was not known yet is {moved} once it is',
    steps: (event) => {
      const one = event();
      return [
        send('an unknown order', one, { unprepared: true, answer: 'any' }),
        send('now known', one, { cause: UNKNOWN }),
        send('again', one, { cause: REPEATED }),
      ];
    },
  },

  // ---- At the same time ----
  {
    of: BOTH,
    name: 'five copies at the same time are {moved} once',
    steps: (event, rounds) => times(rounds, () => round('', [event()], { copies: 5 })),
  },
  {
    of: DEPOSIT,
    name: 'five deposits of one order at the same time add up',
    steps: (event, rounds) => {
      const { order } = event();
      const some = () => five(event).map((one) => one.with({ ...order, ...UNPAID }));
      const all = times(rounds, () => round('of one order', some(), { cause: RACE }));
      // A cache of keys may have forgotten it.
      const [first] = all;
      return [
        ...all,
        { ...round('again', first?.bodies ?? [], { cause: REPEATED }), round: false },
      ];
    },
  },
  {
    of: DEPOSIT,
    name: 'five orders of one customer at the same time add up',
    steps: (event, rounds) => {
      const orders = five(event).map(({ order }) => ({ ...order, ...UNPAID }));
      const some = () => five(event).map((one, index) => one.with(orders[index] ?? {}));
      return times(rounds, () => round('of one customer', some(), { cause: RACE }));
    },
  },
  {
    of: WITHDRAWAL,
    name: 'five withdrawals at the same time add up',
    steps: (event, rounds) =>
      times(rounds, () => round('of one customer', five(event), { cause: RACE })),
  },

  // ---- A database that fails ----
  {
    of: BOTH,
    name: 'is {moved} once if the balances failed',
    needs: 'breakDatabase',
    steps: (event) => whileBroken(event, 'balances'),
  },
  {
    of: BOTH,
    name: 'is {moved} once if the keys failed',
    needs: 'breakDatabase',
    steps: (event) => whileBroken(event, 'keys'),
  },
  {
    of: BOTH,
    name: 'copies are {moved} once if the balances failed',
    needs: 'breakDatabase',
    steps: (event) => copiesWhileBroken(event(), 'balances'),
  },
  {
    of: BOTH,
    name: 'copies are {moved} once if the keys failed',
    needs: 'breakDatabase',
    steps: (event) => copiesWhileBroken(event(), 'keys'),
  },

  // ---- Nothing lost ----
  {
    of: BOTH,
    name: 'faulty bodies are kept',
    needs: 'kept',
    steps: (event) => {
      const one = event();
      const keep = { answer: 'any', keeps: true } as const;
      return [...faulty(one).map((step) => ({ ...step, ...keep })), send('the valid body', one)];
    },
  },
  {
    of: BOTH,
    name: 'a known key with another amount or currency is kept',
    needs: 'kept',
    steps: (event) => conflicts(event).map((step) => ({ ...step, keeps: step.answer === 'any' })),
  },
  {
    of: WITHDRAWAL,
    name: 'without an amount, it is kept',
    needs: 'kept',
    steps: (event) => {
      const keep = { answer: 'any', keeps: true } as const;
      return [send('without an amount', event().with(NOTHING_MOVED), keep), send('', event())];
    },
  },
];

/** An order that expects more than all deposits of a test. */
const UNPAID = { expectedDepositAmount: '500', expectedDisplayAmount: '13800' };

function send(
  label: string,
  bodies: TestBody | readonly TestBody[] | undefined,
  rest: Partial<Step> = {},
): Step {
  return { label, bodies: [bodies ?? []].flat(), ...rest };
}

/** With every amount as a number, and as a string: what one keeps, the other may lose. */
function exactly(event: NewEvent, amount: string, cause = TOO_SHORT): Step[] {
  return ['every amount as a number', 'every amount as a string'].map((encoding) =>
    send(`${amount}, ${encoding}`, inEncoding(written(event, amount), encoding), {
      ifRefused: cause,
      ...(cause === SMALL && { cause }),
    }),
  );
}

/** An event whose main amount is written like this. */
function written(event: NewEvent, amount: string): TestEvent {
  const one = event(new Decimal(amount).toFixed());
  const name = isDeposit(one) ? 'actualDepositAmount' : 'actualWithdrawAmount';
  return one.with({ [name]: amount });
}

const EXPONENTS = 'every amount with an exponent';

function encodingsOf({ body }: TestEvent): string[] {
  const [, ...others] = bodyVariants(body);
  return [...others.map(({ label }) => label), EXPONENTS];
}

function inEncoding(one: TestEvent, encoding: string): TestBody {
  if (encoding === EXPONENTS) {
    return one.with(
      Object.fromEntries(
        Object.entries(one.amounts).map(([name, value]) => [
          name,
          new Decimal(`${value}`).toExponential(),
        ]),
      ),
    );
  }
  // There is no such variant if the body is encoded like that already.
  const variant = bodyVariants(one.body).find(({ label }) => label === encoding);
  return { ...one, body: variant?.body ?? one.body };
}

const isDeposit = ({ order }: TestEvent): boolean => Object.hasOwn(order, 'clientPaymentId');

const currencyOf = (one: TestEvent): string =>
  isDeposit(one) ? 'depositCurrency' : 'withdrawCurrency';

function inCapitals(one: TestEvent): TestBody {
  const ids = ['depositId', 'paymentId', 'withdrawalId', 'businessId', 'transactionId'];
  const fields: Changes = JSON.parse(one.body);
  const own = ids.filter((name) => Object.hasOwn(fields, name));
  return one.with(Object.fromEntries(own.map((name) => [name, `${fields[name]}`.toUpperCase()])));
}

/** Events, and what else comes under their keys. */
function conflicts(event: NewEvent): Step[] {
  const amounts = isDeposit(event()) ? depositAmounts : withdrawalAmounts;
  const currencies = {
    [currencyOf(event())]: 'LTC',
    displayCurrency: 'CHF',
    settlementCurrency: 'PYUSD',
  };
  const others: readonly [label: string, changes: Changes][] = [
    ['with a larger amount', amounts('7')],
    ['with a smaller amount', amounts('0.5')],
    ['of another order', event().order],
    ['in another currency', currencies],
  ];
  return others.flatMap(([label, changes]) => {
    const one = event();
    return [send('', one), send(label, one.with(changes), { answer: 'any', cause: CONFLICT })];
  });
}

/** Each field without which a body is valid, left out in turn, then all of them as null. */
function withoutEach(event: NewEvent, amounts: boolean): Step[] {
  const sample = event();
  const names = Object.keys(JSON.parse(sample.body)).filter(
    (name) =>
      Object.hasOwn(sample.amounts, name) === amounts &&
      safeParseNotification(sample.with({ [name]: undefined }).body).success,
  );
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return [
    ...names.map((name) => send(`without ${name}`, event().with({ [name]: undefined }))),
    send(`${names.join(', ')} as null`, event().with(nulls)),
  ].map((step) => ({ ...step, cause: REQUIRED }));
}

/** With and without an amount, because the service doesn't document whether it sends one. */
function unmoved(event: NewEvent, status: string): Step[] {
  return [
    send('with an amount', event().with({ status }), { cause: STATUS }),
    send('without an amount', event().with({ status, ...NOTHING_MOVED }), { cause: STATUS }),
  ];
}

function faulty(one: TestEvent): Step[] {
  return faultyBodies(one.body).map(({ label, body }) =>
    send(label, { ...one, body }, { answer: 'refusal', cause: PARSER }),
  );
}

function whileBroken(event: NewEvent, broken: DatabasePart): Step[] {
  const [known, one] = [event(), event('0.5')];
  return [
    send('', known),
    send(`again, while the ${broken} fail`, known, { broken, cause: REPEATED }),
    send(`while the ${broken} fail`, one, { broken }),
    send('after the database was mended', one, { mended: broken }),
  ];
}

/** As many copies as empty a pool, if a failure leaves a connection in use. */
function copiesWhileBroken(one: TestEvent, broken: DatabasePart): Step[] {
  return [
    ...times(3, () => send(`while the ${broken} fail`, one, { broken, copies: 5 })),
    send('after the database was mended', one, { mended: broken, copies: 5 }),
  ];
}

function round(label: string, bodies: readonly TestBody[], rest: Partial<Step>): Step {
  return { label, bodies, round: true, ...rest };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** No amount is a sum of others, so that a change shows which one is missing. */
const five = (event: NewEvent): TestEvent[] => ['0.71', '0.53', '0.37', '0.29', '0.83'].map(event);
