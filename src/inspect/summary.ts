import type { Decimal } from '../amount.js';
import type { DepositReceived } from '../deposit-received.js';
import type { NotificationIssue, NotificationReference, NotificationType } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { nameOfPath } from '../internal/issues.js';
import { quote } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import type { WithdrawalBroadcast } from '../withdrawal-broadcast.js';

/** A summary names at most this many warnings, and counts the rest. */
const MAX_NAMED = 3;

/** Says in one line what an accepted notification reports, and what to review or not to do. */
export function summarize(notification: PaymentNotification): string {
  const event =
    notification.type === 'deposit.received'
      ? summarizeDeposit(notification)
      : summarizeWithdrawal(notification);
  return event + summarizeWarnings(notification.warnings);
}

function summarizeDeposit(deposit: DepositReceived): string {
  const { clientPaymentId, depositCurrency, displayCurrency } = deposit;
  const { actualDepositAmount, actualDisplayAmount } = deposit;
  const arrived = `Order ${show(clientPaymentId)}: ${money(actualDepositAmount, depositCurrency)} arrived`;
  const worth = `worth ${money(actualDisplayAmount, displayCurrency)}`;
  // Both are compared: with a floating rate, the expected coins may be worth more or less than was
  // requested.
  const coins = compare(actualDepositAmount, deposit.expectedDepositAmount, depositCurrency);
  const value = compare(actualDisplayAmount, deposit.expectedDisplayAmount, displayCurrency);
  if (coins === '' && value === '') {
    return `${arrived}, ${worth}. The expected amount is missing or unreadable.`;
  }
  if (coins === EXACT && value === EXACT) return `${arrived}, ${worth}${EXACT}.`;
  return `${arrived}${coins}. It is ${worth}${value}.`;
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
  const subject = `Withdrawal ${show(clientWithdrawalId)} ${OUTCOMES[status]}`;
  const tag = toTxAddress?.destinationTag ?? null;
  const withTag = tag === null ? '' : ` with the tag ${show(tag)}`;
  const to = toTxAddress === null ? '' : ` to ${show(toTxAddress.address)}${withTag}`;
  const estimated = `: an estimated ${money(estimate, withdrawCurrency)}${to}. `;
  const sent = actual === null ? null : money(actual, withdrawCurrency);
  if (status === 'COMPLETED') {
    return sent === null
      ? `${subject}${estimated}The actual amount is missing or unreadable: don't debit the estimate.`
      : `${subject}: ${sent}${to}.`;
  }
  // The service doesn't document what such a withdrawal has moved.
  const details = sent === null ? estimated : `, but the body reports ${sent} as sent${to}. `;
  return `${subject}${details}Before you refund it, ask the service whether it moved money.`;
}

const OUTCOMES = { COMPLETED: 'completed', FAILED: 'failed', BLOCKED: 'was blocked' } as const;

function summarizeWarnings(warnings: readonly NotificationIssue[]): string {
  if (warnings.length === 0) return '';
  const names = warnings.slice(0, MAX_NAMED).map(({ path }) => nameOfPath(path));
  const more = warnings.length > MAX_NAMED ? ` and ${warnings.length - MAX_NAMED} more` : '';
  const what = warnings.length === 1 ? 'a warning' : `${warnings.length} warnings`;
  return ` Review ${what}: ${names.join(', ')}${more}.`;
}

/** A body that is refused. */
interface Refusal {
  readonly type: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference: NotificationReference;
  /** What text looks like that is not JSON; null if that is unknown. */
  readonly likeness: string | null;
}

/** Says in one line why a body is refused, what to answer and what to do. */
export function summarizeRefusal({ type, issues, reference, likeness }: Refusal): string {
  const [{ code, path, expected, received }] = issues;
  if (code === 'body_too_large') {
    return `The body is refused: it has more than ${MAX_BYTES} bytes. Answer 413, store its start, and ask the service.`;
  }
  // A fault of the body itself explains all others.
  if (path.length === 0) {
    const isAboutIds = received === 'both' || received === 'neither';
    const is = likeness ?? received;
    const fault = isAboutIds ? `have ${expected}, but has ${is}` : `be ${expected}, but is ${is}`;
    // A second sentence says what to do about it.
    const action = is.includes('. ') ? 'Answer 400 and store the body.' : ASK;
    return `The body is refused: it should ${fault}. ${action}`;
  }
  const count = issues.length === 1 ? 'refused' : `refused for ${issues.length} faults. The first`;
  const is = received === 'nothing' ? 'missing' : received;
  const fault = `${nameOfPath(path)} should be ${expected}, but is ${is}`;
  return `The body${eventOf(type, reference)} is ${count}: ${fault}. ${ASK}`;
}

const ASK = 'Answer 400, store the body, and ask the service.';

/** The event that a body reports, as far as it is known: ` of order order-10042`. */
function eventOf(type: NotificationType | null, reference: NotificationReference): string {
  const { depositId, clientPaymentId, withdrawalId, clientWithdrawalId } = reference;
  const isDeposit = type === 'deposit.received';
  if (isDeposit && clientPaymentId !== undefined) return ` of order ${show(clientPaymentId)}`;
  const [name, id] = isDeposit
    ? ['deposit', depositId]
    : ['withdrawal', clientWithdrawalId ?? withdrawalId];
  return id === undefined ? '' : ` of ${name} ${show(id)}`;
}

function money(amount: Decimal, currency: string): string {
  return `${amount} ${show(currency)}`;
}

/**
 * Shows a text of the body: quoted and truncated, unless it can't be mistaken for words of the
 * summary.
 */
function show(text: string): string {
  return /^[\w.:#/@+-]{1,128}$/.test(text) ? text : quote(text);
}
