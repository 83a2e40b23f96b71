import { Decimal } from '../amount.js';
import { isDecimalLiteral } from '../internal/digits.js';
import { escapeUnprintable, quote } from '../internal/quote.js';
import { idempotencyKey, type PaymentNotification } from '../notification.js';
import { safeParseNotification } from '../parse.js';
import { sleep } from './attempt.js';
import { type DeliveryAttempt, deliver } from './deliver.js';
import type { Step } from './handler-behaviors.js';
import { causeOfAnswer, causeOfChange, sumOf } from './handler-causes.js';
import type { TestBody } from './handler-events.js';
import type { HandlerAmount, HandlerTestsOptions } from './handler-options.js';

/** After this time, a test leaves out rounds of a race: with a slow database, few are enough. */
const ROUNDS_MS = 12_000;
/** How long the money of an accepted body may take to arrive after the database was mended. */
const ARRIVAL_MS = 15_000;

const CAUGHT =
  'The error of the database was caught. Let it through, so that the answer is 500, or store the body';
const BROKE_NOTHING =
  'Either breakDatabase broke nothing that the handler uses, or the error was caught after the change. Put the key and the change into one transaction';
const LOST = 'The body is lost. Store it for review before you answer';
const KEPT_AGAIN = 'Store a body once, such as under its digest';

/** A body of a step, and what a right handler does with it. */
interface Sent extends TestBody {
  /** Undefined for a faulty body. */
  readonly notification: PaymentNotification | undefined;
  readonly key: string;
  readonly currency: string;
  /** The amount that the body names, negative for a debit. */
  readonly move: Decimal;
  /** Whether that moves, unless the key is known. */
  readonly moves: boolean;
  /** Whether it is held for review, because amountOf returns null. */
  readonly isHeld: boolean;
}

/** What a test knows so far. */
interface Progress {
  readonly options: HandlerTestsOptions;
  /** One notification for each order of the test. */
  readonly orders: ReadonlyMap<string, PaymentNotification>;
  readonly prepared: Set<string>;
  /** What has moved, by key. */
  readonly settled: Map<string, string>;
  readonly kept: Set<string>;
  /** The balances that were expected last. */
  readonly balances: Map<string, Decimal>;
  previous: Decimal;
}

/** Sends the bodies of a test in turn. Checks the answers and the balances after each step. */
export async function runSteps(
  steps: readonly Step[],
  options: HandlerTestsOptions,
): Promise<void> {
  const started = Date.now();
  const sent = steps.map(({ bodies }) => bodies.map((one) => read(one, options)));
  const orders = ordersOf(sent.flat());
  const [first] = sent.flat();
  if (first === undefined || orders.size === 0) throw new TypeError(reasonOf(steps));
  const progress: Progress = {
    options,
    orders,
    prepared: new Set(),
    settled: new Map(),
    kept: new Set(),
    balances: new Map(),
    previous: new Decimal(0),
  };
  for (const currency of currenciesOf(sent.flat())) {
    progress.balances.set(currency, readAmount(await options.balance(currency)));
  }
  for (const [index, step] of steps.entries()) {
    if (step.round && Date.now() - started > ROUNDS_MS) break;
    await runStep(step, sent[index] ?? [], progress);
  }
  const others = await changesBut([], progress);
  const name = `the currencies of seed ${first.seed}`;
  if (others) throw failure(name, 'no other change', others, 'It moved in more than one currency');
}

async function runStep(step: Step, bodies: readonly Sent[], progress: Progress): Promise<void> {
  const { options, settled } = progress;
  const { kept, breakDatabase } = options;
  const name = nameOf(step, bodies);
  if (!step.unprepared) await prepareOrders(bodies, progress);
  const due = bodies.filter(({ key, moves }) => moves && !settled.has(key));
  const isRepeat = bodies.every(({ key }) => settled.has(key));
  const keptBefore = kept && (step.keeps || step.mayHold) ? await readCount(kept) : 0;

  const mend = step.broken ? await breakDatabase?.(step.broken) : undefined;
  const attempts = await send(step, bodies, options).catch(async (error) => {
    await mend?.();
    throw error;
  });
  const isAccepted = attempts.some(({ success }) => success);
  const hasMoved = step.broken && isAccepted && (await hasMovedInTime(due, progress));
  await mend?.();
  const { expected, accepts } = EXPECTED[expectedOf(step, bodies)];
  const attempt = attempts.find(({ answer }) => !answer || !accepts(answer.status));
  if (attempt) {
    const cause = causeOfAnswer({ step, attempt, attempts, isRepeat });
    throw failure(name, expected, answerOf(attempt), cause);
  }
  if (hasMoved) throw failure(name, 'no change while the database fails', 'one', BROKE_NOTHING);
  // The next step sends it again. What was accepted must arrive without that.
  if (step.unprepared || (step.broken && !isAccepted)) return;

  const isCaught = step.broken && attempts.every(({ success }) => success);
  const changed = await checkChange(
    isCaught ? { ...step, cause: CAUGHT } : step,
    bodies,
    due,
    progress,
  );
  if (kept && (step.keeps || (step.mayHold && !changed))) {
    const held = bodies.filter((one) => settled.get(one.key) !== valuesOf(one));
    const fresh = held.filter(({ body }) => !progress.kept.has(`${body}`));
    for (const { body } of fresh) progress.kept.add(`${body}`);
    const more = (await readCount(kept)) - keptBefore;
    if (more !== fresh.length) {
      const cause = more < fresh.length ? LOST : KEPT_AGAIN;
      throw failure(name, `${fresh.length} more kept for review`, `${more}`, cause);
    }
  }
}

/** Passes new orders on. What is settled has the amount, so its notification is passed. */
async function prepareOrders(bodies: readonly Sent[], progress: Progress): Promise<void> {
  const { options, orders, prepared } = progress;
  const ids = new Set(
    bodies.flatMap(({ notification }) => notification && orderIdOf(notification)),
  );
  const fresh = [...orders].filter(([id]) => ids.has(id) && !prepared.has(id));
  for (const [id] of fresh) prepared.add(id);
  if (fresh.length > 0) await options.prepare?.(fresh.map(([, notification]) => notification));
}

async function send(
  { copies }: Step,
  bodies: readonly Sent[],
  { url, headers, timeoutMs, fetch }: HandlerTestsOptions,
): Promise<DeliveryAttempt[]> {
  const endpoint = { url: `${typeof url === 'function' ? url() : url}`, headers, timeoutMs, fetch };
  const reports = await Promise.all(
    bodies.map(({ body }) => deliver(body, { ...endpoint, copies })),
  );
  return reports.flatMap((report) => report.attempts);
}

/** Returns whether anything has changed. Throws unless it is what was due. */
async function checkChange(
  step: Step,
  bodies: readonly Sent[],
  due: readonly Sent[],
  progress: Progress,
): Promise<boolean> {
  const { balances, settled, previous } = progress;
  // The first currency is also that of the repeats.
  const [main = ''] = balances.keys();
  const currencies = [
    ...new Set([...due, ...bodies].map(({ currency }) => currency || main)),
    main,
  ];
  const sums = new Map(
    [...new Set(currencies)].map((currency) => {
      const own = due.filter((one) => one.currency === currency);
      return [currency, sumOf(own.map(({ move }) => move))];
    }),
  );
  const changes = await readChanges(sums, step.broken ? ARRIVAL_MS : 0, progress);
  const hasChanged = [...changes.values()].some((change) => !change.isZero());
  if (step.mayHold && !hasChanged) return false;
  for (const [currency, change] of changes) {
    const sum = sums.get(currency) ?? new Decimal(0);
    const before = balances.get(currency) ?? new Decimal(0);
    if (!change.equals(sum)) {
      const own = [...sums].filter(([one, due]) => one === currency || !due.isZero());
      const elsewhere = await changesBut(
        own.map(([one]) => one),
        progress,
      );
      const notifications = bodies.flatMap(({ notification }) => notification ?? []);
      const moves = bodies.map(({ move }) => move);
      const wrong = { step, moves, notifications, due: sum, change, before, previous };
      const cause = causeOfChange({ ...wrong, elsewhere: elsewhere || null });
      const received = [`${signed(change)} ${currency}`, elsewhere].filter(Boolean).join(', ');
      throw failure(nameOf(step, bodies), `${signed(sum)} ${currency}`, received, cause);
    }
    balances.set(currency, before.plus(change));
    progress.previous = change;
  }
  for (const one of due) settled.set(one.key, valuesOf(one));
  return hasChanged;
}

/** Reads the changes, again and again until they are these, or this time is over. */
async function readChanges(
  sums: ReadonlyMap<string, Decimal>,
  arrivalMs: number,
  progress: Progress,
): Promise<Map<string, Decimal>> {
  const until = Date.now() + arrivalMs;
  for (;;) {
    const changes = new Map<string, Decimal>();
    for (const currency of sums.keys()) changes.set(currency, await changeOf(currency, progress));
    const isDue = [...sums].every(([currency, sum]) => changes.get(currency)?.equals(sum));
    if (isDue || Date.now() >= until) return changes;
    await sleep(500);
  }
}

/** Returns by how much a balance differs from the one expected last. */
async function changeOf(currency: string, { options, balances }: Progress): Promise<Decimal> {
  return readAmount(await options.balance(currency)).minus(balances.get(currency) ?? 0);
}

/** Describes what changed in other currencies; an empty text if nothing did. */
async function changesBut(currencies: readonly string[], progress: Progress): Promise<string> {
  const changes: string[] = [];
  for (const currency of progress.balances.keys()) {
    if (currencies.includes(currency)) continue;
    const change = await changeOf(currency, progress);
    if (!change.isZero()) changes.push(`${signed(change)} ${currency}`);
  }
  return changes.join(', ');
}

/**
 * Whether money moved while the database is broken. Its balances may not be readable then, or only
 * later.
 */
async function hasMovedInTime([first]: readonly Sent[], progress: Progress): Promise<boolean> {
  if (first === undefined) return false;
  const moved = changeOf(first.currency, progress).then((change) => !change.isZero());
  return Promise.race([moved.catch(() => false), sleep(2000).then(() => false)]);
}

/** Which answers a step accepts. */
const EXPECTED = {
  success: { expected: 'a status from 200 to 299', accepts: within(200, 299) },
  held: { expected: 'a status from 200 to 499', accepts: within(200, 499) },
  refusal: { expected: 'a status from 400 to 499', accepts: within(400, 499) },
  broken: {
    expected: 'a status from 500 to 599, or from 200 to 299',
    accepts: (status: number) => within(500, 599)(status) || within(200, 299)(status),
  },
  any: { expected: 'an answer', accepts: within(0, 599) },
};

function within(from: number, to: number): (status: number) => boolean {
  return (status) => status >= from && status <= to;
}

function expectedOf({ broken, answer }: Step, bodies: readonly Sent[]): keyof typeof EXPECTED {
  if (broken) return 'broken';
  return answer ?? (bodies.some(({ isHeld }) => isHeld) ? 'held' : 'success');
}

function read({ seed, body }: TestBody, { amountOf = usualAmount }: HandlerTestsOptions): Sent {
  const { notification } = safeParseNotification(body);
  if (notification === undefined) {
    const move = new Decimal(0);
    return { seed, body, notification, key: '', currency: '', move, moves: false, isHeld: false };
  }
  const { currency, amount } = amountOf(notification);
  const isDeposit = notification.type === 'deposit.received';
  const isFinal = isDeposit || notification.status === 'COMPLETED';
  const move = amount ?? new Decimal(0);
  return {
    seed,
    body,
    notification,
    key: idempotencyKey(notification),
    currency,
    move: isDeposit ? move : move.negated(),
    moves: isFinal && amount !== null,
    isHeld: isFinal && amount === null,
  };
}

/** Returns one notification for each order: the one that is settled, if there is one. */
function ordersOf(bodies: readonly Sent[]): Map<string, PaymentNotification> {
  const orders = new Map<string, PaymentNotification>();
  for (const { notification, moves } of bodies) {
    if (notification === undefined) continue;
    const id = orderIdOf(notification);
    if (!orders.has(id) || moves) orders.set(id, notification);
  }
  return orders;
}

/** What is compared if a key is known: the order, the currency and the amount. */
function valuesOf({ notification, currency, move }: Sent): string {
  return `${notification && orderIdOf(notification)} ${currency} ${move}`;
}

function orderIdOf(notification: PaymentNotification): string {
  return notification.type === 'deposit.received'
    ? notification.clientPaymentId
    : notification.clientWithdrawalId;
}

/** The currencies in which anything may move. The first is that of the first event. */
function currenciesOf(bodies: readonly Sent[]): Set<string> {
  const settled = bodies.flatMap(({ currency }) => currency || []);
  const named = bodies.flatMap(({ notification }) =>
    Object.entries(notification ?? {}).flatMap(([name, value]) =>
      name.endsWith('Currency') ? `${value}` : [],
    ),
  );
  return new Set([...settled, ...named]);
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

/** PostgreSQL counts as text, because a count may exceed what a number holds exactly. */
async function readCount(kept: () => Promise<unknown>): Promise<number> {
  const value = await kept();
  const count = typeof value === 'number' ? value : Number(`${value}`);
  if (Number.isSafeInteger(count) && value !== '') return count;
  throw new TypeError(`kept: expected a whole number, received ${quote(value)}`);
}

function signed(amount: Decimal): string {
  return amount.greaterThan(0) ? `+${amount}` : `${amount}`;
}

function failure(name: string, expected: string, actual: string, cause: string): Error {
  const because = cause && `. ${cause}`;
  const prefix = name && `${name}: `;
  const message = `${prefix}expected ${expected}, received ${actual}${because}`;
  return Object.assign(new Error(message), { expected, actual });
}

/** Names what was sent: the key is in the handler's log and database. */
function nameOf({ label, copies = 1 }: Step, bodies: readonly Sent[]): string {
  const [first] = bodies;
  const copied = copies > 1 ? `${copies} copies of ` : '';
  const others = bodies.length > 1 ? ` and ${bodies.length - 1} others` : '';
  const details = [...(label ? [label] : []), `seed ${first?.seed}`].join(', ');
  return `${copied}${first?.key || 'a faulty body'}${others} (${details})`;
}

function answerOf({ answer, error }: DeliveryAttempt): string {
  if (answer === null) return error;
  return `${answer.status} ${escapeUnprintable(answer.body.slice(0, 200))}`.trim();
}
