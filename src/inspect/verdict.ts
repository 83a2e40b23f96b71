import type { DepositReceived } from '../parser/deposit-received.js';
import type { NotificationIssue } from '../parser/errors.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { NamedRule } from '../parser/rules.js';
import { nameOfRule } from '../parser/spelling.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';

/**
 * Whether support can stop reading: `good` is accepted and as expected, `check` is accepted and
 * needs a look, `refused` is refused.
 */
export type Verdict = 'good' | 'check' | 'refused';

/** Whether someone should look at an accepted body, and why. */
export interface Finding {
  readonly outcome: Exclude<Verdict, 'refused'>;
  /** The reasons, each in a few words. */
  readonly checks: readonly string[];
  /** More reasons: an amount or a time could not be read, so nothing can be compared with it. */
  readonly toCheck: readonly NotificationIssue[];
}

type Checks<T> = Readonly<Record<string, (notification: T) => boolean>>;

const DEPOSIT_CHECKS: Checks<DepositReceived> = {
  'an amount of 0': (deposit) => deposit.actualDepositAmount.isZero(),
  'more or fewer coins than expected': (deposit) =>
    differs(deposit.actualDepositAmount, deposit.expectedDepositAmount),
  'more or less value than expected': (deposit) =>
    differs(deposit.actualDisplayAmount, deposit.expectedDisplayAmount),
  'arrived after the link expired': isLate,
};

const WITHDRAWAL_CHECKS: Checks<WithdrawalBroadcast> = {
  'FAILED or BLOCKED': ({ status }) => status !== 'COMPLETED',
  'an amount of 0': ({ actualWithdrawAmount }) => actualWithdrawAmount?.isZero() === true,
  'COMPLETED without the amount that was sent': ({ status, actualWithdrawAmount }) =>
    status === 'COMPLETED' && actualWithdrawAmount === null,
  'an address in an unusual form': isAddressUnusual,
};

/**
 * @param repeated - The names of the fields that were sent more than once: another parser may take
 * the first value.
 * @param rules - The rules by which the notification was read.
 */
export function judgeNotification(
  notification: PaymentNotification,
  repeated: readonly string[],
  rules: readonly NamedRule[],
): Finding {
  const twice = repeated.length > 0 ? ['a field sent more than once'] : [];
  const found =
    notification.type === 'deposit.received'
      ? namesOf(DEPOSIT_CHECKS, notification)
      : namesOf(WITHDRAWAL_CHECKS, notification);
  const toCheck = notification.warnings.filter(({ path }) => {
    const kind = rules.find(({ name }) => name === nameOfRule(String(path[0])))?.type.kind;
    return kind === 'amount' || kind === 'timestamp';
  });
  const checks = [...twice, ...found];
  return { outcome: checks.length + toCheck.length > 0 ? 'check' : 'good', checks, toCheck };
}

function namesOf<T>(checks: Checks<T>, notification: T): string[] {
  return Object.keys(checks).filter((name) => checks[name]?.(notification));
}

export function isLate({ paymentReceivedAt: at, expirationTime: end }: DepositReceived): boolean {
  return at !== null && end !== null && at > end;
}

/**
 * A tag after another mark than `?dt=`, which the parser takes for a part of the address. No tag
 * has more digits. An address of TON may be a colon and 64 of them.
 */
const TAG = /[:#/,;|\s]\d{1,20}$/;

/** Whether the address may contain a destination tag in another form than `?dt=<tag>`. */
export function isAddressUnusual({ toTxAddress, warnings }: WithdrawalBroadcast): boolean {
  if (toTxAddress === null) return false;
  const isDoubted = warnings.some(({ code }) => code === 'invalid_tx_address');
  return isDoubted || TAG.test(toTxAddress.address);
}

function differs(actual: Decimal, expected: Decimal | null): boolean {
  return expected !== null && !actual.equals(expected);
}
