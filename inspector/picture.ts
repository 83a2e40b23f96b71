// A notification as a picture: its points in time, and its amounts by currency.

import { formatTime } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import { duration } from '../src/inspect/summary';
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
  /** The difference from the expected amount; empty if there is none. */
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

/** For each currency: what it is for, and its amounts and fees with their labels. */
type Plan = readonly {
  readonly currency: string;
  readonly what: string;
  readonly amounts: Labels;
  readonly fees: Labels;
}[];
type Labels = Readonly<Record<string, string>>;

const DEPOSIT: Plan = [
  {
    currency: 'depositCurrency',
    what: 'deposited',
    amounts: { expectedDepositAmount: 'expected', actualDepositAmount: 'received' },
    fees: {},
  },
  {
    currency: 'displayCurrency',
    what: 'displayed',
    amounts: { expectedDisplayAmount: 'expected', actualDisplayAmount: 'received' },
    fees: {
      displayServiceFee: 'service fee',
      displayDistributedUserServiceFee: 'distributed fee',
    },
  },
  {
    currency: 'settlementCurrency',
    what: 'settled',
    amounts: { settlementAmount: 'credited' },
    fees: {
      settlementServiceFee: 'service fee',
      settlementDistributedUserServiceFee: 'distributed fee',
      settlementRateDepegLossAmount: 'depeg loss',
    },
  },
];

const WITHDRAWAL: Plan = [
  {
    currency: 'withdrawCurrency',
    what: 'withdrawn',
    amounts: { estimatedWithdrawAmount: 'estimated', actualWithdrawAmount: 'sent' },
    fees: { withdrawFee: 'blockchain fee' },
  },
  {
    currency: 'displayCurrency',
    what: 'displayed',
    amounts: { expectedDisplayAmount: 'requested', actualDisplayAmount: 'sent' },
    fees: { displayFee: 'blockchain fee', displayRateDepegLossAmount: 'depeg loss' },
  },
  {
    currency: 'settlementCurrency',
    what: 'settled',
    amounts: { deductedSettlementAmount: 'debited', deducedSettlementAmount: 'debited' },
    fees: { settlementRateDepegLossAmount: 'depeg loss' },
  },
];

const MOMENTS = [
  ['paymentRequestedAt', 'requested'],
  ['paymentReceivedAt', 'received'],
  ['expirationTime', 'link expires'],
] as const;

type Values = ReadonlyMap<string, unknown>;

/** The points in time of a deposit, in order; none if there are fewer than two. */
export function toMoments({ type, fields }: Inspection): Moment[] {
  if (type !== 'deposit.received') return [];
  const values: Values = new Map(fields.map(({ name, parsed }) => [name, parsed]));
  const points = MOMENTS.flatMap(([name, label]) => {
    const time = values.get(name);
    return typeof time === 'string' ? [{ label, time, ms: Date.parse(time) }] : [];
  }).sort((one, other) => one.ms - other.ms);
  const [first] = points;
  if (first === undefined || points.length === 1) return [];
  const span = (points.at(-1) ?? first).ms - first.ms;
  return points.map(({ label, time, ms }, index) => {
    const before = points[index - 1];
    return {
      label,
      time: formatTime(time),
      share: ((points[index + 1]?.ms ?? ms) - ms) / (span || 1),
      after:
        before === undefined ? null : `${duration(ms - before.ms)} ${afterOf(before.label, label)}`,
    };
  });
}

function afterOf(before: string, label: string): string {
  return before === 'link expires' && label === 'received' ? 'after the link expired' : 'later';
}

export function toMoney({ type, fields }: Inspection): Money[] {
  if (type === null) return [];
  const values: Values = new Map(fields.map(({ name, parsed }) => [name, parsed]));
  const plan = type === 'deposit.received' ? DEPOSIT : WITHDRAWAL;
  return plan.flatMap(({ currency, what, amounts, fees }) => {
    const code = values.get(currency);
    const read = (labels: Labels, isFee: boolean) =>
      Object.entries(labels).flatMap(([name, label]) => {
        const amount = values.get(name);
        return typeof amount === 'string' ? [{ label, amount, isFee }] : [];
      });
    const found = [...read(amounts, false), ...read(fees, true)];
    if (typeof code !== 'string' || found.length === 0) return [];
    const largest = Math.max(...found.map(({ amount }) => Math.abs(Number(amount))));
    const bars = found.map(({ label, amount, isFee }, index) => {
      const before = found[index - 1];
      const isPair = before !== undefined && !isFee;
      return {
        label,
        isFee,
        amount,
        note: isPair ? difference(amount, before.amount, before.label) : '',
        share: largest === 0 ? 0 : Math.abs(Number(amount)) / largest,
      };
    });
    return [{ currency: code, what, bars }];
  });
}

/** `0.00000001 less than expected`. */
function difference(amount: string, other: string, label: string): string {
  const change = new Decimal(amount).minus(other);
  if (change.isZero()) return '';
  return `${change.abs()} ${change.isNegative() ? 'less' : 'more'} than ${label}`;
}
