import { Decimal } from '../amount.js';
import type { NotificationType } from '../errors.js';
import { safeParseNotification } from '../parse.js';
import { faultyBodies } from './faults.js';
import {
  type Changes,
  depositAmounts,
  eventsOf,
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
  /** Sent before `prepare` was given the orders. */
  readonly unprepared?: boolean;
  /** Checks that each body is kept once. */
  readonly keeps?: boolean;
  /** A right handler may also hold the bodies for review. */
  readonly mayHold?: boolean;
  /** A round of a race, which is left out if the rounds before it took long. */
  readonly round?: boolean;
  /** The likely cause if nothing moved, or only a part, or though nothing was due. */
  readonly cause?: string;
  /** The likely cause if it moved several times. */
  readonly ifTwice?: string;
  /** The likely cause if a body is refused. */
  readonly ifRefused?: string | undefined;
}

interface Behavior {
  /** Of what it is: of one type, or of both. */
  readonly of: readonly NotificationType[];
  readonly name: string;
  /** What shows it. */
  readonly steps: (event: NewEvent) => readonly Step[];
}

const DEPOSIT = ['deposit.received'] as const;
const WITHDRAWAL = ['withdrawal.broadcast'] as const;
const BOTH = [...DEPOSIT, ...WITHDRAWAL];

/**
 * A handler may win a race by chance: beside six busy loops, one on PostgreSQL won 11 rounds of 20.
 */
const ROUNDS = 30;

const EXPONENT = 'An exponent was not read. Use the parsers of this package';
const TOO_SHORT =
  'A column may be too short, such as varchar(4), varchar(64) or numeric(20,18). See the log';
const CUT_CODE = 'Nothing moved in this currency. Its code was cut off, or is not known';
const NO_KEY = 'The key is not checked, or depends on how the body is written. Use idempotencyKey';
const ORDER_KEY = 'The key is that of the order. Use idempotencyKey';
const TOO_STRICT =
  'The handler refuses what the parser accepts. Log warnings and additionalFields, and settle';
const LATE_KEY =
  'The key was committed without the change of the balance. Put both into one transaction';
const LATE_BALANCE =
  'The change of the balance was committed without the key. Put both into one transaction';
const RACE =
  'The balance was read and then written, so what comes at the same time overwrites it. Add in the database, or lock the row';

/** What a handler must do. In a name, {moved} is credited or debited. */
const BEHAVIORS: readonly Behavior[] = [
  // ---- The amount ----
  row(BOTH, '18 decimals are {moved} exactly', (event) => exactly(event, '0.123456789012345678')),

  // More digits than decimal.js calculates with by default.
  row(BOTH, '28 digits are {moved} exactly', (event) =>
    exactly(event, '1234567890.123456789012345678'),
  ),

  row(BOTH, '12 digits before the point are {moved} exactly', (event) =>
    exactly(event, '123456789012.34'),
  ),

  row(BOTH, 'small amounts are {moved} exactly', (event) => [
    ...exactly(event, '0.00005'),
    ...withExponents(event, '0.00000015'),
  ]),

  // They round up at two decimals and at eight. 1.005 and 8.345 as doubles round down.
  row(BOTH, 'halves and thirds are {moved} exactly', (event) =>
    ['0.129', '0.125', '1.005', '8.345', '0.333333333', '0.666666667', '1.000000005'].map(
      (amount) => send(amount, event(amount)),
    ),
  ),

  row(
    DEPOSIT,
    'what arrived is credited, near to what the order expected or far from it',
    (event) =>
      [
        ['as much as expected', '1'],
        ['half a percent more than expected', '0.995'],
        ['half a percent less than expected', '1.005'],
        ['twice as much as expected', '0.5'],
        ['half of what was expected', '2'],
      ].map(([label = '', factor = '']) => {
        const arrived = event('0.8');
        const expected = { expectedDepositAmount: part('0.8', factor) };
        const displayed = { expectedDisplayAmount: part('20.8', factor) };
        return send(label, arrived.with({ ...expected, ...displayed }));
      }),
  ),

  row(WITHDRAWAL, 'what left is debited, near to the estimate or far from it', (event) =>
    ['1', '0.995', '1.005', '0.5', '2'].map((factor) => {
      const estimate = { estimatedWithdrawAmount: part('0.8', factor) };
      return send(`estimated ${factor} times as much`, event('0.8').with(estimate));
    }),
  ),

  row(DEPOSIT, 'fees of any sign change nothing', (event) => [
    ...withFees(event, ['displayServiceFee', 'settlementServiceFee']),
    ...withFees(event, ['onChainFee']),
  ]),

  row(WITHDRAWAL, 'fees of any sign change nothing', (event) =>
    withFees(event, ['withdrawFee', 'displayFee']),
  ),

  // ---- The key ----
  row(BOTH, 'every encoding is {moved} exactly', (event) =>
    // The encodings of a single amount are repeats of the next test: this one would take too long.
    bodyVariants(event().body)
      .map(({ label }) => label)
      .filter((label) => !/^\w+ as a (number|string)$/.test(label))
      .map((label) => inEncoding(event(), label, { ifRefused: TOO_STRICT })),
  ),

  row(BOTH, 'an event in another encoding is a repeat', (event) => {
    const one = event();
    const repeats = bodyVariants(one.body).slice(1);
    return [
      send('', one),
      ...repeats.map(({ label, body }) => send(label, { ...one, body }, { cause: NO_KEY })),
    ];
  }),

  row(BOTH, 'identifiers in capitals are the same', (event) => {
    const [lower, upper] = [event(), event()];
    const cause = 'The key depends on capitals. Use idempotencyKey';
    return [
      send('', lower),
      send('again, in capitals', inCapitals(lower), { cause }),
      send('in capitals', inCapitals(upper)),
      send('again, in lower case', upper, { cause }),
    ];
  }),

  row(BOTH, 'A, B, then A again are {moved} once each', (event) => {
    const [a, b] = [event(), event('0.5')];
    return [
      send('', a),
      send('another event', b),
      send('the first event again', a, { cause: 'Only the last key is known. Keep every key' }),
      send('the second event again', b, { cause: NO_KEY }),
    ];
  }),

  row(BOTH, 'two events of one transactionId are {moved}, and two without one', (event) => {
    const cause =
      'The key is the transactionId, which one transaction with several outputs repeats. Use idempotencyKey';
    const id = `0x${event().seed.toString(16).padStart(64, '0')}`;
    return [id, null, undefined].flatMap((transactionId) => [
      send(`transactionId ${transactionId}`, event().with({ transactionId }), {
        ifRefused: TOO_SHORT,
      }),
      send(`transactionId ${transactionId} again`, event('0.5').with({ transactionId }), {
        cause,
      }),
    ]);
  }),

  row(BOTH, 'a known key with another amount, account or currency moves nothing', conflicts),

  row(DEPOSIT, 'two deposits of one order add up', (event) => {
    const paid = event('0.7');
    const expected = { expectedDepositAmount: '0.7', expectedDisplayAmount: '20.7' };
    const second = event('0.5').with({ ...paid.order, ...expected });
    const third = event('0.7').with({ ...paid.order, ...expected });
    return [
      send('it pays its order', paid.with(expected)),
      send('the second of its order', second, { cause: ORDER_KEY }),
      send('the third of its order', third, { cause: ORDER_KEY }),
    ];
  }),

  row(
    DEPOSIT,
    'a second deposit in another currency is credited in that currency, or held',
    (event) => {
      const first = event();
      const second = event('0.5').with({ ...first.order, depositCurrency: 'LTC' });
      return [
        send('', first),
        send('the second of its order, in LTC', second, { mayHold: true, answer: 'any' }),
      ];
    },
  ),

  row(DEPOSIT, 'a currency has three, four or five letters', (event) =>
    ['ETH', 'DOGE', 'MATIC'].map((depositCurrency) =>
      send(depositCurrency, event().with({ depositCurrency }), {
        cause: CUT_CODE,
        ifRefused: TOO_SHORT,
      }),
    ),
  ),

  row(WITHDRAWAL, 'a currency has three, four or five letters', (event) =>
    ['ETH', 'DOGE', 'MATIC'].map((withdrawCurrency) =>
      send(withdrawCurrency, event().with({ withdrawCurrency }), {
        cause: CUT_CODE,
        ifRefused: TOO_SHORT,
      }),
    ),
  ),

  // ---- The status of a withdrawal ----
  row(WITHDRAWAL, 'FAILED debits nothing', (event) => notCompleted(event, 'FAILED')),

  row(WITHDRAWAL, 'BLOCKED debits nothing', (event) => notCompleted(event, 'BLOCKED')),

  row(WITHDRAWAL, 'FAILED, then COMPLETED is debited once', (event) => {
    const one = event();
    const cause = 'The key lacks the status, or FAILED is final. Use idempotencyKey';
    return [
      send('FAILED', one.with({ status: 'FAILED', ...NOTHING_MOVED })),
      send('then COMPLETED', one, { cause }),
      send('COMPLETED again', one, { cause: NO_KEY }),
    ];
  }),

  row(WITHDRAWAL, 'a new withdrawal after one that FAILED is debited', (event) => {
    const [failed, retried] = [event(), event()];
    const cause = 'The key is the clientWithdrawalId. Use idempotencyKey';
    return [
      send('FAILED', failed.with({ status: 'FAILED', ...NOTHING_MOVED })),
      send('a new withdrawal of its clientWithdrawalId', retried.with(failed.order), { cause }),
    ];
  }),

  row(WITHDRAWAL, 'without an amount, nothing is debited until the amount arrives', (event) => {
    const one = event();
    const cause = 'The key was inserted without the amount. Insert it when you debit, not before';
    return [
      send('without an amount', one.with(NOTHING_MOVED), { answer: 'any' }),
      send('now with its amount', one, { cause }),
    ];
  }),

  row(WITHDRAWAL, 'an address may be missing, or not screened', (event) => [
    send('without txAddressOwner', event().with({ txAddressOwner: undefined }), {
      ifRefused: TOO_STRICT,
    }),
    send(
      'BLOCKED, without toTxAddress',
      event().with({ status: 'BLOCKED', toTxAddress: undefined, ...NOTHING_MOVED }),
      { ifRefused: TOO_STRICT },
    ),
  ]),

  // ---- What may be missing or new ----
  row(BOTH, 'each optional amount may be missing', (event) => optional(event, true)),

  row(BOTH, 'each other optional field may be missing', (event) => optional(event, false)),

  row(DEPOSIT, 'a deposit after its link expired is credited', (event) => {
    const times = { expirationTime: 1_790_000_600, paymentReceivedAt: 1_790_001_260 };
    return [send('received after expirationTime', event().with(times))];
  }),

  row(DEPOSIT, 'each rateType is credited, also an unknown one', (event) =>
    ['FIXED', 'FLOATING', 'OTHER'].map((rateType) =>
      send(rateType, event().with({ rateType }), { ifRefused: TOO_STRICT }),
    ),
  ),

  row(BOTH, 'an unknown field changes nothing', (event) => {
    const [one, other] = [event(), event()];
    const unknown = one.with({}, { unknownField: '1.50' });
    const zero = other.with({}, { unknownField: JSON.stringify('\0') });
    return [
      send('an unknown field', unknown, { ifRefused: TOO_STRICT }),
      send('again, without the unknown field', one, { cause: NO_KEY }),
      send('\\u0000 in an unknown field', zero, {
        ifRefused: 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea',
      }),
    ];
  }),

  row(BOTH, 'faulty bodies are refused and move nothing', (event) => {
    const one = event();
    const cause = 'The body is read without the parsers of this package. Use createReceiver';
    const faulty = faultyBodies(one.body).map(({ label, body }) =>
      send(label, { ...one, body }, { answer: 'refusal', cause }),
    );
    return [...faulty, send('the valid body', one)];
  }),

  row(BOTH, 'an order that was not known yet is {moved} once it is', (event) => {
    const one = event();
    const cause = 'The key was inserted though the order was unknown. Insert it when you settle';
    return [
      send('an unknown order', one, { unprepared: true, answer: 'any' }),
      send('now known', one, { cause }),
      send('again', one, { cause: NO_KEY }),
    ];
  }),

  // ---- At the same time ----
  row(BOTH, 'five copies at the same time are {moved} once', (event) =>
    rounds(() => send('', event(), { copies: 5 })),
  ),

  row(DEPOSIT, 'five deposits of one order at the same time add up', (event) => {
    const { order } = event();
    return rounds(() =>
      send(
        'of one order',
        five(() => event().with(order)),
        { cause: RACE },
      ),
    );
  }),

  row(DEPOSIT, 'five orders of one customer at the same time add up', (event) => {
    const orders = five(() => event().order);
    return rounds(() =>
      send(
        'of one customer',
        orders.map((order) => event().with(order)),
        { cause: RACE },
      ),
    );
  }),

  row(WITHDRAWAL, 'five withdrawals at the same time add up', (event) =>
    rounds(() =>
      send(
        'of one customer',
        five(() => event()),
        { cause: RACE },
      ),
    ),
  ),
];

const WHILE_BROKEN: readonly Behavior[] = [
  row(BOTH, 'is {moved} once if the balances failed', (event) =>
    whileBroken(event(), 'balances', { cause: LATE_KEY }),
  ),
  row(BOTH, 'five copies are {moved} once if the balances failed', (event) =>
    whileBroken(event(), 'balances', { cause: LATE_KEY, copies: 5 }),
  ),
  row(BOTH, 'is {moved} once if the keys failed', (event) =>
    whileBroken(event(), 'keys', { ifTwice: LATE_BALANCE }),
  ),
  row(BOTH, 'five copies are {moved} once if the keys failed', (event) =>
    whileBroken(event(), 'keys', { ifTwice: LATE_BALANCE, copies: 5 }),
  ),
];

const KEPT: readonly Behavior[] = [
  row(BOTH, 'faulty bodies are kept once each', (event) => {
    const one = event();
    const others = faultyBodies(event().body);
    // An empty body may have been kept by an earlier run, and a server may cut off a long one.
    const faulty = faultyBodies(one.body)
      .filter(({ body }, index) => `${body}` !== `${others[index]?.body}`)
      .filter(({ code }) => code !== 'body_too_large')
      .map(({ label, body }) => ({ label, body: { ...one, body } }));
    const keep = { answer: 'refusal', keeps: true } as const;
    return [
      ...faulty.map(({ label, body }) => send(label, body, keep)),
      ...faulty.map(({ label, body }) => send(`${label}, again`, body, keep)),
      send('the valid body', one),
    ];
  }),
  row(BOTH, 'a known key with another amount, account or currency is kept once', (event) =>
    conflicts(event).flatMap((step) =>
      step.answer === undefined
        ? [step]
        : [
            { ...step, keeps: true },
            { ...step, label: `${step.label}, again`, keeps: true },
          ],
    ),
  ),
  row(WITHDRAWAL, 'without an amount, it is kept once', (event) => {
    const body = event().with(NOTHING_MOVED);
    const keep = { answer: 'any', keeps: true } as const;
    return [send('without an amount', body, keep), send('without an amount, again', body, keep)];
  }),
];

/** The tests of a handler: names, and steps that are new events each time. */
export function behaviorsOf(
  options: HandlerTestsOptions,
): { readonly name: string; readonly steps: () => readonly Step[] }[] {
  const { receives, breakDatabase, kept } = options;
  const all = [...BEHAVIORS, ...(breakDatabase ? WHILE_BROKEN : []), ...(kept ? KEPT : [])];
  return (receives === undefined ? BOTH : [receives]).flatMap((type) => {
    const newEvent = eventsOf(type, options);
    const [noun, moved] =
      type === 'deposit.received' ? ['deposit', 'credited'] : ['withdrawal', 'debited'];
    return all
      .filter(({ of }) => of.includes(type))
      .map(({ name, steps }) => ({
        name: `${noun}: ${name.replace('{moved}', moved)}`,
        steps: () => steps(newEvent),
      }));
  });
}

function row(
  of: readonly NotificationType[],
  name: string,
  steps: (event: NewEvent) => readonly Step[],
): Behavior {
  return { of, name, steps };
}

function send(
  label: string,
  bodies: TestBody | readonly TestBody[],
  rest: Partial<Step> = {},
): Step {
  return { label, bodies: [bodies].flat(), ...rest };
}

/** With every amount as a number, and as a string: what one keeps, the other may lose. */
function exactly(event: NewEvent, amount: string): Step[] {
  const rest = { label: amount, ifRefused: TOO_SHORT };
  return ENCODINGS.map((encoding) => inEncoding(event(amount), encoding, rest));
}

/** As JSON.stringify writes a small number. */
function withExponents(event: NewEvent, amount: string): Step[] {
  const rest = { label: `${amount} with an exponent`, cause: EXPONENT, ifRefused: EXPONENT };
  return ENCODINGS.map((encoding) => {
    const one = event(amount);
    const exponents = Object.entries(amountsOf(one, amount)).map(([name, value]) => [
      name,
      new Decimal(`${value}`).toExponential(),
    ]);
    const { body } = one.with(Object.fromEntries(exponents));
    return inEncoding({ ...one, body }, encoding, rest);
  });
}

const ENCODINGS = ['every amount as a number', 'every amount as a string'];

function inEncoding(one: TestEvent, encoding: string, { label, ...rest }: Partial<Step>): Step {
  // There is no such variant if the body is encoded like that already.
  const variant = bodyVariants(one.body).find((other) => other.label === encoding);
  const labels = [label, encoding].filter(Boolean).join(', ');
  return send(labels, { ...one, body: variant?.body ?? one.body }, rest);
}

function amountsOf(one: TestEvent, amount: string): Changes {
  return isDeposit(one) ? depositAmounts(amount) : withdrawalAmounts(amount);
}

const isDeposit = ({ order }: TestEvent): boolean => Object.hasOwn(order, 'clientPaymentId');

function inCapitals(one: TestEvent): TestBody {
  const ids = ['depositId', 'paymentId', 'withdrawalId', 'businessId', 'transactionId'];
  const fields: Changes = JSON.parse(one.body);
  const own = ids.filter((name) => Object.hasOwn(fields, name));
  return one.with(Object.fromEntries(own.map((name) => [name, `${fields[name]}`.toUpperCase()])));
}

/** Events, and what else comes under their keys. */
function conflicts(event: NewEvent): Step[] {
  const currency = isDeposit(event()) ? 'depositCurrency' : 'withdrawCurrency';
  const currencies = { [currency]: 'LTC', displayCurrency: 'CHF', settlementCurrency: 'PYUSD' };
  const others: readonly [label: string, changes: (one: TestEvent) => Changes][] = [
    ['with a larger amount', (one) => amountsOf(one, '7')],
    ['with a smaller amount', (one) => amountsOf(one, '0.5')],
    ['of another order', () => event().order],
    ['in another currency', () => currencies],
  ];
  const cause = 'The key is not checked, or contains more than the event. Use idempotencyKey';
  return others.flatMap(([label, changes]) => {
    const one = event();
    return [send('', one), send(label, one.with(changes(one)), { answer: 'any', cause })];
  });
}

/** Each field without which a body is valid, left out in turn, then all of them as null. */
function optional(event: NewEvent, amounts: boolean): Step[] {
  const sample = event();
  const isAmount = (name: string) => Object.hasOwn(amountsOf(sample, '1'), name);
  const names = Object.keys(JSON.parse(sample.body)).filter(
    (name) =>
      isAmount(name) === amounts &&
      safeParseNotification(sample.with({ [name]: undefined }).body).success,
  );
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return [
    ...names.map((name) => send(`without ${name}`, event().with({ [name]: undefined }))),
    send(`${names.join(', ')} as null`, event().with(nulls)),
  ].map((step) => ({ ...step, ifRefused: TOO_STRICT }));
}

function withFees(event: NewEvent, names: readonly string[]): Step[] {
  const values = Object.entries({ negative: '-0.01', null: null, absent: undefined });
  return values.map(([label, value]) => {
    const fees = Object.fromEntries(names.map((name) => [name, value]));
    return send(`${names.join(', ')} ${label}`, event().with(fees), { ifRefused: TOO_STRICT });
  });
}

/** With and without an amount, because the service doesn't document whether it sends one. */
function notCompleted(event: NewEvent, status: string): Step[] {
  const cause = 'The status is not checked. Debit only COMPLETED withdrawals';
  return [
    send('with an amount', event().with({ status }), { cause }),
    send('without an amount', event().with({ status, ...NOTHING_MOVED }), { cause }),
  ];
}

function whileBroken(one: TestEvent, broken: DatabasePart, rest: Partial<Step>): Step[] {
  return [
    send(`while the ${broken} fail`, one, { ...rest, broken }),
    send('after the database was mended', one, { ...rest, ifRefused: rest.cause ?? rest.ifTwice }),
  ];
}

const rounds = (step: () => Step): Step[] =>
  Array.from({ length: ROUNDS }, () => ({ ...step(), round: true }));

const five = <T>(make: () => T): T[] => Array.from({ length: 5 }, make);
