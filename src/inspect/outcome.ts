import type { DepositReceived } from '../parser/deposit-received.js';
import type { NotificationIssue } from '../parser/errors.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Reading } from '../parser/read.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';

/**
 * Whether support can stop reading: `good` is accepted and as expected, `check` is accepted and
 * needs a look, `refused` is refused.
 */
export type Outcome = 'good' | 'check' | 'refused';

/** What makes an accepted body one to check. */
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
};

/**
 * Says why someone should look at an accepted body, each reason in a few words. Its warnings are
 * counted apart.
 *
 * @param repeated - The names of the fields that were sent more than once: another parser may take
 * the first value.
 */
export function checksOf(
  notification: PaymentNotification,
  repeated: readonly string[],
): readonly string[] {
  const checks = repeated.length > 0 ? ['a field sent more than once'] : [];
  return notification.type === 'deposit.received'
    ? [...checks, ...found(DEPOSIT_CHECKS, notification)]
    : [...checks, ...found(WITHDRAWAL_CHECKS, notification)];
}

function found<T>(checks: Checks<T>, notification: T): string[] {
  return Object.keys(checks).filter((name) => checks[name]?.(notification));
}

/**
 * Whether someone should look at a warning: an amount or a time could not be read, so that nothing
 * can be compared with it, or an address may lack its tag.
 */
export function isToCheck(
  { code, path }: NotificationIssue,
  reading: Pick<Reading<unknown>, 'rules'> | null,
): boolean {
  if (code === 'invalid_tx_address') return true;
  const kind = reading?.rules.find(({ name }) => name === path[0])?.type.kind;
  return kind === 'amount' || kind === 'timestamp';
}

export function isLate({ paymentReceivedAt: at, expirationTime: end }: DepositReceived): boolean {
  return at !== null && end !== null && at > end;
}

function differs(actual: Decimal, expected: Decimal | null): boolean {
  return expected !== null && !actual.equals(expected);
}
