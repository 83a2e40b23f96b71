import { MAX_BYTES } from '../parser/body.js';
import type { DepositReceived } from '../parser/deposit-received.js';
import type {
  NotificationIssue,
  NotificationReference,
  NotificationType,
} from '../parser/errors.js';
import { nameOfPath, quote } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Incomplete } from '../parser/read.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { plural } from './display.js';
import { isLate } from './outcome.js';

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
      : summarizeWithdrawal(notification);
  const others = notification.warnings.filter((warning) => !toCheck.includes(warning));
  const warnings = nameWarnings('Check a warning', 'Check', toCheck);
  return event + summarizeRepeated(repeated) + warnings + nameWarnings('A warning', '', others);
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
    const isUnreadable =
      hasWarning(deposit, 'expectedDepositAmount') || hasWarning(deposit, 'expectedDisplayAmount');
    return `${arrived}, worth ${total}. ${isUnreadable ? "The expected amount can't be read" : "The body doesn't say what was expected"}.`;
  }
  if (coins === EXACT && value === EXACT) return `${arrived}, worth ${total}${EXACT}.`;
  if (coins !== '' && value === EXACT) {
    return `${arrived}${coins}, but its value of ${total} is exactly what was expected.`;
  }
  return `${arrived}${coins}. It is worth ${total}${value}.`;
}

function lateness(deposit: DepositReceived): string {
  if (!isLate(deposit)) return '';
  const { paymentReceivedAt: received, expirationTime: expired } = deposit;
  return ` ${duration(Number(received) - Number(expired))} after the link expired`;
}

export function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return 'less than 1 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
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
  const to = toTxAddress === null ? '' : ` to ${show(toTxAddress.address, MAX_ADDRESS)}${withTag}`;
  const estimated = estimate === null ? null : `${money(estimate, withdrawCurrency)}${to}`;
  const sent = actual === null ? null : money(actual, withdrawCurrency);
  if (status === 'COMPLETED') {
    if (actual?.isZero()) return `${subject}, but the body reports ${sent} as sent${to}.`;
    if (sent !== null) return `${subject}: ${sent}${to}.`;
    const fault = hasWarning(withdrawal, 'actualWithdrawAmount')
      ? "the amount sent can't be read"
      : "the body doesn't say which amount was sent";
    return `${subject}, but ${fault}. The estimate was ${estimated}. Don't debit the estimate. Ask the service which amount was sent.`;
  }
  // The service doesn't document whether such a withdrawal was sent.
  const intended = estimated === null ? '' : `. It was for an estimated ${estimated}`;
  const details = sent === null ? intended : `, and the body reports ${sent} as sent${to}`;
  return `${subject}${details}. Don't return the amount to the customer's balance until the service confirms that nothing was sent.`;
}

const OUTCOMES = { COMPLETED: 'completed', FAILED: 'failed', BLOCKED: 'was blocked' } as const;

function hasWarning({ warnings }: PaymentNotification, name: string): boolean {
  return warnings.some(({ path }) => path[0] === name);
}

function summarizeRepeated(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Sent more than once: ${list(names.map((name) => show(name)))}. The last value counts.`;
}

function nameWarnings(
  one: string,
  several: string,
  warnings: readonly NotificationIssue[],
): string {
  const { length } = warnings;
  if (length === 0) return '';
  const what = length === 1 ? one : `${several} ${length} warnings`.trim();
  return ` ${what}: ${list(warnings.map(({ path }) => nameOfPath(path)))}.`;
}

function list(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return names.slice(0, MAX_NAMED).join(', ') + more;
}

/** What {@link summarizeRefusal} needs to know about a body. */
interface Refusal {
  readonly type: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference: NotificationReference;
  /** What the body reports; see {@link reportedBy}. */
  readonly reported: string;
  /** Whether the body is an object without a field. */
  readonly isEmpty: boolean;
  /** The events that are inside; see {@link countEvents}. */
  readonly contained: string;
  /** How the body was changed when somebody copied it; null if that is unknown. */
  readonly damage: string | null;
}

/**
 * Says in one line why a body is refused, what to do and what to answer. For a copy that was
 * damaged by copying, it says only why, because the endpoint received a different text.
 */
export function summarizeRefusal(refusal: Refusal): string {
  const { type, issues, reference, reported, isEmpty, contained, damage } = refusal;
  const [{ code, path, expected, received }] = issues;
  if (code === 'body_too_large') {
    return `The body is refused: it has more than ${MAX_BYTES} bytes. Ask the service about it. The endpoint should answer 413 and store its start.`;
  }
  if (isEmpty) return `The body is refused: no field was sent. ${ASK}`;
  if (damage !== null) return `The body is refused: it should be ${expected}, but is ${damage}.`;
  // A fault of the body itself explains all others.
  if (path.length === 0) {
    const isAboutIds = received === 'both' || received === 'neither';
    const fault = isAboutIds
      ? `have ${expected}, but has ${received}`
      : `be ${expected}, but is ${received}`;
    // A second sentence in `received` already says what to do, so the service need not be asked.
    const advice = received.includes('. ') ? ANSWER : ASK;
    // `type` isn't passed on, because it may be the endpoint's type and not the event's.
    return `The body${eventOf(null, reference)} is refused: it should ${fault}.${contained} ${advice}`;
  }
  const count = issues.length === 1 ? 'refused' : `refused for ${issues.length} faults. The first`;
  return `The body${eventOf(type, reference)} is ${count}: ${nameOfPath(path)} ${faultOf(issues[0])}. ${reported}${ASK}`;
}

function faultOf({ expected, received }: NotificationIssue): string {
  if (received === 'nothing') return 'is missing';
  if (received === 'null') return 'is null';
  // A text with a lone surrogate isn't empty, so "a non-empty string" would not say what is wrong.
  const isIllFormed = received.endsWith('with a lone surrogate');
  return `should be ${isIllFormed ? 'well-formed text' : expected}, but is ${received}`;
}

/** An identifier with a value, even in JSON inside a string, where quotes are escaped. */
const EVENT = /"(depositId|withdrawalId)\\{0,7}"\s{0,9}:(?!\s{0,9}(?:null|\\{0,7}"\\{0,7}"))/g;

/**
 * Says how many events a refused text contains, however they are wrapped. None of them is
 * settled: an endpoint refuses the body as a whole.
 *
 * @param least - If there are fewer events, the result is empty.
 */
export function countEvents(text: string, least: number): string {
  const counts = { depositId: 0, withdrawalId: 0 };
  for (const [, name] of text.matchAll(EVENT)) counts[name as keyof typeof counts] += 1;
  const { depositId: deposits, withdrawalId: withdrawals } = counts;
  if (deposits + withdrawals < least) return '';
  const events = [
    ...(deposits === 0 ? [] : [plural(deposits, 'deposit')]),
    ...(withdrawals === 0 ? [] : [plural(withdrawals, 'withdrawal')]),
  ];
  return ` It contains ${events.join(' and ')}.`;
}

/**
 * Says which amount a refused body reports. The result is empty unless the amount and its currency
 * could be read, and each was sent once.
 *
 * @param repeated - The names of the fields that were sent more than once.
 */
export function reportedBy(
  notification: Incomplete<PaymentNotification>,
  repeated: readonly string[],
): string {
  const isDeposit = notification.type === 'deposit.received';
  const [amount, currency] = isDeposit
    ? [notification.actualDepositAmount, notification.depositCurrency]
    : [notification.actualWithdrawAmount, notification.withdrawCurrency];
  const names = isDeposit
    ? ['actualDepositAmount', 'depositCurrency']
    : ['actualWithdrawAmount', 'withdrawCurrency'];
  if (amount === null || currency === null || names.some((name) => repeated.includes(name))) {
    return '';
  }
  const action = isDeposit ? 'credit' : 'debit';
  return `The body reports ${money(amount, currency)}, but don't ${action} it. `;
}

const ANSWER = 'The endpoint should answer 400 and store the body.';
const ASK = `Ask the service about it. ${ANSWER}`;

/**
 * The event that a body reports, as far as it is known: ` of order order-10042`. If the body's
 * type is unknown, both events that it names.
 */
function eventOf(type: NotificationType | null, reference: NotificationReference): string {
  const { depositId, clientPaymentId, withdrawalId, clientWithdrawalId } = reference;
  const deposit =
    clientPaymentId === undefined ? named('deposit', depositId) : named('order', clientPaymentId);
  const withdrawal = named('withdrawal', clientWithdrawalId ?? withdrawalId);
  const events = [
    ...(type === 'withdrawal.broadcast' ? [] : deposit),
    ...(type === 'deposit.received' ? [] : withdrawal),
  ];
  return events.length === 0 ? '' : ` of ${events.join(' and ')}`;
}

function named(event: string, id: string | undefined): string[] {
  return id === undefined ? [] : [`${event} ${show(id)}`];
}

function money(amount: Decimal, currency: string | null): string {
  if (currency === null) return `${amount} of an unknown currency`;
  const code = show(currency);
  // A code that begins with a digit would look like a part of the amount.
  return `${amount} ${/^["a-z]/i.test(code) ? code : `"${code}"`}`;
}

/**
 * Shows a text of the body. A text of at most 128 usual characters, as in an identifier or address,
 * is shown whole. It is quoted only if a part of it could be mistaken for punctuation of the
 * summary. Any other text is quoted and truncated.
 */
function show(text: string, most?: number): string {
  if (!/^[\w.:#/@+-]{1,128}$/.test(text)) return quote(text, most);
  return /:|\W$/.test(text) ? `"${text}"` : text;
}
