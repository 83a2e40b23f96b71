import type { NotificationType } from '../parser/errors.js';
import { safeParseNotification } from '../parser/parse.js';
import { Decimal } from '../parser/values/amount.js';
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
import type { DatabasePart, HandlerTestsOptions } from './handler-options.js';
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
  /** The likely cause if a body is refused. */
  readonly ifRefused?: string;
}

export interface Behavior {
  /** Of what it is: of one type, or of both. */
  readonly of: readonly NotificationType[];
  /** In a name, {moved} is credited or debited. */
  readonly name: string;
  /** What shows it. A race is run this many times. */
  readonly steps: (event: NewEvent, rounds: number) => readonly Step[];
}

const DEPOSIT = ['deposit.received'] as const;
const WITHDRAWAL = ['withdrawal.broadcast'] as const;
const BOTH = [...DEPOSIT, ...WITHDRAWAL];

// Likely causes, which the steps name.
const ENCODING = 'This encoding is refused or not read. Use the parsers of this package';
const REPEATED =
  'The key is not checked, or depends on how the body is written. Use idempotencyKey';
const FORGOTTEN = 'The key is not checked, or forgotten after others. Keep every key';
const SHARED_KEY = 'The key is made of fields that other events share. Use idempotencyKey';
const CAPITALS = 'The key depends on capitals. Use idempotencyKey';
const CONFLICT = 'The key is not checked, or contains more than the event. Use idempotencyKey';
const TRANSACTION =
  'The key is the transactionId, which one transaction with several outputs repeats. Use idempotencyKey';
const OTHER_KEY =
  'Either the key is made of other fields than depositId: use idempotencyKey. Or the balance is overwritten: add to it';
const ORDER_KEY =
  'Either the key is that of the order: use idempotencyKey. Or the first deposit closes its order: credit each';
const PAID = 'What arrives after its order is paid is dropped. Credit it, or hold it for review';
const RETRIED_KEY = 'The key is the clientWithdrawalId. Use idempotencyKey';
const FINAL = 'The key lacks the status, or FAILED is final. Use idempotencyKey';
const STATUS = 'The status is not checked. Debit only COMPLETED withdrawals';
const NO_AMOUNT = 'The key was inserted without the amount. Insert it when you debit, not before';
const NEW_ORDER =
  'Either the key was inserted though the order was unknown, or it moves again once the order is known. Insert the key when you settle';
const STILL_NEW = 'Either prepare does not insert the order, or it is remembered as unknown';
const SMALL = 'A small amount is dropped or rounded to zero, or its exponent is not read';
const EXPECTED =
  'What is less or more than expected is dropped. Credit it, or hold it for review, and return null in amountOf';
const FEE = 'A fee that is negative or missing stops the handler. It decides nothing';
const RATE =
  'What has another rateType, or a warning, is dropped or refused. Neither decides anything';
const LATE =
  'What arrives after its link expired is dropped. Credit it, or hold it for review, and return null in amountOf';
const COIN = 'Nothing moved in this currency, and nothing is kept. Its code is cut off or unknown';
const SECOND_COIN = 'It is credited in the currency of the order, or dropped';
const PARSER = 'The body is read without the parsers of this package. Use createReceiver';
const MISSING = 'The handler depends on this field, which may be missing. See the types';
const NARROW =
  'A column or a check may be too narrow, such as varchar(4), varchar(64), bigint or numeric(20,18). See the log';
const NUL = 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea';
const RACE =
  'Either the balance is read and then written, so that one overwrites the other: add in the database, or lock the row. Or one is dropped while another is in progress';

const BEHAVIORS: readonly Behavior[] = [
  // ---- The amount ----
  row(BOTH, 'every encoding is {moved} exactly', (event) => {
    const first = event();
    // Those of a single amount are repeats of the next test: this one would take too long.
    const labels = encodingsOf(first).filter((label) => !/^\w+ as a (number|string)$/.test(label));
    return [
      send('', first),
      send('another event', event(), SHARED_KEY),
      ...labels.map((label) => send(label, inEncoding(event(), label), ENCODING)),
      send('the first event again', first, FORGOTTEN),
    ];
  }),
  row(BOTH, '18 decimals are {moved} exactly', (event) =>
    exactly(event, '6543.219876543219876543'),
  ),
  // More digits than decimal.js calculates with by default.
  row(BOTH, '28 digits are {moved} exactly', (event) =>
    exactly(event, '1234567890.123456789012345678'),
  ),
  row(BOTH, '12 digits before the point are {moved} exactly', (event) =>
    exactly(event, '123456789012.34'),
  ),
  row(BOTH, 'small amounts are {moved} exactly', (event) =>
    ['0.00005', '0.00000015', '1.5e-7', '1.5E-7'].flatMap((amount) =>
      exactly(event, amount, { cause: SMALL, ifRefused: SMALL }),
    ),
  ),
  // As a double, 19.99 * 100 is less than 1999, and 1.005 is rounded down.
  row(BOTH, 'cents, halves and thirds are {moved} exactly', (event) =>
    ['19.99', '0.29', '0.129', '0.125', '1.005', '8.345', '0.666666667', '1.000000005'].map(
      (amount) => send(amount, event(amount)),
    ),
  ),
  row(
    DEPOSIT,
    'what arrived is credited, near to what the order expected or far from it',
    (event) =>
      ['1', '0.995', '1.005', '0.5', '2'].map((factor) => {
        const expectedDepositAmount = part('0.8', factor);
        const expected = { expectedDepositAmount, expectedDisplayAmount: part('20.8', factor) };
        return send(`${expectedDepositAmount} expected`, event('0.8').with(expected), EXPECTED);
      }),
  ),
  row(WITHDRAWAL, 'what left is debited, near to the estimate or far from it', (event) =>
    ['1', '0.995', '1.005', '0.5', '2'].map((factor) => {
      const estimatedWithdrawAmount = part('0.8', factor);
      const estimated = { estimatedWithdrawAmount, expectedDisplayAmount: part('20.8', factor) };
      return send(`${estimatedWithdrawAmount} estimated`, event('0.8').with(estimated));
    }),
  ),
  row(BOTH, 'a fee that is negative or null changes nothing', (event) =>
    Object.keys(event().amounts)
      .filter((name) => name.endsWith('Fee'))
      .flatMap((name) =>
        ['-0.01', null].map((fee) =>
          send(`${name} ${fee}`, event().with({ [name]: fee }), { cause: FEE, ifRefused: FEE }),
        ),
      ),
  ),

  // ---- The key ----
  row(BOTH, 'an event in another encoding is a repeat', (event) => {
    const one = event();
    const labels = encodingsOf(one);
    return [send('', one), ...labels.map((label) => send(label, inEncoding(one, label), REPEATED))];
  }),
  row(BOTH, 'identifiers in capitals are the same', (event) => {
    const [lower, upper] = [event(), event()];
    return [
      send('', lower),
      send('again, in capitals', inCapitals(lower), CAPITALS),
      send('in capitals', inCapitals(upper)),
      send('again, in lower case', upper, CAPITALS),
    ];
  }),
  row(BOTH, 'A, B, then A again are {moved} once each', (event) => {
    const [a, b] = [event(), event('0.5')];
    return [
      send('', a),
      send('another event', b),
      send('the first event again', a, FORGOTTEN),
      send('the second event again', b, REPEATED),
    ];
  }),
  row(BOTH, 'two events of one transactionId are {moved}, and two without one', (event) => {
    const hash = `0x${event().seed.toString(16).padStart(64, '0')}`;
    return [hash, null, undefined].flatMap((transactionId) => {
      const label = `transactionId ${transactionId}`;
      const [first, second] = [event().with({ transactionId }), event().with({ transactionId })];
      const ifRefused = transactionId ? NARROW : MISSING;
      return [
        send(label, first, { cause: TRANSACTION, ifRefused }),
        send(`${label} again`, second, { cause: TRANSACTION, ifRefused: TRANSACTION }),
      ];
    });
  }),
  row(DEPOSIT, 'deposits that pay an order in parts add up', (event) => {
    const ofOne = { ...event().order, ...UNPAID };
    return [
      send('', event('0.7').with(ofOne), EXPECTED),
      send('the second of its order', event('0.5').with(ofOne), ORDER_KEY),
      send('the third of its order', event('0.7').with(ofOne), OTHER_KEY),
    ];
  }),
  row(DEPOSIT, 'deposits that differ only in depositId are credited', (event) => {
    const { order, body } = event();
    const { transactionId } = JSON.parse(body);
    const ofOne = { ...order, ...UNPAID, transactionId };
    return [
      send('', event().with(ofOne), EXPECTED),
      send('another of its order, amount and transaction', event().with(ofOne), OTHER_KEY),
    ];
  }),
  row(DEPOSIT, 'a deposit after its order is paid is credited, or held', (event) => {
    const expected = { expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
    const ofOne = { ...event().order, ...expected };
    return [
      send('', event('0.7').with(ofOne)),
      send('the order is paid', event('0.5').with(ofOne), { mayHold: true, cause: PAID }),
    ];
  }),
  row(
    DEPOSIT,
    'a second deposit in another currency is credited in that currency, or held',
    (event) => {
      const ofOne = { ...event().order, ...UNPAID };
      const second = event('0.5').with({ ...ofOne, depositCurrency: 'LTC' });
      return [
        send('', event().with(ofOne), EXPECTED),
        send('LTC', second, { mayHold: true, cause: SECOND_COIN }),
      ];
    },
  ),
  row(BOTH, 'a currency of three, four or five letters is {moved}, or held', (event) => [
    send('', event()),
    ...['ETH', 'DOGE', 'MATIC'].map((code) =>
      send(code, event().with({ [currencyOf(event())]: code }), {
        ...{ mayHold: true, cause: COIN, ifRefused: NARROW },
      }),
    ),
  ]),
  row(BOTH, 'a known key with another amount, order or currency moves nothing', conflicts),

  // ---- The status of a withdrawal ----
  row(WITHDRAWAL, 'FAILED debits nothing', (event) => unmoved(event, 'FAILED')),
  row(WITHDRAWAL, 'BLOCKED debits nothing', (event) => unmoved(event, 'BLOCKED')),
  row(WITHDRAWAL, 'FAILED, then COMPLETED is debited once', (event) => {
    const one = event();
    return [
      send('FAILED', one.with({ status: 'FAILED', ...NOTHING_MOVED }), STATUS),
      send('then COMPLETED', one, FINAL),
      send('COMPLETED again', one, REPEATED),
    ];
  }),
  row(WITHDRAWAL, 'a new withdrawal after one that FAILED is debited', (event) => {
    const [failed, retried] = [event(), event()];
    return [
      send('FAILED', failed.with({ status: 'FAILED', ...NOTHING_MOVED }), STATUS),
      send('a new one of its clientWithdrawalId', retried.with(failed.order), RETRIED_KEY),
    ];
  }),
  row(WITHDRAWAL, 'without an amount, nothing is debited until the amount arrives', (event) => {
    const one = event();
    return [
      send('without an amount', one.with(NOTHING_MOVED), { answer: 'any' }),
      send('now with its amount', one, NO_AMOUNT),
    ];
  }),
  row(WITHDRAWAL, 'an address may be missing, not screened, or without a tag', (event) => {
    const blocked = { status: 'BLOCKED', toTxAddress: undefined, ...NOTHING_MOVED };
    return [
      send('without txAddressOwner', event().with({ txAddressOwner: undefined })),
      send('BLOCKED, without toTxAddress', event().with(blocked)),
      send('without a tag', event().with({ toTxAddress: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH' })),
    ].map((step) => ({ ...step, ifRefused: MISSING }));
  }),

  // ---- What may be missing or new ----
  row(BOTH, 'each optional amount may be missing', (event) => withoutEach(event, true)),
  row(BOTH, 'each other optional field may be missing', (event) => withoutEach(event, false)),
  row(DEPOSIT, 'a deposit after its link expired is credited', (event) => {
    const times = { expirationTime: 1_790_000_600, paymentReceivedAt: 1_790_001_260 };
    const late = event().with(times);
    return [send('received after expirationTime', late, { cause: LATE, ifRefused: LATE })];
  }),
  row(DEPOSIT, 'each rateType is credited, also an unknown one', (event) =>
    ['FIXED', 'FLOATING', 'OTHER'].map((rateType) =>
      send(rateType, event().with({ rateType }), { cause: RATE, ifRefused: RATE }),
    ),
  ),
  row(BOTH, 'an unknown field changes nothing', (event) => {
    const one = event();
    return [
      send('a number', one.with({}, { unknownField: '1.50' })),
      send('again, without the unknown field', one, REPEATED),
      send('an object', event().with({}, { unknownField: '{"amount":[1.50,null]}' })),
      send('\\u0000', event().with({}, { unknownField: '"\\u0000"' }), { ifRefused: NUL }),
    ];
  }),
  row(BOTH, 'faulty bodies are refused and move nothing', (event) => {
    const one = event();
    return [...faulty(one, { answer: 'refusal' }), send('the valid body', one, PARSER)];
  }),
  row(BOTH, 'an order that was not known yet is {moved} once it is', (event) => {
    const one = event();
    return [
      send('an unknown order', one, { unprepared: true, answer: 'any' }),
      send('now known', one, { cause: NEW_ORDER, ifRefused: STILL_NEW }),
      send('again', one, REPEATED),
    ];
  }),

  // ---- At the same time ----
  row(BOTH, 'five copies at the same time are {moved} once', (event, rounds) =>
    times(rounds, () => send('', event(), { round: true, copies: 5 })),
  ),
  row(DEPOSIT, 'five deposits of one order at the same time add up', (event, rounds) => {
    const ofOne = { ...event().order, ...UNPAID };
    const some = () => FIVE.map((amount) => event(amount).with(ofOne));
    const first = some();
    const others = times(rounds - 1, () => race(some()));
    return [race(first), ...others, send('the first again', first, FORGOTTEN)];
  }),
  row(DEPOSIT, 'five orders of one customer at the same time add up', (event, rounds) => {
    const orders = FIVE.map((amount) => ({ amount, ofOne: { ...event().order, ...UNPAID } }));
    return times(rounds, () => race(orders.map(({ amount, ofOne }) => event(amount).with(ofOne))));
  }),
  row(WITHDRAWAL, 'five withdrawals at the same time add up', (event, rounds) =>
    times(rounds, () => race(FIVE.map((amount) => event(amount)))),
  ),
];

const WHILE_BROKEN: readonly Behavior[] = [
  row(BOTH, 'is {moved} once if the balances failed', (event) => whileBroken(event, 'balances')),
  row(BOTH, 'is {moved} once if the keys failed', (event) => whileBroken(event, 'keys')),
  row(BOTH, 'copies are {moved} once if the balances failed', (event) =>
    copiesWhileBroken(event(), 'balances'),
  ),
  row(BOTH, 'copies are {moved} once if the keys failed', (event) =>
    copiesWhileBroken(event(), 'keys'),
  ),
];

const KEPT: readonly Behavior[] = [
  row(BOTH, 'faulty bodies are kept', (event) => {
    const one = event();
    return [...faulty(one, KEEP), send('the valid body', one)];
  }),
  row(BOTH, 'a known key with another amount or currency is kept', (event) =>
    conflicts(event).map((step) => (step.answer ? { ...step, ...KEEP } : step)),
  ),
  row(WITHDRAWAL, 'without an amount, it is kept', (event) => [
    send('without an amount', event().with(NOTHING_MOVED), KEEP),
    send('with its amount', event()),
  ]),
];

/** What a handler must do, of one type. */
export function behaviorsOf(
  type: NotificationType,
  { breakDatabase, kept }: HandlerTestsOptions,
): readonly Behavior[] {
  const all = [...BEHAVIORS, ...(breakDatabase ? WHILE_BROKEN : []), ...(kept ? KEPT : [])];
  const moved = type === 'deposit.received' ? 'credited' : 'debited';
  return all
    .filter(({ of }) => of.includes(type))
    .map((behavior) => ({ ...behavior, name: behavior.name.replace('{moved}', moved) }));
}

function row(of: Behavior['of'], name: string, steps: Behavior['steps']): Behavior {
  return { of, name, steps };
}

/** The rest is more of the step, or only its cause. */
function send(
  label: string,
  bodies: TestBody | readonly TestBody[],
  rest: Partial<Step> | string = {},
): Step {
  const more = typeof rest === 'string' ? { cause: rest } : rest;
  return { label, bodies: [bodies].flat(), ...more };
}

const race = (bodies: readonly TestBody[]): Step =>
  send('at the same time', bodies, { round: true, cause: RACE });

/** Different amounts, so that a change shows which one is missing. */
const FIVE = ['0.71', '0.53', '0.37', '0.29', '0.83'] as const;
/** An order that expects more than all deposits of a test. */
const UNPAID: Changes = { expectedDepositAmount: '500', expectedDisplayAmount: '13800' };
const KEEP = { answer: 'any', keeps: true } as const;
const EXPONENTS = 'every amount with an exponent';

/** With every amount as a number, and as a string: what one keeps, the other may lose. */
function exactly(
  event: NewEvent,
  amount: string,
  rest: Partial<Step> = { ifRefused: NARROW },
): Step[] {
  return ['every amount as a number', 'every amount as a string'].map((encoding) => {
    const one = event(new Decimal(amount).toFixed());
    const name = isDeposit(one) ? 'actualDepositAmount' : 'actualWithdrawAmount';
    const written = one.with({ [name]: amount });
    return send(`${amount}, ${encoding}`, inEncoding(written, encoding), rest);
  });
}

function encodingsOf({ body }: TestEvent): string[] {
  const [, ...others] = bodyVariants(body);
  return [...others.map(({ label }) => label), EXPONENTS];
}

function inEncoding(one: TestEvent, encoding: string): TestBody {
  if (encoding === EXPONENTS) {
    const exponents = Object.entries(one.amounts).map(([name, value]) => [
      name,
      new Decimal(`${value}`).toExponential(),
    ]);
    return one.with(Object.fromEntries(exponents));
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
  const sample = event();
  const amounts = isDeposit(sample) ? depositAmounts : withdrawalAmounts;
  const coins = { displayCurrency: 'CHF', settlementCurrency: 'PYUSD' };
  const others: readonly [label: string, changes: Changes][] = [
    ['with a larger amount', amounts('7')],
    ['with a smaller amount', amounts('0.5')],
    ['with another last digit', amounts('0.750000000000000001')],
    ['of another order', sample.order],
    ['in another currency', { ...coins, [currencyOf(sample)]: 'LTC' }],
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
  ].map((step) => ({ ...step, cause: MISSING, ifRefused: MISSING }));
}

/** With and without an amount, because the service doesn't document whether it sends one. */
const unmoved = (event: NewEvent, status: string): Step[] => [
  send('with an amount', event().with({ status }), STATUS),
  send('without an amount', event().with({ status, ...NOTHING_MOVED }), STATUS),
];

const faulty = (one: TestEvent, rest: Partial<Step>): Step[] =>
  faultyBodies(one.body).map(({ label, body }) =>
    send(label, { ...one, body }, { ...rest, cause: PARSER }),
  );

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

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
