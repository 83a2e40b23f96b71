import { escapeUnprintable, quote } from '../parser/messages.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import { safeParseNotification } from '../parser/parse.js';
import { Decimal } from '../parser/values/amount.js';
import { isDecimalLiteral } from '../parser/values/digits.js';
import { sleep } from './attempt.js';
import { type DeliveryAttempt, deliver } from './deliver.js';
import type { Step } from './handler-behaviors.js';
import { causeOfAnswer, causeOfChange, signed, sumOf, textOf } from './handler-causes.js';
import type { TestBody } from './handler-events.js';
import type { HandlerAmount, HandlerTestsOptions } from './handler-options.js';

/** How long a test waits for what doesn't happen before an answer, in milliseconds. */
export interface Patience {
  /** For work that goes on during an outage, and for a `balance` that waits for its end. */
  readonly brokenMs: number;
  /** After an answer, for the money or the body for review. */
  readonly answeredMs: number;
  /** After an outage, for the money of a body that was accepted. */
  readonly mendedMs: number;
}

/** After this time, a test leaves out rounds of a race: with a slow database, few are enough. */
const ROUNDS_MS = 12_000;
/** A server may cut off what is longer. */
const LONGEST_KEPT = 65_536;

const BROKE_NOTHING =
  'Either breakDatabase broke nothing that the handler uses, or the change was committed before an error that was caught. Put the key and the change into one transaction';
const LOST = 'The body is lost. Store it for review before you answer';

/** A body of a step, and what a right handler does with it. */
interface Sent extends TestBody {
  /** Undefined for a faulty body. */
  readonly notification: PaymentNotification | undefined;
  readonly key: string;
  readonly currency: string;
  /** What the body moves, negative for a debit; zero if it is held. */
  readonly move: Decimal;
  /** Whether a right handler holds it for review, because it doesn't say what it moves. */
  readonly isHeld: boolean;
  /** Whether it is due, unless the key is known. */
  readonly moves: boolean;
}

/** Amounts by currency. */
type Amounts = ReadonlyMap<string, Decimal>;

/** What a test knows so far. */
interface Progress {
  readonly options: HandlerTestsOptions;
  readonly patience: Patience;
  readonly orders: readonly PaymentNotification[];
  /** All currencies in which anything may move. */
  readonly currencies: readonly string[];
  /** What has moved, by key. */
  readonly settled: Map<string, string>;
  /** The keys of what was answered with 500 or more. */
  readonly failed: Set<string>;
  /** What the steps moved, the last one first. */
  readonly earlier: Decimal[];
  /**
   * The balances that were expected last. There are two if `prepare` was called between the steps:
   * it may change balances, and a queue may settle while it runs.
   */
  balances: readonly [Amounts, ...Amounts[]];
}

/** Sends the bodies of a test in turn. Checks the answers and the balances after each step. */
export async function runSteps(
  steps: readonly Step[],
  options: HandlerTestsOptions,
  patience: Patience,
): Promise<void> {
  const started = Date.now();
  const sent = steps.map((step) => ({
    step,
    bodies: step.bodies.map((one) => read(one, options)),
  }));
  const bodies = sent.flatMap((one) => one.bodies);
  const orders = ordersOf(bodies);
  if (orders.length === 0) throw new TypeError(reasonOf(steps));
  if (!steps[0]?.unprepared) await options.prepare?.(orders);
  const currencies = currenciesOf(bodies);
  const progress: Progress = {
    ...{ options, patience, orders, currencies },
    ...{ settled: new Map(), failed: new Set(), earlier: [] },
    balances: [await readBalances(currencies, options)],
  };
  for (const { step, bodies } of sent) {
    const isLate = step.round && Date.now() - started > ROUNDS_MS;
    if (!isLate) await runStep(step, bodies, progress);
  }
  const others = await changesIn(currencies, progress);
  if (others.size === 0) return;
  const name = `all bodies from seed ${bodies[0]?.seed}`;
  throw failure(name, 'no other change', textOf(others), 'It moved in more than one currency');
}

async function runStep(step: Step, bodies: readonly Sent[], progress: Progress): Promise<void> {
  const { options, settled, patience } = progress;
  const { broken } = step;
  const name = nameOf(step, bodies);
  const due = bodies.filter(({ key, moves }) => moves && !settled.has(key));
  const kept = step.keeps || step.mayHold || step.unprepared ? options.kept : null;
  const keptBefore = kept ? await readCount(kept) : 0;
  const isKept = async (): Promise<boolean> => {
    const needed = bodies.filter((one) => mustBeKept(one, step, progress)).length;
    return !kept || (await readCount(kept)) - keptBefore >= needed;
  };

  const mend = broken ? await options.breakDatabase?.(broken) : undefined;
  let attempts: readonly DeliveryAttempt[];
  let hasMoved = false;
  try {
    attempts = await send(step, bodies, options);
    // What failed before may have been settled by a spool since then.
    const fresh = due.filter(({ key }) => !progress.failed.has(key));
    if (broken && attempts.some(isAccepted)) hasMoved = await hasMovedWhileBroken(fresh, progress);
  } finally {
    await mend?.();
  }
  if (attempts.some(isFailed)) for (const { key } of bodies) progress.failed.add(key);
  const { expected, accepts } = ANSWERS[answerOf(step, bodies, options)];
  const attempt = attempts.find(({ answer }) => !answer || !accepts(answer.status));
  if (attempt) {
    const isCopied = (step.copies ?? 1) > 1 && attempts.some(isAccepted);
    const isRepeat = isCopied || bodies.every(({ key }) => settled.has(key));
    const cause = causeOfAnswer({ step, attempt, attempts, isRepeat });
    throw failure(name, expected, textOfAnswer(attempt), cause);
  }
  if (hasMoved) throw failure(name, 'no change while the database fails', 'one', BROKE_NOTHING);

  // The next step sends it again. What was accepted must move without that.
  if (broken && due.length > 0 && !attempts.some(isAccepted)) return;
  let isHeld = false;
  if (step.unprepared) {
    const mayWait = async (): Promise<boolean> => attempts.some(isFailed) || isKept();
    isHeld = await learnOrders(step, bodies, due, mayWait, progress);
  } else {
    isHeld = await checkChange(step, bodies, due, isKept, progress);
    if ((step.keeps || isHeld) && !(await poll(isKept, Boolean, patience.answeredMs))) {
      const cause = (step.mayHold && step.cause) || LOST;
      throw failure(name, 'one more kept for review', 'none', cause);
    }
  }
  if (!isHeld) for (const one of due) settled.set(one.key, valuesOf(one));
}

const isAccepted = ({ success }: DeliveryAttempt): boolean => success;
const isFailed = ({ answer }: DeliveryAttempt): boolean => (answer?.status ?? 0) >= 500;

/** Sends all at the same time. */
async function send(
  { copies = 1, broken }: Step,
  bodies: readonly Sent[],
  { url, headers, timeoutMs, fetch }: HandlerTestsOptions,
): Promise<readonly DeliveryAttempt[]> {
  const endpoint = { url: `${typeof url === 'function' ? url() : url}`, headers, timeoutMs, fetch };
  const post = async (count: number): Promise<readonly DeliveryAttempt[]> =>
    (
      await Promise.all(bodies.map(({ body }) => deliver(body, { ...endpoint, copies: count })))
    ).flatMap((delivery) => delivery.attempts);
  const attempts = await post(copies);
  if (copies === 1 || broken || !attempts.some(isFailed)) return attempts;
  // A copy may fail while another one is in progress. Alone, it has to be a repeat.
  return [...attempts.filter((attempt) => !isFailed(attempt)), ...(await post(1))];
}

/**
 * Calls `prepare` after a body of its order. What was accepted and not kept has to move then,
 * without another delivery. Returns whether it hasn't moved yet.
 */
async function learnOrders(
  step: Step,
  bodies: readonly Sent[],
  due: readonly Sent[],
  mayWait: () => Promise<boolean>,
  progress: Progress,
): Promise<boolean> {
  const { options, currencies, patience } = progress;
  const [before] = progress.balances;
  const sums = sumsOf(due);
  const readAll = (): Promise<Amounts> => readBalances(currencies, options);
  const hasMoved = (now: Amounts): boolean => isDue(now, sums, before);
  // The balance of a queue may wait until the order is known.
  const early = readAll();
  const late = sleep(patience.brokenMs, early).then(() => before);
  const isSettled = hasMoved(await Promise.race([early, late]));
  const mustMove = !isSettled && !(await poll(mayWait, Boolean, patience.answeredMs));
  await options.prepare?.(progress.orders);
  const now = await poll(readAll, hasMoved, mustMove ? patience.mendedMs : 0);
  if (mustMove && !hasMoved(now)) {
    const expected = 'an answer of 500 or more, or one more kept for review';
    throw failure(nameOf(step, bodies), expected, 'neither', LOST);
  }
  progress.balances = isSettled || hasMoved(now) ? [now] : [now, before];
  return !isSettled && !hasMoved(now);
}

/** Checks that what was due has moved, and nothing else. Returns whether it is held instead. */
async function checkChange(
  step: Step,
  bodies: readonly Sent[],
  due: readonly Sent[],
  isKept: () => Promise<boolean>,
  progress: Progress,
): Promise<boolean> {
  const { options, currencies, patience, balances } = progress;
  const sums = sumsOf(due);
  // The first currency is that of the repeats.
  const watched = [...bodies.map(currencyOf), ...currencies.slice(0, 1)].filter(Boolean);
  const readWatched = (): Promise<Amounts> => readBalances([...new Set(watched)], options);
  const fitting = (now: Amounts): Amounts | undefined =>
    balances.find((before) => isDue(now, sums, before));
  const isUnchanged = (now: Amounts): boolean => isDue(now, new Map(), balances[0]);
  let now = await readWatched();
  if (step.mayHold && options.kept && isUnchanged(now) && (await isKept())) return true;
  const isDone = (some: Amounts): boolean =>
    fitting(some) !== undefined || (bodies.length === 1 && !isUnchanged(some));
  const waitMs = step.broken ? patience.mendedMs : patience.answeredMs;
  if (!isDone(now)) now = await poll(readWatched, isDone, waitMs);
  const before = fitting(now);
  if (before !== undefined) {
    progress.balances = [new Map([...before, ...now])];
    progress.earlier.unshift(sumOf([...sums.values()]));
    return false;
  }
  const elsewhere = await changesIn(
    currencies.filter((one) => !now.has(one)),
    progress,
  );
  if (step.mayHold && isUnchanged(now) && elsewhere.size === 0) return true;
  throw failureOf(step, bodies, sums, now, elsewhere, progress);
}

/** Compares what changed with what was due. */
function failureOf(
  step: Step,
  bodies: readonly Sent[],
  sums: Amounts,
  now: Amounts,
  elsewhere: Amounts,
  progress: Progress,
): Error {
  const [balances] = progress.balances;
  const differences = [...now].map(([currency, amount]) => {
    const before = amountIn(balances, currency);
    return { currency, before, due: amountIn(sums, currency), change: amount.minus(before) };
  });
  const wrong = differences.filter(({ due, change }) => !change.equals(due));
  // What is expected and missing explains more than what came instead.
  wrong.sort((one, other) => other.due.abs().comparedTo(one.due.abs()));
  const zero = new Decimal(0);
  const [
    { currency, before, due, change } = { currency: '', before: zero, due: zero, change: zero },
  ] = wrong;
  const others = new Map([
    ...wrong.slice(1).map((one) => [one.currency, one.change] as const),
    ...elsewhere,
  ]);
  const cause = causeOfChange({
    ...{ step, before, due, change, elsewhere: others, earlier: progress.earlier },
    isHeld: bodies.some(({ isHeld }) => isHeld),
    hasFailed: bodies.some(({ key }) => progress.failed.has(key)),
    moves: bodies.map(({ move }) => move),
    notifications: bodies.flatMap(({ notification }) => notification ?? []),
  });
  const received = textOf(new Map([[currency, change], ...others]));
  return failure(nameOf(step, bodies), `${signed(due)} ${currency}`, received, cause);
}

const currencyOf = ({ currency }: Sent): string => currency;

const amountIn = (amounts: Amounts, currency: string): Decimal =>
  amounts.get(currency) ?? new Decimal(0);

/** What is due, by currency. */
function sumsOf(due: readonly Sent[]): Amounts {
  const sums = new Map<string, Decimal>();
  for (const { currency, move } of due) sums.set(currency, amountIn(sums, currency).plus(move));
  return sums;
}

/** Whether the balances differ by these sums, and by nothing else. */
function isDue(now: Amounts, sums: Amounts, before: Amounts): boolean {
  return [...now].every(([currency, amount]) =>
    amount.equals(amountIn(before, currency).plus(amountIn(sums, currency))),
  );
}

async function readBalances(
  currencies: readonly string[],
  { balance }: HandlerTestsOptions,
): Promise<Amounts> {
  const amounts = currencies.map(async (one) => [one, readAmount(await balance(one))] as const);
  return new Map(await Promise.all(amounts));
}

/** What changed, except for what was expected. */
async function changesIn(
  currencies: readonly string[],
  { options, balances: [before] }: Progress,
): Promise<Amounts> {
  const now = await readBalances(currencies, options);
  const changes = [...now].map(
    ([currency, amount]) => [currency, amount.minus(amountIn(before, currency))] as const,
  );
  return new Map(changes.filter(([, change]) => !change.isZero()));
}

/** Whether money moved while the database is broken, although its balances may not be readable. */
async function hasMovedWhileBroken(due: readonly Sent[], progress: Progress): Promise<boolean> {
  const { brokenMs } = progress.patience;
  if (due.length > 0) await sleep(brokenMs);
  const changes = changesIn([...new Set(due.map(currencyOf))], progress).catch(() => new Map());
  const late = sleep(brokenMs, changes).then(() => new Map());
  return (await Promise.race([changes, late])).size > 0;
}

/** Reads again and again until it is done, or this time is over. */
async function poll<T>(
  reading: () => Promise<T>,
  isDone: (value: T) => boolean,
  forMs: number,
): Promise<T> {
  const until = Date.now() + forMs;
  // Most queues need a few milliseconds. A slow one is asked less often.
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    const value = await reading();
    if (isDone(value) || Date.now() >= until) return value;
    await sleep(pauseMs);
  }
}

const within =
  (from: number, to: number) =>
  (status: number): boolean =>
    status >= from && status <= to;

/** Which answers a step accepts. */
const ANSWERS = {
  success: { expected: 'a status from 200 to 299', accepts: within(200, 299) },
  held: { expected: 'a status from 200 to 499', accepts: within(200, 499) },
  refusal: { expected: 'a status from 400 to 499', accepts: within(400, 499) },
  broken: {
    expected: 'a status from 500 to 599, or from 200 to 299',
    accepts: (status: number) => within(500, 599)(status) || within(200, 299)(status),
  },
  any: { expected: 'an answer', accepts: within(0, 599) },
};

function answerOf(
  { broken, answer, mayHold }: Step,
  bodies: readonly Sent[],
  { kept }: HandlerTestsOptions,
): keyof typeof ANSWERS {
  if (broken) return 'broken';
  // What is accepted is lost unless it is kept.
  if (answer === 'refusal' && kept) return 'held';
  return answer ?? (mayHold || bodies.some(({ isHeld }) => isHeld) ? 'held' : 'success');
}

function read({ seed, body }: TestBody, { amountOf = usualAmount }: HandlerTestsOptions): Sent {
  const { notification } = safeParseNotification(body);
  const nothing = { key: '', currency: '', move: new Decimal(0), isHeld: false, moves: false };
  if (notification === undefined) return { seed, body, notification, ...nothing };
  const { currency, amount } = amountOf(notification);
  const isDeposit = notification.type === 'deposit.received';
  const isFinal = isDeposit || notification.status === 'COMPLETED';
  const move = amount ?? new Decimal(0);
  return {
    ...{ seed, body, notification, currency },
    key: idempotencyKey(notification),
    move: isDeposit ? move : move.negated(),
    isHeld: isFinal && amount === null,
    moves: isFinal && amount !== null,
  };
}

/** Returns one notification for each order: the first that is settled, if there is one. */
function ordersOf(bodies: readonly Sent[]): PaymentNotification[] {
  const orders = new Map<string, PaymentNotification>();
  const settled = bodies.filter(({ moves }) => moves);
  for (const { notification } of [...settled, ...bodies]) {
    if (notification === undefined) continue;
    const isDeposit = notification.type === 'deposit.received';
    const id = isDeposit ? notification.clientPaymentId : notification.clientWithdrawalId;
    if (!orders.has(id)) orders.set(id, notification);
  }
  return [...orders.values()];
}

/** What is compared if a key is known. */
const valuesOf = ({ currency, move }: Sent): string => `${currency} ${move}`;

/** Whether a body has to be kept for review. */
function mustBeKept(one: Sent, { mayHold, unprepared }: Step, { settled }: Progress): boolean {
  const { notification, seed, body, key, isHeld } = one;
  if (notification !== undefined) {
    const known = settled.get(key);
    return mayHold || unprepared || isHeld || (known !== undefined && known !== valuesOf(one));
  }
  // Without identifiers, it may be one that an earlier test has sent.
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return body.length <= LONGEST_KEPT && text.includes(seed.toString(16).padStart(12, '0'));
}

/** The currencies in which anything may move, also those whose code is cut off. */
function currenciesOf(bodies: readonly Sent[]): string[] {
  const settled = bodies.flatMap(({ currency }) => currency || []);
  const named = bodies.flatMap(({ notification }) =>
    Object.entries(notification ?? {}).flatMap(([name, value]) =>
      name.endsWith('Currency') ? `${value}` : [],
    ),
  );
  const cut = settled.flatMap((code) =>
    code.length > 3 ? [code.slice(0, 3), code.slice(0, 4)] : [],
  );
  return [...new Set([...settled, ...named, ...cut])];
}

/** Says why the bodies are invalid: because of the fields that the merchant set. */
function reasonOf(steps: readonly Step[]): string {
  const bodies = steps.flatMap((step) => step.bodies);
  const reasons = bodies.map(({ body }) => safeParseNotification(body).error?.issues[0].message);
  return `deposit or withdrawal: expected fields of a valid body, but ${reasons.at(-1)}`;
}

function usualAmount(notification: PaymentNotification): HandlerAmount {
  return notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: `${notification.withdrawCurrency}`, amount: notification.actualWithdrawAmount };
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

/** PostgreSQL counts as text, because a count may exceed what a number holds exactly. */
async function readCount(kept: () => Promise<unknown>): Promise<number> {
  const value = await kept();
  const count = typeof value === 'number' ? value : Number(`${value}`);
  if (Number.isSafeInteger(count) && value !== '') return count;
  throw new TypeError(`kept: expected a whole number, received ${quote(value)}`);
}

function failure(name: string, expected: string, actual: string, cause?: string): Error {
  const message = [`${name}: expected ${expected}, received ${actual}`, cause].filter(Boolean);
  return Object.assign(new Error(message.join('. ')), { expected, actual });
}

/** Names what was sent: the key is in the handler's log and database. */
function nameOf({ label, copies = 1 }: Step, bodies: readonly Sent[]): string {
  const [first] = bodies;
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const others = bodies.length > 1 ? ` and ${bodies.length - 1} others` : '';
  const details = [...(label ? [label] : []), `seed ${first?.seed}`].join(', ');
  return `${copied}${first?.key || 'a faulty body'}${others} (${details})`;
}

function textOfAnswer({ answer, error }: DeliveryAttempt): string {
  if (answer === null) return error;
  return `${answer.status} ${escapeUnprintable(answer.body.slice(0, 200))}`.trim();
}
