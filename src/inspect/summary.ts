import { MAX_BYTES } from '../parser/body.js';
import type { DepositReceived } from '../parser/deposit-received.js';
import type {
  IssueCode,
  NotificationIssue,
  NotificationReference,
  NotificationType,
} from '../parser/errors.js';
import { nameOfPath, quote } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Decimal } from '../parser/values/amount.js';
import type { WithdrawalBroadcast } from '../parser/withdrawal-broadcast.js';
import { formatDuration } from './display.js';
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
  const address = isAddressUnusual(withdrawal)
    ? ' Check the destination tag, because the address has an unusual form.'
    : '';
  return summarizeMove(withdrawal) + address;
}

function summarizeMove(withdrawal: WithdrawalBroadcast): string {
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
    return `${subject}, but the amount sent is unknown. The estimate was ${estimated}. Don't debit the estimate. Ask the service which amount was sent.`;
  }
  // The service doesn't document whether such a withdrawal was sent.
  const intended = estimated === null ? '' : `. It was for an estimated ${estimated}`;
  const details = sent === null ? intended : `, and the body reports ${sent} as sent${to}`;
  return `${subject}${details}. Don't return the amount to the customer's balance until the service confirms that nothing was sent.`;
}

const OUTCOMES = { COMPLETED: 'completed', FAILED: 'failed', BLOCKED: 'was blocked' } as const;

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

/** What is known of a refused body. */
interface Refusal {
  readonly type: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference: NotificationReference;
}

/** Says in one line why a body is refused, what to do and what to answer. */
export function summarizeRefusal(refusal: Refusal, isSaved: boolean): string {
  const { type, issues, reference } = refusal;
  const [first] = issues;
  // A fault of the body itself explains all others.
  const isOnly = first.path.length === 0 || issues.length === 1;
  const count = isOnly ? 'refused' : `refused for ${issues.length} faults. The first`;
  const answer = isSaved ? '' : answerTo(first.code);
  return `The body${eventOf(reference)} is ${count}: ${faultOf(first, type)}.${adviceOn(first.code, type)}${answer}`;
}

function faultOf(issue: NotificationIssue, type: NotificationType | null): string {
  const { code, path, expected, received } = issue;
  if (code === 'body_too_large') return `it has more than ${MAX_BYTES} bytes`;
  if (code === 'missing_field') return `${nameOfPath(path)} has no value`;
  // Without a type, the identifiers are wrong.
  if (code === 'unrecognized_notification' && type === null) {
    return `it should have ${expected}, but has ${received}`;
  }
  const subject = path.length === 0 ? 'it' : nameOfPath(path);
  return `${subject} should be ${expected}, but is ${received}`;
}

function adviceOn(code: IssueCode, type: NotificationType | null): string {
  // Such a fault already says to check the callback URLs.
  if (code === 'unrecognized_notification' && type !== null) return '';
  // The text may have been changed when somebody copied it.
  const isNoObject = code === 'invalid_json' || code === 'not_an_object';
  return `${isNoObject ? ' If the service sent it like this, ask' : ' Ask'} the service about it.`;
}

function answerTo(code: IssueCode): string {
  return code === 'body_too_large'
    ? ' The endpoint should answer 413 and store its start.'
    : ' The endpoint should answer 400 and store the body.';
}

/** What a body is about, as far as that is known: ` of order order-10042`. */
function eventOf(reference: NotificationReference): string {
  const { depositId, clientPaymentId, withdrawalId, clientWithdrawalId } = reference;
  const events = [
    ...(clientPaymentId === undefined
      ? named('deposit', depositId)
      : named('order', clientPaymentId)),
    ...named('withdrawal', clientWithdrawalId ?? withdrawalId),
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
