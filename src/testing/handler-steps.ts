import { Decimal } from '../amount.js';
import { isDecimalLiteral } from '../internal/digits.js';
import { escapeUnprintable, quote } from '../internal/quote.js';
import { idempotencyKey, type PaymentNotification } from '../notification.js';
import { safeParseNotification } from '../parse.js';
import { type DeliveryAttempt, deliver } from './deliver.js';
import { LATE_KEY, type Step } from './handler-behaviors.js';
import type { HandlerAmount, HandlerTestsOptions } from './handler-options.js';

/** Sends the bodies of a test in turn. Checks the answers and the balance after each. */
export async function runSteps(
  steps: readonly Step[],
  options: HandlerTestsOptions,
): Promise<void> {
  const { balance, prepare, breakDatabase, amountOf = usualAmount } = options;
  const { url, headers, timeoutMs, fetch } = options;
  const endpoint = { url: `${typeof url === 'function' ? url() : url}`, headers, timeoutMs, fetch };
  const parsed = steps.map(({ body }) => safeParseNotification(body).notification);
  const orders = ordersOf(steps, parsed);
  const [first] = orders;
  if (first === undefined) throw new TypeError(reasonOf(steps));
  await prepare?.(orders);
  const { currency } = amountOf(first);
  let before = readAmount(await balance(currency));
  /** Returns by how much the balance has changed since the last time. */
  const takeChange = async (): Promise<Decimal> => {
    const after = readAmount(await balance(currency));
    const change = after.minus(before);
    before = after;
    return change;
  };

  for (const [index, step] of steps.entries()) {
    const notification = parsed[index] ?? first;
    const fail = (expected: string, actual: string, cause: string): never => {
      const message = `${nameOf(step, notification)}: expected ${expected}, received ${actual}. ${cause}`;
      throw Object.assign(new Error(message), { expected, actual });
    };
    const mend = step.broken ? await breakDatabase?.() : undefined;
    const { body, others = [], copies } = step;
    const deliveries = [body, ...others].map((sent) => deliver(sent, { ...endpoint, copies }));
    const reports = await Promise.all(deliveries).finally(mend);
    const attempts = reports.flatMap((report) => report.attempts);
    const { expected, from, to } = ANSWERS[step.answer ?? 'success'];
    const wrong = attempts.find(
      ({ answer }) => !answer || answer.status < from || answer.status > to,
    );
    if (wrong) {
      const hasMoved = step.broken && !(await takeChange()).isZero();
      fail(expected, answerOf(wrong), causeOfAnswer(step, wrong, attempts, hasMoved));
    }
    // Once mended, a handler may settle by itself what it kept.
    if (step.broken) continue;
    const { amount } = amountOf(notification);
    const moved = new Decimal((step.moves && amount) || 0).times(deliveries.length);
    const due = first.type === 'deposit.received' ? moved : moved.negated();
    const change = await takeChange();
    if (!change.equals(due)) {
      const cause = causeOfBalance(step, notification, due, change);
      fail(`${signed(due)} ${currency}`, `${signed(change)} ${currency}`, cause);
    }
  }
}

/** Which answers a step accepts. */
const ANSWERS = {
  success: { expected: 'a status from 200 to 299', from: 200, to: 299 },
  refusal: { expected: 'a status from 400 to 499', from: 400, to: 499 },
  failure: { expected: 'a status from 500 to 599', from: 500, to: 599 },
  any: { expected: 'an answer', from: 0, to: 599 },
};

/**
 * Returns one notification for each order: the one that is settled, if there is one, because it has
 * the amount.
 */
function ordersOf(
  steps: readonly Step[],
  parsed: readonly (PaymentNotification | undefined)[],
): PaymentNotification[] {
  const orders = new Map<string, PaymentNotification>();
  for (const [index, notification] of parsed.entries()) {
    if (notification === undefined) continue;
    const isDeposit = notification.type === 'deposit.received';
    const id = isDeposit ? notification.clientPaymentId : notification.clientWithdrawalId;
    if (!orders.has(id) || steps[index]?.moves) orders.set(id, notification);
  }
  return [...orders.values()];
}

/** Says why the bodies are invalid: because of the fields that the merchant set. */
function reasonOf(steps: readonly Step[]): string {
  const reasons = steps.map(({ body }) => safeParseNotification(body).error?.issues[0].message);
  return `deposit or withdrawal: expected fields of a valid body, but ${reasons.at(-1)}`;
}

function usualAmount(notification: PaymentNotification): HandlerAmount {
  return notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: notification.withdrawCurrency, amount: notification.actualWithdrawAmount };
}

function readAmount(value: unknown): Decimal {
  if (value === null) return new Decimal(0);
  const expected = 'decimal text';
  if (typeof value === 'number') {
    throw new TypeError(
      `balance: expected ${expected}, received the number ${value}, which may have lost digits. Cast it in the query: sum(amount)::text`,
    );
  }
  // A Decimal of another copy of decimal.js has other settings.
  const text = Decimal.isDecimal(value) ? value.toFixed() : value;
  if (typeof text === 'string' && isDecimalLiteral(text)) return new Decimal(text);
  throw new TypeError(`balance: expected ${expected}, received ${quote(value)}`);
}

function signed(amount: Decimal): string {
  return amount.greaterThan(0) ? `+${amount}` : `${amount}`;
}

/** Names what was sent: the key is in the handler's log and database. */
function nameOf({ seed, label, copies = 1 }: Step, notification: PaymentNotification): string {
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const details = [...(label ? [label] : []), `seed ${seed}`].join(', ');
  return `${copied}${idempotencyKey(notification)} (${details})`;
}

function answerOf({ answer, error }: DeliveryAttempt): string {
  if (answer === null) return error;
  return `${answer.status} ${escapeUnprintable(answer.body.slice(0, 200))}`.trim();
}

/** The likely cause of a wrong answer. */
function causeOfAnswer(
  step: Step,
  { answer, error }: DeliveryAttempt,
  attempts: readonly DeliveryAttempt[],
  hasMoved: boolean | undefined,
): string {
  if (answer === null) {
    return attempts.length > 1 && error?.startsWith('no answer')
      ? 'Copies wait for each other. Use one connection to the database for each request'
      : 'Check that the handler runs at this URL, and answers every request';
  }
  const isFailure = answer.status >= 500;
  const isSuccess = answer.status >= 200 && answer.status <= 299;
  if (step.broken) {
    if (!isSuccess) return 'A refusal may not be repeated. Let errors of the database through';
    if (hasMoved) return 'breakDatabase broke nothing that the handler uses';
    // Some copies failed, and others were repeats: of a key without its credit.
    if (attempts.some((one) => !one.success)) return LATE_KEY;
    return 'The error of the database was caught. Let it through, so that the answer is 500';
  }
  if (step.answer === 'refusal') {
    return isFailure
      ? 'The handler fails at a faulty body. Store the body, and answer 400'
      : 'The handler accepts a faulty body. Answer 400 if the parser throws';
  }
  if (!isFailure) {
    const usual = 'Check the URL and its secret, whether prepare inserts the order, and the log';
    return answer.status === 404 ? usual : (step.ifRefused ?? usual);
  }
  return attempts.some(({ success }) => success)
    ? 'A copy failed instead of being a repeat. Insert the key with ON CONFLICT DO NOTHING'
    : 'The handler fails. See its log';
}

/** The likely cause of a wrong balance. */
function causeOfBalance(
  { cause, copies = 1, others }: Step,
  notification: PaymentNotification,
  expected: Decimal,
  actual: Decimal,
): string {
  // What is missing then is a multiple of the amount, which looks like another fault.
  if (others && cause) return cause;
  if (!expected.isZero()) {
    if (actual.equals(expected.negated())) {
      return 'The sign is wrong. Return credits minus debits';
    }
    const times = actual.dividedBy(expected);
    if (copies > 1 && times.isInteger() && times.greaterThan(1) && times.lte(copies)) {
      return 'Several copies passed the check of the key. Insert it into a unique column, in the transaction that changes the balance';
    }
    const rounded = causeOfRounding(expected, actual);
    if (rounded !== null) return rounded;
    const [field] =
      Object.entries(notification).find(
        ([, value]) => Decimal.isDecimal(value) && value.equals(actual.abs()),
      ) ?? [];
    if (field) return `This is ${field}. If you want that, return it in amountOf`;
  }
  if (cause) return cause;
  return actual.isZero()
    ? 'The event was taken for a repeat or kept for review, or balance reads another table'
    : 'The balance was overwritten, or something else changed it at the same time';
}

function causeOfRounding(expected: Decimal, actual: Decimal): string | null {
  const difference = actual.minus(expected).abs();
  const decimals = actual.decimalPlaces();
  // What a sum of doubles has lost shows in its 15th decimal or later.
  const isDouble = actual.equals(expected.toNumber()) || decimals >= 15;
  const isShorter = decimals < expected.decimalPlaces() && !actual.isZero();
  if (isShorter && !isDouble && difference.lessThan(Decimal.pow(10, -decimals))) {
    return `The amount was rounded to ${decimals} decimals. Look for toFixed(${decimals}), toDecimalPlaces(${decimals}), or a column such as numeric(20,${decimals})`;
  }
  return difference.lessThan(expected.abs().times('1e-6'))
    ? 'The amount was a double. Look for Number(), parseFloat(), JSON.parse, or a column of type double precision'
    : null;
}
