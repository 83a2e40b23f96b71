import type { NotificationType } from '../../parser/errors.js';
import { Decimal } from '../../parser/values/amount.js';
import { hexOf, withdrawalSample, writeBody } from '../bodies.js';
import { SAMPLES } from '../sample.js';
import type { HandlerTestsOptions } from './options.js';

/** A body of a test. The seed makes its identifiers. */
export interface TestBody {
  readonly seed: number;
  readonly body: string | Uint8Array;
  /** What is special about it, for the message. */
  readonly label?: string;
  /** The content type, if it isn't the usual one; null for none. */
  readonly contentType?: string | null;
  /** Another secret in place of the right one. */
  readonly secret?: string;
  /** Whether it arrives in two parts, with a pause between them. */
  readonly isParted?: boolean;
}

/** An event: its usual body, and a function that changes its fields. */
export interface TestEvent extends TestBody {
  readonly type: NotificationType;
  readonly body: string;
  /** The fields that name its order. */
  readonly order: Changes;
  /** The same event with other fields; undefined removes one. */
  readonly with: (changes: Changes, label?: string, additional?: Additional) => TestEvent;
}

export type Changes = Readonly<Record<string, unknown>>;
type Additional = Readonly<Record<string, string>>;

/** What a test wants of a new event. */
export interface Wanted {
  /** What arrives or leaves (default: 0.75). */
  readonly amount?: string;
  readonly fields?: Changes;
  /** False if `prepare` must not insert its order yet. */
  readonly known?: boolean;
  /** The default is the type that the behavior is about. */
  readonly type?: NotificationType;
}

/** Makes a new event. */
export type NewEvent = (type: NotificationType, wanted: Wanted) => TestEvent;

/** Returns a function that makes new events, from a random seed on. */
export function eventsOf(options: HandlerTestsOptions): NewEvent {
  let next = Math.floor(Math.random() * 2 ** 47);
  return (type, { amount = '0.75', fields = {} }) => {
    const seed = next++;
    const isDeposit = type === 'deposit.received';
    // Fits a column of UUIDs as well as one of text.
    const uuid = `00000000-0000-4000-8000-${hexOf(seed)}`;
    const usual: Changes = isDeposit
      ? { clientPaymentId: uuid, settlementCurrency: 'USDC', ...options.deposit?.(seed) }
      : { clientWithdrawalId: uuid, ...options.withdrawal?.(seed) };
    const eventWith = (changes: Changes, label = '', additional?: Additional): TestEvent => {
      const given = { ...usual, ...eventAmounts(type, amount), ...changes };
      const sample = isDeposit ? SAMPLES[type] : withdrawalSample(given.status);
      const body = writeBody(sample, given, { seed, additional });
      const { clientPaymentId, paymentId, clientWithdrawalId } = JSON.parse(body);
      const order = isDeposit ? { clientPaymentId, paymentId } : { clientWithdrawalId };
      const again: TestEvent['with'] = (more, named = label, added = additional) =>
        eventWith({ ...changes, ...more }, named, added);
      return { type, seed, body, label, order, with: again };
    };
    return eventWith(fields);
  };
}

/** The same body under a label. */
export const labeled = <T extends TestBody>(body: T, label: string): T => ({ ...body, label });

/** A body of its type, to see what forms it has. */
export const plainBody = (type: NotificationType): string => writeBody(SAMPLES[type], {}, {});

/**
 * The amounts of an event. They are plausible together, and each has different digits, so that a
 * balance shows which one was moved.
 */
export function eventAmounts(type: NotificationType, amount: string): Changes {
  const [displayed, settled] = [plus(amount, 20), plus(amount, 40)];
  if (type === 'deposit.received') {
    return {
      actualDepositAmount: amount,
      // A bit less than what arrived: a handler may require at least the expected amount.
      expectedDepositAmount: part(amount, '0.997'),
      onChainFee: part(amount, '0.013'),
      actualDisplayAmount: displayed,
      expectedDisplayAmount: part(displayed, '0.997'),
      settlementAmount: settled,
    };
  }
  return {
    actualWithdrawAmount: amount,
    estimatedWithdrawAmount: part(amount, '1.003'),
    withdrawFee: part(amount, '0.013'),
    actualDisplayAmount: displayed,
    expectedDisplayAmount: part(displayed, '1.003'),
    deductedSettlementAmount: settled,
  };
}

/** The fields that say what a withdrawal moved. */
export const NOTHING_MOVED: Changes = {
  actualWithdrawAmount: null,
  actualDisplayAmount: null,
  deductedSettlementAmount: null,
};

const plus = (amount: string, more: number): string => new Decimal(amount).plus(more).toFixed();

/** A multiple of an amount, cut off after its decimals, or after 12 if it has fewer. */
export function part(amount: string, factor: string): string {
  const whole = new Decimal(amount);
  const decimals = Math.max(whole.decimalPlaces(), 12);
  return whole.times(factor).toDecimalPlaces(decimals, Decimal.ROUND_DOWN).toFixed();
}
