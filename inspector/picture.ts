// A notification as a picture: its points in time, and its amounts by currency.

import { formatDuration, formatTime } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import type { NotificationType } from '../src/parser/errors';
import { nameOfRule } from '../src/parser/spelling';
import { Decimal } from '../src/parser/values/amount';

export interface Moment {
  readonly label: string;
  readonly time: string;
  /** How much of the whole time passes until the next one, from 0 to 1. */
  readonly share: number;
  /** How long after the previous one. */
  readonly after: string | null;
}

interface Bar {
  readonly label: string;
  /** Exact, as text. */
  readonly amount: string;
  /**
   * The difference from the bar before, such as the expected amount. Empty for a fee or a loss, or
   * if there is none.
   */
  readonly note: string;
  /**
   * The share of the largest amount of the currency, from 0 to 1. A double is exact enough for a
   * picture.
   */
  readonly share: number;
  readonly isFee: boolean;
}

export interface Money {
  readonly currency: string;
  readonly what: string;
  readonly bars: readonly Bar[];
}

/** Each currency: its field, what it reports, and a pattern for the names of its amounts. */
const CURRENCIES = [
  ['depositCurrency', 'deposited', /deposit/i],
  ['withdrawCurrency', 'withdrawn', /withdraw/i],
  ['displayCurrency', 'displayed', /display/i],
  ['settlementCurrency', 'settled', /settlement/i],
] as const;
const FEE = /(?:Fee|LossAmount)$/;

/**
 * The labels of the amounts, in the order of the bars. A pattern of `CURRENCIES` must match the
 * name of each.
 */
const LABELS: Readonly<Record<NotificationType, Readonly<Record<string, string>>>> = {
  'deposit.received': {
    expectedDepositAmount: 'expected',
    actualDepositAmount: 'received',
    expectedDisplayAmount: 'expected',
    actualDisplayAmount: 'received',
    displayServiceFee: 'service fee',
    displayDistributedUserServiceFee: 'distributed fee',
    settlementAmount: 'credited',
    settlementServiceFee: 'service fee',
    settlementDistributedUserServiceFee: 'distributed fee',
    settlementRateDepegLossAmount: 'depeg loss',
  },
  'withdrawal.broadcast': {
    estimatedWithdrawAmount: 'estimated',
    actualWithdrawAmount: 'sent',
    withdrawFee: 'blockchain fee',
    expectedDisplayAmount: 'requested',
    actualDisplayAmount: 'sent',
    displayFee: 'blockchain fee',
    displayRateDepegLossAmount: 'depeg loss',
    deductedSettlementAmount: 'debited',
    settlementRateDepegLossAmount: 'depeg loss',
  },
};

const MOMENTS = [
  ['paymentRequestedAt', 'requested'],
  ['paymentReceivedAt', 'received'],
  ['expirationTime', 'link expires'],
] as const;

/** The points in time of a deposit, in order; none if there are fewer than two. */
export function toMoments({ type, fields }: Inspection): Moment[] {
  if (type !== 'deposit.received') return [];
  const values = valuesOf(fields);
  const points = MOMENTS.flatMap(([name, label]) => {
    const time = values.get(name);
    return typeof time === 'string' ? [{ label, time, ms: Date.parse(time) }] : [];
  }).sort((one, other) => one.ms - other.ms);
  const [first] = points;
  if (first === undefined || points.length === 1) return [];
  const span = (points.at(-1) ?? first).ms - first.ms;
  return points.map(({ label, time, ms }, index) => {
    const before = points[index - 1] ?? null;
    return {
      label,
      time: formatTime(time),
      share: ((points[index + 1]?.ms ?? ms) - ms) / (span || 1),
      after: before && `${formatDuration(ms - before.ms)} ${afterOf(before.label, label)}`,
    };
  });
}

function afterOf(before: string, label: string): string {
  return before === 'link expires' && label === 'received' ? 'after the link expired' : 'later';
}

export function toMoney({ type, fields }: Inspection): Money[] {
  if (type === null) return [];
  const values = valuesOf(fields);
  const amounts = Object.entries(LABELS[type]).flatMap(([name, label]) => {
    const amount = values.get(name);
    return typeof amount === 'string' ? [{ name, label, amount, isFee: FEE.test(name) }] : [];
  });
  return CURRENCIES.flatMap(([field, what, part]) => {
    const currency = values.get(field);
    const found = amounts.filter(({ name }) => part.test(name));
    if (typeof currency !== 'string' || found.length === 0) return [];
    const largest = Math.max(...found.map(({ amount }) => Math.abs(Number(amount))));
    const bars = found.map((one, index) => {
      const before = found[index - 1];
      const isPair = before !== undefined && !one.isFee;
      return {
        ...one,
        note: isPair ? difference(one.amount, before.amount, before.label) : '',
        share: largest === 0 ? 0 : Math.abs(Number(one.amount)) / largest,
      };
    });
    return [{ currency, what, bars }];
  });
}

/** The values by the names of the output: of an amount in two spellings, one may be null. */
function valuesOf(fields: Inspection['fields']): ReadonlyMap<string, unknown> {
  const read = fields.filter(({ parsed }) => parsed !== null);
  return new Map(read.map(({ name, parsed }) => [nameOfRule(name), parsed]));
}

/** `0.00000001 less than expected`. */
function difference(amount: string, other: string, label: string): string {
  const change = new Decimal(amount).minus(other);
  if (change.isZero()) return '';
  return `${change.abs()} ${change.isNegative() ? 'less' : 'more'} than ${label}`;
}
