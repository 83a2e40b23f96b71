import { escapeUnprintable } from '../../parser/messages.js';
import { idempotencyKey, type PaymentNotification } from '../../parser/notification.js';
import { safeParseNotification } from '../../parser/parse.js';
import { Decimal } from '../../parser/values/amount.js';
import { redactPathIn } from '../../shared/redact.js';
import { type DeliveryAttempt, deliver, sleep } from '../deliver.js';
import {
  type Amounts,
  amountIn,
  type Causes,
  causeOfAnswer,
  causeOfChange,
  type Exchange,
  type Moving,
  type Sent,
  sumOf,
  textOf,
} from './causes.js';
import type { TestBody } from './events.js';
import {
  callOption,
  countKept,
  type HandlerAmount,
  type HandlerTestsOptions,
  readBalance,
} from './options.js';

/** How long a test waits in milliseconds, and how often it repeats a race. */
export interface Patience {
  /** How long a test waits during an outage: first for money to move, then for `balance`. */
  readonly brokenMs: number;
  /** The longest wait after an answer until the money has moved, or the body is kept for review. */
  readonly answeredMs: number;
  /** The longest wait for money that is due after an outage, or once an order is known. */
  readonly mendedMs: number;
  readonly rounds: number;
}

/** A test while it runs. */
export interface Trial {
  readonly options: HandlerTestsOptions;
  readonly patience: Patience;
  /** The expected balance in each currency that a body has named. */
  readonly expected: Map<string, Decimal>;
  /** The currency and the amount that moved, by key. */
  readonly settled: Map<string, string>;
  /** The keys of bodies that were in an exchange with a failed attempt. */
  readonly failed: Set<string>;
  /** The sums that exchanges moved as expected, the latest first; 0 if nothing was due. */
  readonly earlier: Decimal[];
  /** Whether the handler kept or refused a body that it might have settled. */
  hasHeld: boolean;
}

/** Bodies to send at the same time. */
interface Sending {
  readonly label: string;
  readonly bodies: readonly Sent[];
  readonly causes?: Causes;
  readonly copies?: number;
}

type Attempts = readonly DeliveryAttempt[];
type Send = (copies: number) => Promise<Attempts>;

export function read(body: TestBody, { amountOf = usualAmount }: HandlerTestsOptions): Sent {
  const { notification } = safeParseNotification(body.body);
  const nothing = { ...body, notification, key: '', currency: '', move: new Decimal(0) };
  if (notification === undefined) return nothing;
  const key = idempotencyKey(notification);
  const isDeposit = notification.type === 'deposit.received';
  if (!isDeposit && notification.status !== 'COMPLETED') return { ...nothing, key };
  const { currency, amount } = amountOf(notification);
  return { ...nothing, key, currency, move: isDeposit ? amount : (amount?.negated() ?? null) };
}

const usualAmount: NonNullable<HandlerTestsOptions['amountOf']> = (notification): HandlerAmount =>
  notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: notification.withdrawCurrency, amount: notification.actualWithdrawAmount };

const moves = (one: Sent): one is Moving => one.move !== null && !one.move.isZero();

/** Prepares one notification for each order: the first that moves something, if there is one. */
export async function prepare(trial: Trial, bodies: readonly Sent[]): Promise<void> {
  const orders = new Map<string, PaymentNotification>();
  const notifications = [...bodies.filter(moves), ...bodies].map((one) => one.notification);
  for (const notification of notifications.filter((one) => one !== undefined)) {
    const isDeposit = notification.type === 'deposit.received';
    const id = isDeposit ? notification.clientPaymentId : notification.clientWithdrawalId;
    const order = `${notification.type} ${id}`;
    if (!orders.has(order)) orders.set(order, notification);
  }
  if (orders.size === 0) return;
  await callOption('prepare', async () => trial.options.prepare?.([...orders.values()]));
}

/** Reads the balances in all currencies that the bodies name. Changes count from there. */
export async function watch({ options, expected }: Trial, bodies: readonly Sent[]): Promise<void> {
  const codes = bodies.flatMap(({ currency, notification }) => {
    const fields = Object.entries({ ...notification });
    const named = fields.flatMap(([name, value]) => (name.endsWith('Currency') ? value : []));
    return [currency, ...named].filter(Boolean);
  });
  const read = async (code: string): Promise<unknown> =>
    expected.set(code, await readBalance(options, code));
  await Promise.all([...new Set(codes)].map(read));
}

/** @param using - Sends the bodies. The default is {@link sendAgainAlone}. */
export async function post(
  trial: Trial,
  sending: Sending,
  using: (send: Send, copies: number) => Promise<Attempts> = sendAgainAlone,
): Promise<Exchange> {
  const { options, settled, failed } = trial;
  const { bodies, copies = 1, causes = {} } = sending;
  const due = bodies.filter(moves).filter(({ key }) => !settled.has(key));
  const isRepeat = bodies.every((one) => settled.get(one.key) === valuesOf(one));
  const keptBefore = await countKept(options);
  const attempts = await using((count) => deliverAll(options, bodies, count), copies);
  if (attempts.some(isFailed)) for (const { key } of bodies) failed.add(key);
  const sums = new Map<string, Decimal>();
  for (const { currency, move } of due) sums.set(currency, amountIn(sums, currency).plus(move));
  const name = nameOf(sending);
  return { name, bodies, copies, causes, due, sums, isRepeat, keptBefore, attempts };
}

/**
 * A copy may fail while another one is in progress. So if one of several copies fails, the body is
 * sent once more, alone, and that answer counts instead.
 */
async function sendAgainAlone(send: Send, copies: number): Promise<Attempts> {
  const attempts = await send(copies);
  if (copies === 1 || !attempts.some(isFailed)) return attempts;
  return [...attempts.filter((attempt) => !isFailed(attempt)), ...(await send(1))];
}

async function deliverAll(
  options: HandlerTestsOptions,
  bodies: readonly Sent[],
  copies: number,
): Promise<Attempts> {
  const { headers, timeoutMs, fetch } = options;
  const deliveries = bodies.map(({ body, contentType: type }) => {
    const own = type === undefined ? headers : { ...headers, 'content-type': type };
    return deliver(body, { url: urlOf(options), headers: own, timeoutMs, fetch, copies });
  });
  return (await Promise.all(deliveries)).flatMap(({ attempts }) => attempts);
}

const urlOf = ({ url }: HandlerTestsOptions): string =>
  typeof url === 'function' ? url() : `${url}`;

const valuesOf = ({ currency, move }: Sent): string => `${currency} ${move}`;

/** Returns the name of a delivery. It has the key, which is also in the log and the database. */
function nameOf({ label, bodies: [first, ...others], copies = 1 }: Sending): string {
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const more = others.length > 0 ? ` and ${others.length} others` : '';
  const sent = label ? `sent: ${label}; ` : '';
  return `${copied}${first?.key || 'a faulty body'}${more} (${sent}seed ${first?.seed})`;
}

export const isAccepted = ({ success }: DeliveryAttempt): boolean => success;
export const isFailed = ({ answer }: DeliveryAttempt): boolean => (answer?.status ?? 0) >= 500;

/** Expects that the first digit of each status is one of these. */
export function expectAnswer(
  { options }: Trial,
  exchange: Exchange,
  digits: readonly number[],
): void {
  const statusOf = ({ answer }: DeliveryAttempt): number => answer?.status ?? 0;
  const wrong = exchange.attempts.find(
    (attempt) => !digits.includes(Math.trunc(statusOf(attempt) / 100)),
  );
  if (wrong === undefined) return;
  const { answer, error, durationMs } = wrong;
  // A timer may fire a millisecond early.
  const isLate = durationMs + 1 >= (options.timeoutMs ?? 30_000);
  const cause = causeOfAnswer(exchange, statusOf(wrong), isLate);
  const wanted = digits.map((digit) => `${digit}xx`).join(' or ');
  const text = answer ? `${answer.status} ${shownOf(answer.body, urlOf(options))}` : error;
  throw failure(exchange.name, `a status of ${wanted}`, `${text}`.trim(), cause);
}

/** Shows the start of an answer. The answer may quote the URL, so its secret is removed. */
function shownOf(answer: string, url: string): string {
  return escapeUnprintable(redactPathIn(answer, new URL(url)).slice(0, 200));
}

/**
 * Waits until exactly what is due has moved, and returns true. With `mayStay`, returns false if
 * nothing has moved. Throws otherwise.
 *
 * @param mayStay - Passed if the bodies may move nothing. Once it resolves to true, the wait ends.
 */
export async function expectChange(
  trial: Trial,
  exchange: Exchange,
  mayStay?: () => Promise<boolean>,
  waitMs: number = trial.patience.answeredMs,
): Promise<boolean> {
  const isDone = async (changes: Amounts): Promise<boolean> => {
    if (isDue(exchange, changes)) return true;
    // With several bodies, some may not have moved yet.
    if (changes.size > 0) return exchange.bodies.length === 1;
    return mayStay !== undefined && (await mayStay());
  };
  const changes = await poll(() => changesIn(trial), isDone, waitMs);
  if (isDue(exchange, changes)) {
    book(trial, exchange);
    return true;
  }
  if (mayStay && changes.size === 0) return false;
  const cause = causeOfChange(exchange, {
    ...trial,
    changes,
    isKept: await isKept(trial, exchange),
  });
  throw failure(exchange.name, textOf(exchange.sums), textOf(changes), cause);
}

export const isDue = ({ sums }: Exchange, changes: Amounts): boolean =>
  changes.size === sums.size &&
  [...sums].every(([code, sum]) => amountIn(changes, code).equals(sum));

/** Adds changes to the expected balances. */
export function add({ expected }: Trial, changes: Amounts): void {
  for (const [code, change] of changes) expected.set(code, amountIn(expected, code).plus(change));
}

/** Notes that what was due has moved. */
export function book(trial: Trial, { sums, due }: Exchange): void {
  add(trial, sums);
  const { earlier, settled } = trial;
  earlier.unshift(sumOf([...sums.values()]));
  for (const one of due) settled.set(one.key, valuesOf(one));
}

export async function expectKept(
  { options, patience }: Trial,
  { name, keptBefore }: Exchange,
  needed: number,
  cause: string | undefined,
): Promise<void> {
  if (!options.kept) return;
  const countMore = async (): Promise<number> => (await countKept(options)) - keptBefore;
  const count = await poll(countMore, async (more) => more >= needed, patience.answeredMs);
  if (count >= needed) return;
  throw failure(name, `${needed} more kept for review`, `${count}`, cause);
}

export const isKept = async ({ options }: Trial, { keptBefore }: Exchange): Promise<boolean> =>
  (await countKept(options)) > keptBefore;

/** Returns the differences between the balances and the expected ones, without zeros. */
export async function changesIn({ options, expected }: Trial): Promise<Amounts> {
  const changes = [...expected].map(
    async ([code, before]) => [code, (await readBalance(options, code)).minus(before)] as const,
  );
  return new Map((await Promise.all(changes)).filter(([, change]) => !change.isZero()));
}

export function failure(name: string, expected: string, actual: string, cause?: string): Error {
  const message = [`${name}: expected ${expected}, received ${actual}`, cause].filter(Boolean);
  return Object.assign(new Error(message.join('. ')), { expected, actual });
}

/** Reads a value again and again until it is what is awaited, or this time is over. */
export async function poll<T>(
  reading: () => Promise<T>,
  isDone: (value: T) => Promise<boolean>,
  forMs: number,
): Promise<T> {
  const until = Date.now() + forMs;
  // A handler that answers before it settles usually needs a few milliseconds more. If it needs
  // longer, the pauses grow.
  let pauseMs = 1;
  // On a machine that was suspended or busy, the time may be over though the handler hardly ran.
  // So there are at least 15 readings, or one for each millisecond of a shorter time.
  for (let left = Math.min(forMs, 15); ; left -= 1) {
    const value = await reading();
    if ((await isDone(value)) || (left <= 0 && Date.now() >= until)) return value;
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, 100);
  }
}
