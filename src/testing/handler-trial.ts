import { escapeUnprintable } from '../parser/messages.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import { safeParseNotification } from '../parser/parse.js';
import { Decimal } from '../parser/values/amount.js';
import { redactPathIn } from '../shared/redact.js';
import { sleep } from './attempt.js';
import { type DeliveryAttempt, deliver } from './deliver.js';
import {
  type Causes,
  causeOf,
  causeOfAnswer,
  causeOfChange,
  causeOfFirstAnswer,
  causeOfNoFirst,
  signed,
  sumOf,
  textOf,
} from './handler-causes.js';
import type { NewEvent, TestBody, TestEvent } from './handler-events.js';
import {
  callOption,
  countKept,
  type DatabasePart,
  type HandlerAmount,
  type HandlerTestsOptions,
  readBalance,
} from './handler-options.js';

/** How long a test waits for what doesn't happen before an answer, in milliseconds. */
export interface Patience {
  /** For work that goes on during an outage, and for a `balance` that waits for its end. */
  readonly brokenMs: number;
  /** After an answer, for the money or the body for review. */
  readonly answeredMs: number;
  /** After an outage, for the money of a body that was accepted. */
  readonly mendedMs: number;
}

/** One test, and what it knows so far. */
export interface Trial {
  readonly options: HandlerTestsOptions;
  readonly patience: Patience;
  readonly deposit: NewEvent;
  readonly withdrawal: NewEvent;
  readonly startedAt: number;
  /** The balances that are expected, of each currency that a body has named. */
  readonly expected: Map<string, Decimal>;
  /** What has moved, by key. */
  readonly settled: Map<string, string>;
  /** The keys of what was answered with 500 or more. */
  readonly failed: Set<string>;
  /** The last one first. */
  readonly earlier: Decimal[];
}

type Amounts = ReadonlyMap<string, Decimal>;

/** A body, and what a right handler does with it. */
interface Sent extends TestBody {
  /** Undefined for a faulty body. */
  readonly notification: PaymentNotification | undefined;
  readonly key: string;
  readonly currency: string;
  /** What the body moves, negative for a debit; zero if it is held. */
  readonly move: Decimal;
  /** Whether `amountOf` returns null for it. */
  readonly isHeld: boolean;
  /** Whether it is due, unless the key is known. */
  readonly moves: boolean;
}

/** Bodies that were sent at the same time. */
interface Exchange {
  readonly name: string;
  readonly bodies: readonly Sent[];
  readonly copies: number;
  readonly causes: Causes;
  readonly due: readonly Sent[];
  /** What is due, by currency. */
  readonly sums: Amounts;
  readonly keptBefore: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** Whether money moved while the database was broken. */
  readonly hasMoved: boolean;
}

type Range = readonly [from: number, to: number];
const SUCCESS: Range = [200, 299];
const REFUSAL: Range = [400, 499];
const FAILURE: Range = [500, 599];
/** What isn't settled may also be refused. */
const UNSETTLED: Range = [200, 499];

/** After this time, a race has no more rounds: with a slow database, few are enough. */
const RACE_MS = 12_000;

const BROKE_NOTHING =
  'Either breakDatabase broke nothing that the handler uses, or the money was committed before an error that was caught. Put the key and the money into one transaction';
const LOST = 'The body is lost. Store it for review before you answer';
const KEY_ALONE =
  'The key was committed, or is remembered, without the money. Put both into one transaction';
const EARLY_COPY =
  'Or a copy was answered with success while another one was in progress, which then failed';
const ACCEPTED =
  'It was answered with success, but its money never came. Either an error was caught, or the answer came before the work, or a worker gave up. Let errors through, so that the answer is 500, or store the body first';
const KEPT_REPEAT =
  'A plain repeat was kept for review. If the key is known with the same values, only return';
export const REPEATED =
  'The key is not checked, or depends on how the body is written, such as its capitals. Use idempotencyKey';
export const PARSER = 'The body is read without the parsers of this package. Use createReceiver';

/** Runs one test, and checks at its end that nothing else has moved. */
export async function runTrial(
  options: HandlerTestsOptions,
  patience: Patience,
  events: Pick<Trial, 'deposit' | 'withdrawal'>,
  show: (trial: Trial) => Promise<unknown>,
): Promise<void> {
  const trial: Trial = {
    ...{ options, patience, ...events, startedAt: Date.now() },
    ...{ expected: new Map(), settled: new Map(), failed: new Set(), earlier: [] },
  };
  await show(trial);
  const others = await changesIn(trial, [...trial.expected.keys()]);
  if (others.size === 0) return;
  const cause = 'It moved in more than one currency';
  throw failure({ name: 'all bodies of this test' }, 'no other change', textOf(others), cause);
}

/** Makes the orders of events known, once in a test. */
export async function know(trial: Trial, events: readonly TestBody[]): Promise<void> {
  const errors = events.flatMap(({ body }) => safeParseNotification(body).error ?? []);
  for (const { issues } of errors) {
    throw new TypeError(
      `deposit or withdrawal: expected fields of a valid body, but ${issues[0].message}`,
    );
  }
  const bodies = events.map((event) => read(event, trial.options));
  await prepare(trial.options, bodies);
  await watch(trial, bodies);
}

/** Sends bodies at the same time, which must move what is due: nothing, if the key is known. */
export async function send(
  trial: Trial,
  label: string,
  bodies: TestBody | readonly TestBody[],
  causes: Causes = {},
  copies = 1,
): Promise<void> {
  const sent = [bodies].flat().map((body) => read(body, trial.options));
  const isRepeat = sent.every((one) => isSettled(trial, one));
  const exchange = await post(trial, label, sent, causes, copies);
  checkAnswers(trial, exchange, [sent.some(({ isHeld }) => isHeld) ? UNSETTLED : SUCCESS]);
  await checkChange(trial, exchange);
  if (!isRepeat || !(await isKept(trial, exchange))) return;
  throw failure(exchange, 'nothing more kept for review', 'one more', KEPT_REPEAT);
}

/** Makes orders known, and sends a body of each in turn. */
export async function sendEach(
  trial: Trial,
  steps: readonly (readonly [label: string, body: TestBody, causes?: Causes])[],
): Promise<void> {
  await know(
    trial,
    steps.map(([, body]) => body),
  );
  for (const [label, body, causes] of steps) await send(trial, label, body, causes);
}

/** Sends the first event, and asks whether the options are right. */
export async function sendFirst(trial: Trial, event: TestEvent): Promise<void> {
  const hasPrepare = trial.options.prepare !== undefined;
  const exchange = await post(trial, '', [read(event, trial.options)]);
  const ranges = exchange.due.length > 0 ? [SUCCESS] : [UNSETTLED];
  checkAnswers(trial, exchange, ranges, (status) => causeOfFirstAnswer(status, hasPrepare));
  if (await checkChange(trial, exchange, () => isKept(trial, exchange))) return;
  const [[currency, due] = ['', new Decimal(0)]] = exchange.sums;
  const cause = causeOfNoFirst(hasPrepare, await isKept(trial, exchange));
  throw failure(exchange, `${signed(due)} ${currency}`, `0 ${currency}`, cause);
}

/** Sends a body, which must move what is due, or be kept for review. Returns whether it moved. */
export async function sendOrHold(
  trial: Trial,
  label: string,
  body: TestBody,
  causes: Causes,
): Promise<boolean> {
  const exchange = await post(trial, label, [read(body, trial.options)], causes);
  checkAnswers(trial, exchange, [UNSETTLED]);
  if (await checkChange(trial, exchange, () => isKept(trial, exchange))) return true;
  await checkKept(trial, exchange, 1, causeOf(causes, 'change'));
  return false;
}

/** Sends copies while a part of the database fails. */
export async function sendDuring(
  trial: Trial,
  part: DatabasePart,
  label: string,
  body: TestBody,
  copies: number,
): Promise<void> {
  const sent = read(body, trial.options);
  const exchange = await post(trial, label, [sent], { change: REPEATED }, copies, part);
  checkAnswers(trial, exchange, [FAILURE, SUCCESS], (status) =>
    status >= 200
      ? 'A refusal may not be repeated. Let errors of the database through, so that the answer is 500'
      : undefined,
  );
  if (exchange.hasMoved) {
    throw failure(exchange, 'no change while the database fails', 'one', BROKE_NOTHING);
  }
  const isDue = exchange.due.length > 0;
  // It is sent again. What was accepted must move without that.
  if (isDue && !exchange.attempts.some(isAccepted)) return;
  const change = trial.failed.has(sent.key) ? `${KEY_ALONE}. ${EARLY_COPY}` : ACCEPTED;
  const causes = isDue ? { change } : exchange.causes;
  await checkChange(trial, { ...exchange, causes }, undefined, trial.patience.mendedMs);
}

/** Sends an event, and then makes its order known. */
export async function sendUnknown(trial: Trial, event: TestEvent): Promise<void> {
  const { options, patience, expected, settled } = trial;
  const exchange = await post(trial, 'an unknown order', [read(event, options)]);
  const { bodies, due, sums, attempts } = exchange;
  checkAnswers(trial, exchange, [[200, 599]]);
  const readAll = (): Promise<Amounts> => readBalances(options, expected.keys());
  const hasMoved = async (now: Amounts): Promise<boolean> => isChangedBy(trial, now, sums);
  // The balance of a queue may wait until the order is known.
  const early = await within(patience.brokenMs, readAll());
  const isEarly = early !== null && (await hasMoved(early));
  const mayWait = async (): Promise<boolean> =>
    attempts.some(isFailed) || !options.kept || isKept(trial, exchange);
  const mustMove = !isEarly && !(await poll(mayWait, async (waits) => waits, patience.answeredMs));
  await prepare(options, bodies);
  const now = await poll(readAll, hasMoved, mustMove ? patience.mendedMs : 0);
  const isLate = await hasMoved(now);
  if (mustMove && !isLate) {
    const wanted = 'an answer of 500 or more, or one more kept for review';
    throw failure(exchange, wanted, 'neither', LOST);
  }
  for (const [currency, amount] of now) expected.set(currency, amount);
  if (isEarly || isLate) for (const one of due) settled.set(one.key, valuesOf(one));
}

/** Sends a body, which must move nothing and be kept for review. */
export async function sendForReview(
  trial: Trial,
  label: string,
  body: TestBody,
  causes: Causes,
  ifLost: string = LOST,
): Promise<void> {
  const sent = read(body, trial.options);
  const exchange = await post(trial, label, [sent], causes);
  checkAnswers(trial, exchange, [[200, 599]]);
  await checkChange(trial, exchange);
  if (sent.isHeld || !isSettled(trial, sent)) await checkKept(trial, exchange, 1, ifLost);
}

/** Sends faulty bodies at the same time, which must be refused or kept, and move nothing. */
export async function sendFaulty(
  trial: Trial,
  label: string,
  bodies: readonly TestBody[],
): Promise<void> {
  const { options } = trial;
  const exchange = await post(
    trial,
    label,
    bodies.map((body) => read(body, options)),
    PARSER,
  );
  checkAnswers(trial, exchange, [options.kept ? UNSETTLED : REFUSAL], (status) => {
    if (status === 0) return undefined;
    return status >= 500
      ? 'The handler fails at a faulty body. Store the body, and answer 400'
      : 'The handler accepts a faulty body, and kept is null. Answer 400 if the parser throws, or pass kept';
  });
  await checkChange(trial, exchange);
  await checkKept(trial, exchange, bodies.filter(hasSeed).length);
}

/** Sends a body that may be refused. Otherwise, it must move what the event moves. */
export async function sendLimit(
  trial: Trial,
  label: string,
  body: TestBody,
  event: TestEvent,
): Promise<void> {
  const exchange = await post(trial, label, [{ ...read(event, trial.options), ...body }], PARSER);
  checkAnswers(trial, exchange, [UNSETTLED]);
  const mayStay = async (): Promise<boolean> =>
    !exchange.attempts.some(isAccepted) || isKept(trial, exchange);
  await checkChange(trial, exchange, mayStay);
}

/** Makes something for each round of a race. A slow database needs fewer rounds. */
export async function roundsOf<T>({ options }: Trial, make: () => T): Promise<T[]> {
  const before = Date.now();
  await readBalance(options, 'BTC');
  const tookMs = Date.now() - before;
  return Array.from({ length: tookMs >= 100 ? 3 : tookMs >= 20 ? 10 : 30 }, make);
}

/** Runs the rounds of a race, until they have taken long. */
export async function race<T>(
  { startedAt }: Trial,
  rounds: readonly T[],
  run: (round: T) => Promise<unknown>,
): Promise<void> {
  for (const [index, round] of rounds.entries()) {
    if (index === 0 || Date.now() - startedAt <= RACE_MS) await run(round);
  }
}

function read(body: TestBody, { amountOf = usualAmount }: HandlerTestsOptions): Sent {
  const { notification } = safeParseNotification(body.body);
  const nothing = { key: '', currency: '', move: new Decimal(0), isHeld: false, moves: false };
  if (notification === undefined) return { ...body, notification, ...nothing };
  const key = idempotencyKey(notification);
  const isDeposit = notification.type === 'deposit.received';
  if (!isDeposit && notification.status !== 'COMPLETED') {
    return { ...body, notification, ...nothing, key };
  }
  const { currency, amount } = amountOf(notification);
  const move = amount ?? new Decimal(0);
  return {
    ...{ ...body, notification, key, currency, move: isDeposit ? move : move.negated() },
    isHeld: amount === null,
    moves: amount !== null,
  };
}

const usualAmount: NonNullable<HandlerTestsOptions['amountOf']> = (notification): HandlerAmount =>
  notification.type === 'deposit.received'
    ? { currency: notification.depositCurrency, amount: notification.actualDepositAmount }
    : { currency: notification.withdrawCurrency, amount: notification.actualWithdrawAmount };

const valuesOf = ({ currency, move }: Sent): string => `${currency} ${move}`;
const isSettled = ({ settled }: Trial, one: Sent): boolean =>
  settled.get(one.key) === valuesOf(one);

/** Prepares one notification for each order: the first that is settled, if there is one. */
async function prepare(options: HandlerTestsOptions, bodies: readonly Sent[]): Promise<void> {
  const orders = new Map<string, PaymentNotification>();
  const settled = bodies.filter(({ moves }) => moves);
  const notifications = [...settled, ...bodies].map(({ notification }) => notification);
  for (const notification of notifications.filter((one) => one !== undefined)) {
    const isDeposit = notification.type === 'deposit.received';
    const id = isDeposit ? notification.clientPaymentId : notification.clientWithdrawalId;
    if (!orders.has(id)) orders.set(id, notification);
  }
  await callOption('prepare', async () => options.prepare?.([...orders.values()]));
}

/** Posts bodies, after reading the balances that they may change. */
async function post(
  trial: Trial,
  label: string,
  bodies: readonly Sent[],
  causes: Causes = {},
  copies = 1,
  broken: DatabasePart | null = null,
): Promise<Exchange> {
  const { options, settled, failed } = trial;
  const due = bodies.filter(({ key, moves }) => moves && !settled.has(key));
  const sums = new Map<string, Decimal>();
  for (const { currency, move } of due) sums.set(currency, amountIn(sums, currency).plus(move));
  await watch(trial, bodies);
  const keptBefore = await countKept(options);
  const { breakDatabase } = options;
  const mend = broken && (await callOption('breakDatabase', async () => breakDatabase?.(broken)));
  let attempts: readonly DeliveryAttempt[];
  let hasMoved = false;
  try {
    attempts = await deliverAll(options, bodies, copies);
    // What failed before may have been settled by the handler's own retry.
    const fresh = due.filter(({ key }) => !failed.has(key));
    if (broken && attempts.some(isAccepted)) hasMoved = await haveMovedWhileBroken(trial, fresh);
  } finally {
    await mend?.();
  }
  // A copy may fail while another one is in progress. Alone, it has to be a repeat.
  if (copies > 1 && !broken && attempts.some(isFailed)) {
    const again = await deliverAll(options, bodies, 1);
    attempts = [...attempts.filter((attempt) => !isFailed(attempt)), ...again];
  }
  if (attempts.some(isFailed)) for (const { key } of bodies) failed.add(key);
  const name = nameOf(label, bodies, copies);
  return { name, bodies, copies, causes, due, sums, keptBefore, attempts, hasMoved };
}

async function deliverAll(
  { url, headers, timeoutMs, fetch }: HandlerTestsOptions,
  bodies: readonly Sent[],
  copies: number,
): Promise<readonly DeliveryAttempt[]> {
  const endpoint = { url: urlOf({ url }), timeoutMs, fetch, copies };
  const deliveries = bodies.map(({ body, contentType: type }) => {
    const own = type === undefined ? headers : { ...headers, 'content-type': type };
    return deliver(body, { ...endpoint, headers: own });
  });
  return (await Promise.all(deliveries)).flatMap(({ attempts }) => attempts);
}

const urlOf = ({ url }: Pick<HandlerTestsOptions, 'url'>): string =>
  typeof url === 'function' ? url() : `${url}`;

/** Reads balances that may not be readable. */
async function haveMovedWhileBroken(trial: Trial, due: readonly Sent[]): Promise<boolean> {
  if (due.length === 0) return false;
  const { brokenMs } = trial.patience;
  await sleep(brokenMs);
  const currencies = new Set(due.map(({ currency }) => currency));
  const changes = await within(brokenMs, changesIn(trial, [...currencies]));
  return changes !== null && changes.size > 0;
}

async function watch({ options, expected }: Trial, bodies: readonly Sent[]): Promise<void> {
  const others = currenciesOf(bodies).filter((currency) => !expected.has(currency));
  for (const [currency, amount] of await readBalances(options, others)) {
    expected.set(currency, amount);
  }
}

/** The currencies in which anything may move, and codes that may be cut off. */
function currenciesOf(bodies: readonly Sent[]): string[] {
  const settled = bodies.flatMap(({ currency }) => currency || []);
  const named = bodies.flatMap(({ notification }) =>
    Object.entries(notification ?? {}).flatMap(([name, value]) =>
      name.endsWith('Currency') && value !== null ? `${value}` : [],
    ),
  );
  const cut = settled.flatMap((code) =>
    code.length > 3 ? [code.slice(0, 3), code.slice(0, 4)] : [],
  );
  return [...new Set([...settled, ...named, ...cut])];
}

/** Without identifiers, a body may be the same as in an earlier test. */
function hasSeed({ seed, body }: TestBody): boolean {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return text.includes(seed.toString(16).padStart(12, '0'));
}

/** Names what was sent: the key is in the handler's log and database. */
function nameOf(label: string, [first, ...others]: readonly Sent[], copies: number): string {
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const more = others.length > 0 ? ` and ${others.length} others` : '';
  const details = [...(label ? [label] : []), `seed ${first?.seed}`].join(', ');
  return `${copied}${first?.key || 'a faulty body'}${more} (${details})`;
}

function checkAnswers(
  { options, settled }: Trial,
  exchange: Exchange,
  ranges: readonly Range[],
  causeOfStatus?: (status: number) => string | undefined,
): void {
  const { attempts, bodies, copies, causes } = exchange;
  const statusOf = ({ answer }: DeliveryAttempt): number => answer?.status ?? 0;
  const wrong = attempts.find(
    (attempt) => !ranges.some(([from, to]) => statusOf(attempt) >= from && statusOf(attempt) <= to),
  );
  if (wrong === undefined) return;
  const { answer, error, durationMs } = wrong;
  const someSucceed = attempts.some(isAccepted);
  const cause =
    causeOfStatus?.(statusOf(wrong)) ??
    causeOfAnswer({
      ...{ causes, someSucceed, status: statusOf(wrong) },
      isRepeat: bodies.every(({ key }) => settled.has(key)) || (copies > 1 && someSucceed),
      isLate: attempts.length > 1 && durationMs >= (options.timeoutMs ?? 30_000),
    });
  const wanted = ranges.map(([from, to]) => `from ${from} to ${to}`).join(', or ');
  const text = answer ? `${answer.status} ${shownOf(answer.body, urlOf(options))}` : error;
  throw failure(exchange, `a status ${wanted}`, `${text}`.trim(), cause);
}

/** Shows the start of an answer, which may quote the URL and its secret. */
function shownOf(answer: string, url: string): string {
  return escapeUnprintable(redactPathIn(answer, new URL(url)).slice(0, 200));
}

/**
 * Waits until what is due has moved, and nothing else, or until it needn't move. Returns whether it
 * has moved.
 */
async function checkChange(
  trial: Trial,
  exchange: Exchange,
  mayStay?: () => Promise<boolean>,
  waitMs: number = trial.patience.answeredMs,
): Promise<boolean> {
  const { options, expected, settled, earlier } = trial;
  const { bodies, due, sums } = exchange;
  // The first currency is that of the repeats.
  const [first = ''] = expected.keys();
  const own = due.length > 0 ? due.map(({ currency }) => currency) : currenciesOf(bodies);
  const watched = new Set([first, ...own]);
  const isDone = async (now: Amounts): Promise<boolean> => {
    if (isChangedBy(trial, now, sums)) return true;
    if (!isChangedBy(trial, now, new Map())) return bodies.length === 1;
    return (await mayStay?.()) ?? false;
  };
  const now = await poll(() => readBalances(options, watched), isDone, waitMs);
  if (isChangedBy(trial, now, sums)) {
    for (const [currency, amount] of now) expected.set(currency, amount);
    earlier.unshift(sumOf([...sums.values()]));
    for (const one of due) settled.set(one.key, valuesOf(one));
    return true;
  }
  const others = [...expected.keys()].filter((currency) => !now.has(currency));
  const elsewhere = await changesIn(trial, others);
  const isUnchanged = isChangedBy(trial, now, new Map()) && elsewhere.size === 0;
  if (mayStay && isUnchanged) return false;
  throw wrongChange(trial, exchange, now, elsewhere);
}

function wrongChange(
  { expected, earlier }: Trial,
  exchange: Exchange,
  now: Amounts,
  elsewhere: Amounts,
): Error {
  const { bodies, copies, causes, sums } = exchange;
  const zero = new Decimal(0);
  const [found = { currency: '', before: zero, due: zero, change: zero }, ...others] = [...now]
    .map(([currency, amount]) => {
      const before = amountIn(expected, currency);
      return { currency, before, due: amountIn(sums, currency), change: amount.minus(before) };
    })
    .filter(({ due, change }) => !change.equals(due))
    // What is due and missing explains more than what moved instead.
    .sort((one, other) => other.due.abs().comparedTo(one.due.abs()));
  const changes = new Map([
    ...others.map(({ currency, change }) => [currency, change] as const),
    ...elsewhere,
  ]);
  const cause = causeOfChange({
    ...{ ...found, copies, causes, earlier, elsewhere: changes },
    isHeld: bodies.some(({ isHeld }) => isHeld),
    moves: bodies.map(({ move }) => move),
    notifications: bodies.flatMap(({ notification }) => notification ?? []),
  });
  const received = textOf(new Map([[found.currency, found.change], ...changes]));
  return failure(exchange, `${signed(found.due)} ${found.currency}`, received, cause);
}

async function checkKept(
  { options, patience }: Trial,
  exchange: Exchange,
  needed = 1,
  cause: string = LOST,
): Promise<void> {
  if (!options.kept) return;
  const countMore = async (): Promise<number> => (await countKept(options)) - exchange.keptBefore;
  const count = await poll(countMore, async (more) => more >= needed, patience.answeredMs);
  if (count >= needed) return;
  const wanted = `${needed === 1 ? 'one' : needed} more kept for review`;
  throw failure(exchange, wanted, count > 0 ? `${count}` : 'none', cause);
}

const isKept = async ({ options }: Trial, { keptBefore }: Exchange): Promise<boolean> =>
  (await countKept(options)) > keptBefore;

/** What has changed in these currencies without being expected. */
async function changesIn(
  { options, expected }: Trial,
  currencies: readonly string[],
): Promise<Amounts> {
  const changes = [...(await readBalances(options, currencies))].map(
    ([currency, amount]) => [currency, amount.minus(amountIn(expected, currency))] as const,
  );
  return new Map(changes.filter(([, change]) => !change.isZero()));
}

/** Whether the balances differ from the expected ones by these changes, and by nothing else. */
function isChangedBy({ expected }: Trial, now: Amounts, changes: Amounts): boolean {
  return [...now].every(([currency, amount]) =>
    amount.equals(amountIn(expected, currency).plus(amountIn(changes, currency))),
  );
}

async function readBalances(
  options: HandlerTestsOptions,
  currencies: Iterable<string>,
): Promise<Amounts> {
  const amounts = [...currencies].map(
    async (currency) => [currency, await readBalance(options, currency)] as const,
  );
  return new Map(await Promise.all(amounts));
}

const amountIn = (amounts: Amounts, currency: string): Decimal =>
  amounts.get(currency) ?? new Decimal(0);

const isAccepted = ({ success }: DeliveryAttempt): boolean => success;
const isFailed = ({ answer }: DeliveryAttempt): boolean => (answer?.status ?? 0) >= 500;

function failure(
  { name }: Pick<Exchange, 'name'>,
  expected: string,
  actual: string,
  cause?: string,
): Error {
  const message = [`${name}: expected ${expected}, received ${actual}`, cause].filter(Boolean);
  return Object.assign(new Error(message.join('. ')), { expected, actual });
}

/** Null if it fails, or takes longer. */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  const ended = work.catch(() => null);
  return Promise.race([ended, sleep(milliseconds, ended).then(() => null)]);
}

/** Reads again and again until it is done, or this time is over. */
async function poll<T>(
  reading: () => Promise<T>,
  isDone: (value: T) => Promise<boolean>,
  forMs: number,
): Promise<T> {
  const until = Date.now() + forMs;
  // Most queues need a few milliseconds. A slow one is asked less often.
  let pauseMs = 1;
  // A machine that stood still for that time has not worked either.
  for (let left = Math.min(forMs, 15); ; left -= 1) {
    const value = await reading();
    if ((await isDone(value)) || (left <= 0 && Date.now() >= until)) return value;
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, 100);
  }
}
