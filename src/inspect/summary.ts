import type { DepositReceived } from '../parser/deposit-received.js';
import type { NotificationIssue } from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { formatDuration, plural, show } from './display.js';
import { isAddressUnusual, isLate } from './verdict.js';

/** A summary names at most this many fields of one sort, and counts the rest. */
const MAX_NAMED = 3;
/** Maximum length of a quoted address, which may have a long parameter such as `?memo=`. */
const MAX_ADDRESS = 128;

/**
 * Says in one line what an accepted notification reports, what to check, and what not to do.
 *
 * @param repeated - The names of the fields that were sent more than once.
 * @param toCheck - The warnings that make the outcome `check`.
 */
export function summarize(
  notification: PaymentNotification,
  repeated: readonly string[],
  toCheck: readonly NotificationIssue[],
): string {
  const event =
    notification.type === 'deposit.received'
      ? summarizeDeposit(notification)
      : summarizeWithdrawal(notification) + adviceOnTag(notification);
  return event + summarizeRepeated(repeated) + summarizeWarnings(toCheck);
}

function summarizeDeposit(deposit: DepositReceived): string {
  const { clientPaymentId, depositCurrency, displayCurrency } = deposit;
  const { actualDepositAmount, actualDisplayAmount } = deposit;
  const amount = money(actualDepositAmount, depositCurrency);
  const late = lateness(deposit);
  const event = actualDepositAmount.isZero()
    ? `a deposit arrived${late}, but its amount is ${amount}`
    : `${amount} arrived${late}`;
  const arrived = `Order ${show(clientPaymentId)}: ${event}`;
  const total = money(actualDisplayAmount, displayCurrency);
  // Both are compared: with a floating rate, the expected coins may be worth more or less than was
  // requested.
  const coins = compare(actualDepositAmount, deposit.expectedDepositAmount, depositCurrency);
  const value = compare(actualDisplayAmount, deposit.expectedDisplayAmount, displayCurrency);
  if (coins === '' && value === '') {
    return `${arrived}, worth ${total}. The expected amount is unknown.`;
  }
  if (coins === EXACT && value === EXACT) return `${arrived}, worth ${total}${EXACT}.`;
  return `${arrived}${coins}. It is worth ${total}${value}.`;
}

function lateness(deposit: DepositReceived): string {
  if (!isLate(deposit)) return '';
  const { paymentReceivedAt: received, expirationTime: expired } = deposit;
  return ` ${formatDuration(Number(received) - Number(expired))} after the link expired`;
}

const EXACT = ', exactly what was expected';

function compare(actual: Decimal, expected: Decimal | null, currency: string): string {
  if (expected === null) return '';
  const difference = actual.minus(expected);
  if (difference.isZero()) return EXACT;
  const direction = difference.isNegative() ? 'less' : 'more';
  const distance = money(difference.abs(), currency);
  return `, ${distance} ${direction} than the ${money(expected, currency)} expected`;
}

function summarizeWithdrawal(withdrawal: WithdrawalBroadcast): string {
  const { status, clientWithdrawalId, withdrawCurrency, toTxAddress } = withdrawal;
  const { actualWithdrawAmount: actual, estimatedWithdrawAmount: estimate } = withdrawal;
  const subject = `Withdrawal ${show(clientWithdrawalId)} ${ENDINGS[status]}`;
  const tag = toTxAddress?.destinationTag ?? null;
  const withTag = tag === null ? '' : ` with the tag ${show(tag)}`;
  const to = toTxAddress === null ? '' : ` to ${show(toTxAddress.address, MAX_ADDRESS)}${withTag}`;
  const estimated = estimate === null ? null : `${money(estimate, withdrawCurrency)}${to}`;
  const sent = actual === null ? null : money(actual, withdrawCurrency);
  if (status === 'COMPLETED') {
    if (actual?.isZero()) return `${subject}, but the body reports ${sent} as sent${to}.`;
    if (sent !== null) return `${subject}: ${sent}${to}.`;
    return `${subject}, but the amount sent is unknown. The estimate was ${estimated}. Don't debit the estimate. Ask the service which amount was sent.`;
  }
  // The service doesn't document whether such a withdrawal was sent.
  const intended = estimated === null ? '' : `. It was for an estimated ${estimated}`;
  const details = sent === null ? intended : `, and the body reports ${sent} as sent${to}`;
  return `${subject}${details}. Don't return the amount to the customer's balance until the service confirms that nothing was sent.`;
}

function adviceOnTag(withdrawal: WithdrawalBroadcast): string {
  if (!isAddressUnusual(withdrawal)) return '';
  return ' Check the destination tag, because the address has an unusual form.';
}

const ENDINGS = { COMPLETED: 'completed', FAILED: 'failed', BLOCKED: 'was blocked' } as const;

function summarizeRepeated(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Sent more than once: ${list(names.map((name) => show(name)))}. The last value counts.`;
}

function summarizeWarnings(warnings: readonly NotificationIssue[]): string {
  if (warnings.length === 0) return '';
  const names = list(warnings.map(({ path }) => nameOfPath(path)));
  return ` Check ${plural(warnings.length, 'warning')}: ${names}.`;
}

function list(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return names.slice(0, MAX_NAMED).join(', ') + more;
}

function money(amount: Decimal, currency: string | null): string {
  if (currency === null) return `${amount} of an unknown currency`;
  const code = show(currency);
  // A code that begins with a digit would look like a part of the amount.
  return `${amount} ${/^["a-z]/i.test(code) ? code : `"${code}"`}`;
}
