import type { NotificationType } from '../errors.js';
import { encodingOf, SAMPLES, type Sample } from '../wire/sample.js';
import { withdrawalSample, writeBody } from './bodies.js';
import { faultyBodies } from './faults.js';
import type { HandlerTestsOptions } from './handler-options.js';
import { bodyVariants } from './variants.js';

/** A request of a test, and what must follow. */
export interface Step {
  readonly seed: number;
  readonly body: string | Uint8Array;
  /** How the body differs from an ordinary one. */
  readonly label?: string;
  /** How many copies are sent at the same time (default: 1). */
  readonly copies?: number;
  /** Other events that are sent at the same time, of the same order and with the same amount. */
  readonly others?: readonly string[];
  /** What the handler must answer (default: success). */
  readonly answer?: 'success' | 'refusal' | 'failure' | 'any';
  /** Whether the amount must be credited or debited now (default: false). */
  readonly moves?: boolean;
  /** Whether the database is broken while the body is sent (default: false). */
  readonly broken?: boolean;
  /** The likely cause if the balance is wrong. */
  readonly cause?: string;
  /** The likely cause if the body is refused. */
  readonly ifRefused?: string;
}

/** An event, of which bodies with different amounts can be made. */
interface TestEvent {
  readonly seed: number;
  readonly body: (amount: string | null, changes?: object, additional?: Json) => string;
}
type Json = Readonly<Record<string, string>>;

/**
 * What a handler must do, and the steps that show it. In a name, {moved} is credited or debited.
 */
type Behaviors = Readonly<Record<string, (newEvent: () => TestEvent) => Step[]>>;

const AMOUNT = '0.75';
/**
 * A handler may win a race by chance: beside six busy loops, one on PostgreSQL won 11 rounds of 20.
 */
const ROUNDS = 30;

const BOTH: Behaviors = {
  '18 decimals are {moved} exactly': (newEvent) =>
    inBothEncodings(newEvent, '0.123456789012345678'),

  // More digits than decimal.js calculates with by default.
  '28 digits are {moved} exactly': (newEvent) =>
    inBothEncodings(newEvent, '1234567890.123456789012345678'),

  'five copies at the same time are {moved} once': (newEvent) =>
    Array.from({ length: ROUNDS }, () => settles(newEvent(), { copies: 5 })),

  'every encoding is {moved} once': (newEvent) =>
    bodyVariants(newEvent().body(AMOUNT)).flatMap((_, index) => {
      const event = newEvent();
      const [variant] = bodyVariants(event.body(AMOUNT)).slice(index);
      const cause =
        'The key is not checked, or depends on how the body is written. Use idempotencyKey';
      return [settles(event, variant), sends(event, { label: 'the same event again', cause })];
    }),

  'a known key with another amount moves nothing': (newEvent) => {
    const event = newEvent();
    const body = event.body('7');
    const cause = 'The key is not checked, or contains the amount. Use idempotencyKey';
    return [
      settles(event),
      sends(event, { body, label: 'with another amount', answer: 'any', cause }),
    ];
  },

  'faulty bodies are refused and move nothing': (newEvent) => {
    const event = newEvent();
    const cause = 'The body is read without the parsers of this package. Use createReceiver';
    const faulty = faultyBodies(event.body(AMOUNT)).map(({ body, label }) =>
      sends(event, { body, label, answer: 'refusal', cause }),
    );
    return [...faulty, settles(event, { label: 'the valid body' })];
  },

  'an unknown field changes nothing': (newEvent) => {
    const event = newEvent();
    const body = event.body(AMOUNT, {}, { unknownField: '1.50' });
    return [settles(event, { body, label: 'with an unknown field', ifRefused: TOO_STRICT })];
  },
};

const DEPOSITS: Behaviors = {
  'an unknown rateType changes nothing': (newEvent) => {
    const event = newEvent();
    const body = event.body(AMOUNT, { rateType: 'OTHER' });
    return [settles(event, { body, label: 'with an unknown rateType', ifRefused: TOO_STRICT })];
  },

  'two deposits of one order add up': (newEvent) => {
    const [first, second] = [newEvent(), newEvent()];
    const { clientPaymentId, paymentId } = JSON.parse(first.body(AMOUNT));
    const body = second.body('0.5', { clientPaymentId, paymentId });
    const cause =
      'The key is that of the order, or the balance is overwritten. Use idempotencyKey, and add';
    return [settles(first), settles(second, { body, label: 'the second of its order', cause })];
  },

  'five deposits at the same time add up': (newEvent) =>
    Array.from({ length: ROUNDS }, () => {
      const first = newEvent();
      const { clientPaymentId, paymentId } = JSON.parse(first.body(AMOUNT));
      const others = Array.from({ length: 4 }, () =>
        newEvent().body(AMOUNT, { clientPaymentId, paymentId }),
      );
      const cause =
        'The balance was read and then written, so deposits at the same time overwrite each other. Add in the database, or lock the row';
      return settles(first, { others, label: 'with four others of its order', cause });
    }),
};

const WITHDRAWALS: Behaviors = {
  'FAILED debits nothing': (newEvent) => notCompleted(newEvent, 'FAILED'),

  'BLOCKED debits nothing': (newEvent) => notCompleted(newEvent, 'BLOCKED'),

  'without an amount, nothing is debited until the amount arrives': (newEvent) => {
    const event = newEvent();
    const body = event.body(null);
    const estimated = 'An estimate was debited. Wait for actualWithdrawAmount';
    const kept = 'The key was inserted without the amount. Insert it when you debit, not before';
    return [
      sends(event, { body, label: 'without an amount', answer: 'any', cause: estimated }),
      settles(event, { label: 'now with its amount', cause: kept }),
    ];
  },

  'an address that was not screened changes nothing': (newEvent) => {
    const event = newEvent();
    const body = event.body(AMOUNT, { txAddressOwner: undefined });
    return [settles(event, { body, label: 'without txAddressOwner', ifRefused: TOO_STRICT })];
  },
};

const FAILING_DATABASE: Behaviors = {
  'answered 500 while the database fails, {moved} afterwards': (newEvent) =>
    whileBroken(newEvent, 1),

  'five copies answered 500 while the database fails, {moved} once afterwards': (newEvent) =>
    whileBroken(newEvent, 5),
};

export const LATE_KEY =
  'The key was committed without the change of the balance. Put both into one transaction';
const TOO_STRICT =
  'The handler refuses what the parser accepts. Log warnings and additionalFields, and settle';

/** The tests of a handler: names, and steps that are new events each time. */
export function behaviorsOf(
  options: HandlerTestsOptions,
): { readonly name: string; readonly steps: () => Step[] }[] {
  const { receives, breakDatabase } = options;
  const failing = breakDatabase ? FAILING_DATABASE : {};
  const of = (type: NotificationType, noun: string, moved: string, behaviors: Behaviors) => {
    const newEvent = eventsOf(type, options);
    return Object.entries(behaviors).map(([behavior, stepsFor]) => ({
      name: `${noun}: ${behavior.replace('{moved}', moved)}`,
      steps: () => stepsFor(newEvent),
    }));
  };
  const deposits = { ...BOTH, ...DEPOSITS, ...failing };
  const withdrawals = { ...BOTH, ...WITHDRAWALS, ...failing };
  return [
    ...(receives === 'withdrawal.broadcast'
      ? []
      : of('deposit.received', 'deposit', 'credited', deposits)),
    ...(receives === 'deposit.received'
      ? []
      : of('withdrawal.broadcast', 'withdrawal', 'debited', withdrawals)),
  ];
}

/** A step after which the balance is unchanged. */
function sends({ seed, body }: TestEvent, rest: Partial<Step> = {}): Step {
  return { seed, body: body(AMOUNT), ...rest };
}

/** A step that credits or debits the amount. */
function settles(event: TestEvent, rest: Partial<Step> = {}): Step {
  return sends(event, { moves: true, ...rest });
}

/**
 * One event with every amount as a number, and one as a string: what one keeps, the other may lose.
 */
function inBothEncodings(newEvent: () => TestEvent, amount: string): Step[] {
  return ['every amount as a number', 'every amount as a string'].map((encoding) => {
    const event = newEvent();
    const body = event.body(amount);
    const variant = bodyVariants(body).find(({ label }) => label === encoding);
    const cause =
      'Check whether a column has too few digits, such as numeric(20,8), and what balance reads';
    return settles(event, { body, label: encoding, ...variant, cause });
  });
}

/** With and without an amount, because the service doesn't document whether it sends one. */
function notCompleted(newEvent: () => TestEvent, status: string): Step[] {
  return [AMOUNT, null].map((amount) => {
    const event = newEvent();
    const label = amount === null ? 'without an amount' : 'with an amount';
    const cause = 'The status is not checked. Debit only COMPLETED withdrawals';
    return sends(event, { body: event.body(amount, { status }), label, cause });
  });
}

function whileBroken(newEvent: () => TestEvent, copies: number): Step[] {
  const event = newEvent();
  const broken = { broken: true, answer: 'failure', label: 'while the database fails' } as const;
  return [
    sends(event, { ...broken, copies }),
    settles(event, { label: 'after the database was mended', copies, cause: LATE_KEY }),
  ];
}

/** The fields that say what moved. They have no value in a body without an amount. */
const MOVED = ['actualWithdrawAmount', 'actualDisplayAmount', 'deductedSettlementAmount'];

/** Returns a function that makes new events, from a random seed on. */
function eventsOf(type: NotificationType, options: HandlerTestsOptions): () => TestEvent {
  let next = Math.floor(Math.random() * 2 ** 47);
  const isDeposit = type === 'deposit.received';
  const main = isDeposit ? 'actualDepositAmount' : 'actualWithdrawAmount';
  const others = amountsOf(SAMPLES[type]).filter((name) => name !== main);
  return () => {
    const seed = next++;
    const own = isDeposit ? options.deposit?.(seed) : options.withdrawal?.(seed);
    const clientId = isDeposit ? 'clientPaymentId' : 'clientWithdrawalId';
    // Fits a column of UUIDs as well as one of text.
    const uuid = `00000000-0000-4000-8000-${seed.toString(16).padStart(12, '0')}`;
    return {
      seed,
      body(amount, changes, additional) {
        // Each amount has different digits, so that a balance shows which one was moved.
        const amounts = [main, ...others].map((name, index) => {
          const digits = MOVED.includes(name) ? amount : (amount ?? AMOUNT);
          return [name, digits && `${index || ''}${digits}`];
        });
        const fields: Readonly<Record<string, unknown>> = {
          [clientId]: uuid,
          ...own,
          ...Object.fromEntries(amounts),
          ...changes,
        };
        const sample = isDeposit ? SAMPLES[type] : withdrawalSample(fields.status);
        return writeBody(sample, fields, { seed, additional });
      },
    };
  };
}

function amountsOf(sample: Sample): string[] {
  return Object.keys(sample).filter((name) => {
    const hasValue = sample[name] !== undefined && sample[name] !== null;
    return hasValue && ['number', 'string'].includes(encodingOf(sample, name));
  });
}
