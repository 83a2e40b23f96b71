import type { NotificationType } from '../../parser/errors.js';
import type { PaymentNotification } from '../../parser/notification.js';
import { safeParseNotification } from '../../parser/parse.js';
import type { Decimal } from '../../parser/values/amount.js';
import { sleep } from '../deliver.js';
import * as advice from './advice.js';
import { type Causes, ownCause } from './advice.js';
import { type Amounts, Balances, describeChanges, poll, sumOf } from './balances.js';
import { causeOfAnswer, causeOfChange } from './causes.js';
import { labeled, type NewEvent, type TestBody, type TestEvent, type Wanted } from './events.js';
import {
  currenciesOf,
  type Exchange,
  hasSeed,
  isSettled,
  movesSomething,
  nameOfExchange,
  type ReadBody,
  readBody,
  sumsOf,
  valuesOf,
} from './exchange.js';
import { callOption, countKept, type DatabasePart, type HandlerTestsOptions } from './options.js';
import {
  describeAnswer,
  isAccepted,
  isFailed,
  sendAgainAlone,
  sendAll,
  statusOf,
} from './sending.js';

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

/** What the tests of one handler share. */
export interface Setup {
  readonly options: HandlerTestsOptions;
  readonly patience: Patience;
  readonly newEvent: NewEvent;
  /**
   * The time after an answer until money moves: the longest one, of which later ones take off a
   * tenth each, so that one delay doesn't slow down all that follows. 0 if a handler settles first.
   */
  lagMs: number;
  /** Whether the server has answered any request. */
  hasAnswered: boolean;
}

type Bodies = TestBody | readonly TestBody[];

interface Sending {
  readonly causes?: Causes;
  readonly copies?: number;
  /** False for bodies that must move nothing (default: true). */
  readonly isDue?: boolean;
  /** Sends the bodies. The default is {@link sendAgainAlone}. */
  readonly using?: typeof sendAgainAlone;
}

/** How long an event is tried that may show why the first one failed. */
const TRIED_MS = 100;
/** A race starts no round after this time. With a slow database, a few rounds are enough. */
const RACE_MS = 5_000;
/** For at most so many rounds, orders are inserted that the race then sends, however late it is. */
const MAX_ROUNDS_AHEAD = 5;

const LATE = 'A balance changed later than it should have. Look for work that is done twice';
const MOVED_ANYWAY =
  'The balance changed all the same. Answer with success once it has, because the service resends what fails';

/** A test while it runs: the verbs of its behavior, and what has moved so far. */
export class Trial {
  readonly type: NotificationType;
  readonly #setup: Setup;
  readonly #balances: Balances;
  /** The orders that `prepare` has inserted. */
  readonly #orders = new Set<string>();
  /** The currency and the amount that moved, by key. */
  readonly #settled = new Map<string, string>();
  /** The keys of bodies that were in an exchange with a failed attempt. */
  readonly #failed = new Set<string>();
  /** The sums that exchanges moved as expected, the latest first; 0 if nothing was due. */
  readonly #earlier: Decimal[] = [];
  /** What `prepare` itself moved when it was last called: it may give the customer money. */
  #given: Amounts = new Map();
  /** Whether the handler kept or refused a body that it might have settled. */
  #hasHeld = false;

  constructor(setup: Setup, type: NotificationType) {
    this.#setup = setup;
    this.#balances = new Balances(setup.options);
    this.type = type;
  }

  // ---- Events ----

  /** Makes an event, whose order `prepare` inserts. */
  readonly event = async (wanted: Wanted = {}): Promise<TestEvent> =>
    (await this.events([wanted]))[0];

  /** Makes several events, whose orders one call of `prepare` inserts. */
  readonly events = async <const All extends readonly Wanted[]>(
    wanted: All,
  ): Promise<{ readonly [Index in keyof All]: TestEvent }> => {
    const events = wanted.map((one) => this.#setup.newEvent(one.type ?? this.type, one));
    for (const one of events) notificationOf(one);
    await this.#insert(events.filter((_, index) => wanted[index]?.known !== false));
    await this.#balances.watch(events.flatMap((one) => currenciesOf(this.#read(one))));
    return events as { [Index in keyof All]: TestEvent };
  };

  /** Makes an event for each row, and shows it. One call of `prepare` inserts their orders. */
  readonly each = async <Row>(
    rows: readonly Row[],
    wantedOf: (row: Row) => Wanted,
    show: (event: TestEvent, row: Row) => Promise<void>,
  ): Promise<void> => {
    const events = await this.events(rows.map(wantedOf));
    for (const [index, one] of events.entries()) await show(one, rows[index] as Row);
  };

  /** Inserts the order of an event that was sent before. The event must not be lost. */
  readonly know = async (event: TestEvent, exchange: Exchange): Promise<void> => {
    const { options, patience } = this.#setup;
    this.#balances.add(this.#given);
    await this.#prepare([event]);
    const mayStay = async (): Promise<boolean> =>
      !options.kept || exchange.attempts.some(isFailed) || this.#isKept(exchange);
    const changes = await poll(
      () => this.#balances.changes(),
      (now) => isSettled(exchange, now) || mayStay(),
      patience.mendedMs,
    );
    if (isSettled(exchange, changes)) return this.#book(exchange);
    if (!(await mayStay())) {
      const wanted = 'an answer of 5xx, or one more kept for review';
      throw failure(exchange.name, wanted, 'neither', advice.LOST);
    }
    // `prepare` may have given another amount this time.
    this.#balances.add(changes);
  };

  /** Also watches what isn't a currency, if `balance` takes it for one. */
  readonly watchAlso = (code: string): Promise<void> =>
    this.#balances.watch([code]).catch(() => {});

  // ---- Verbs: each sends bodies, and checks the answers and the balances ----

  /** Moves what is due, or nothing if it is a repeat, or if its status moves nothing. */
  readonly settles = async (given: Bodies, causes: Causes = {}, copies = 1): Promise<void> => {
    const exchange = await this.#post(this.#readAll(given), { causes, copies });
    const isHeld = exchange.bodies.some(({ move }) => move === null);
    await this.#expectAnswer(exchange, isHeld ? [2, 4] : [2]);
    await this.#expectChange(exchange);
    if (!exchange.isRepeat || !(await this.#isKept(exchange))) return;
    // A worker may have kept an earlier webhook only now. So the repeat is sent again, as another
    // text, because a store may keep the same text once.
    const bodies = exchange.bodies.map((one) => ({ ...one, body: `${one.body} ` }));
    const again = await this.#post(bodies, { causes });
    await this.#expectAnswer(again, [2]);
    await this.#expectChange(again);
    if (!(await this.#isKept(again))) return;
    throw failure(exchange.name, 'nothing more kept for review', 'one more', advice.KEPT_REPEAT);
  };

  /** An event that is settled already: answered with success, moves nothing, and isn't kept. */
  readonly repeats = (body: TestBody, causes: Causes = advice.REPEATED): Promise<void> =>
    this.settles(body, causes);

  /** Moves what is due, or is kept for review. */
  readonly settlesOrKeeps = (body: TestBody, causes: Causes): Promise<void> =>
    this.#settlesOrHolds(this.#readAll(body), causes, false);

  /** A body that may be read as an event: moves what the event does, or is kept, or refused. */
  readonly settlesOrRefuses = (body: TestBody, event: TestEvent, causes: Causes): Promise<void> =>
    this.#settlesOrHolds([{ ...this.#read(event), ...body }], causes, true);

  /** Moves nothing, and is kept for review. */
  readonly keeps = async (
    body: TestBody,
    causes: Causes,
    ifLost: string = advice.LOST,
  ): Promise<void> => {
    const exchange = await this.#post(this.#readAll(body), { causes });
    await this.#expectAnswer(exchange, [2, 4, 5]);
    await this.#expectChange(exchange);
    if (!exchange.isRepeat) await this.#expectKept(exchange, 1, ifLost);
  };

  /** Faulty bodies at the same time move nothing. With `kept`, each of them is kept. */
  readonly refuses = async (given: Bodies, causes: Causes): Promise<void> => {
    const exchange = await this.#post(this.#readAll(given), { causes });
    await this.#expectAnswer(exchange, this.#setup.options.kept ? [2, 4] : [4]);
    await this.#expectChange(exchange);
    await this.#expectKept(exchange, exchange.bodies.filter(hasSeed).length, advice.LOST);
  };

  /** A valid body with another secret moves nothing, and is answered with 4xx. */
  readonly turnsAway = async (body: TestBody, causes: Causes): Promise<void> => {
    const exchange = await this.#post(this.#readAll(body), { causes, isDue: false });
    await this.#expectAnswer(exchange, [4]);
    await this.#expectChange(exchange);
  };

  /** Whether an event is settled at once. It is only tried, and may be anything. */
  readonly passes = async (body: TestBody): Promise<boolean> => {
    const exchange = await this.#post(this.#readAll(body), {});
    if (!exchange.attempts.every(isAccepted)) return false;
    const hasMoved = (changes: Amounts): boolean => changes.size > 0;
    const changes = await poll(() => this.#balances.changes(), hasMoved, TRIED_MS, 8);
    return isSettled(exchange, changes);
  };

  /** An event whose order isn't known. {@link know} then checks that it isn't lost. */
  readonly unsettled = async (event: TestEvent): Promise<Exchange> => {
    const exchange = await this.#post(this.#readAll(event), {});
    await this.#expectAnswer(exchange, [2, 4, 5]);
    return exchange;
  };

  /** Copies that arrive while a part of the database fails. */
  readonly survives = async (part: DatabasePart, body: TestBody, copies = 1): Promise<void> => {
    const { options, patience } = this.#setup;
    const { key } = this.#read(body);
    // What failed before may have been settled by the handler's own retry.
    const isNew = !this.#settled.has(key) && !this.#failed.has(key);
    let hasMoved = false;
    const using: typeof sendAgainAlone = async (send) => {
      const mend = await callOption('breakDatabase', async () => options.breakDatabase?.(part));
      try {
        const attempts = await send(copies);
        if (isNew && attempts.some(isAccepted)) hasMoved = await this.#hasMovedWhileBroken();
        return attempts;
      } finally {
        await mend?.();
      }
    };
    const label = [body.label, `while the ${part} fail`].filter(Boolean).join(', ');
    const causes = { change: advice.REPEATED, answer: advice.NOT_FAILED };
    const bodies = this.#readAll(labeled(body, label));
    const exchange = await this.#post(bodies, { copies, causes, using });
    await this.#expectAnswer(exchange, [2, 5]);
    if (hasMoved) {
      throw failure(
        exchange.name,
        'no change while the database fails',
        'one',
        advice.BROKE_NOTHING,
      );
    }
    if (exchange.due.length === 0) return void (await this.#expectChange(exchange));
    // The body is sent again later. One that was accepted must move without that.
    if (!exchange.attempts.some(isAccepted)) return;
    const change = this.#failed.has(key) ? advice.EARLY_COPY : advice.ACCEPTED;
    await this.#expectChange({ ...exchange, causes: { change } }, undefined, patience.mendedMs);
  };

  /**
   * Rounds of a race, each with new events: a faulty handler passes some of them by luck. One call
   * of `prepare`, which may be slow, inserts the orders of several rounds.
   */
  readonly races = async (
    wanted: readonly Wanted[],
    round: (events: readonly TestEvent[]) => Promise<void>,
  ): Promise<void> => {
    // A handler that has kept or refused an event of this test would not settle the race either.
    if (this.#hasHeld) return;
    const { rounds } = this.#setup.patience;
    const until = Date.now() + RACE_MS;
    for (let done = 0; done < rounds && (done === 0 || Date.now() < until); ) {
      const count = Math.min(done + 1, MAX_ROUNDS_AHEAD, rounds - done);
      const events = await this.events(Array.from({ length: count }, () => wanted).flat());
      for (let first = 0; first < events.length; first += wanted.length) {
        await round(events.slice(first, first + wanted.length));
      }
      done += count;
    }
  };

  /** Checks that nothing else has moved: at the end of a test, and before `prepare` moves money. */
  readonly ends = async (): Promise<void> => {
    const changes = await this.#quiet();
    if (changes.size === 0) return;
    const name = 'all bodies of this test so far';
    throw failure(name, 'no more changes', describeChanges(changes), LATE);
  };

  // ---- What the verbs are made of ----

  #read(body: TestBody): ReadBody {
    return readBody(body, this.#setup.options);
  }

  #readAll(bodies: Bodies): ReadBody[] {
    return [bodies].flat().map((body) => this.#read(body));
  }

  /** Inserts the orders that aren't known yet. What `prepare` itself moves is no change. */
  async #insert(events: readonly TestEvent[]): Promise<void> {
    const fresh = events.filter((one) => {
      const order = nameOfOrder(one);
      const isFresh = !this.#orders.has(order);
      this.#orders.add(order);
      return isFresh;
    });
    if (fresh.length === 0) return;
    await this.ends();
    await this.#prepare(fresh);
    this.#given = await this.#balances.changes();
    this.#balances.add(this.#given);
  }

  async #prepare(events: readonly TestEvent[]): Promise<void> {
    const orders = events.map(notificationOf);
    await callOption('prepare', async () => this.#setup.options.prepare?.(orders));
  }

  async #post(bodies: readonly ReadBody[], sending: Sending): Promise<Exchange> {
    const { causes = {}, copies = 1, isDue = true, using = sendAgainAlone } = sending;
    const { options } = this.#setup;
    const due = bodies.filter(movesSomething).filter(({ key }) => isDue && !this.#settled.has(key));
    const isRepeat = isDue && bodies.every((one) => this.#settled.get(one.key) === valuesOf(one));
    // A repeat with other values may name other currencies than its event.
    await this.#balances.watch(bodies.flatMap(currenciesOf));
    const keptBefore = await countKept(options);
    const attempts = await using((count) => sendAll(options, bodies, count), copies);
    if (attempts.some(isFailed)) for (const { key } of bodies) this.#failed.add(key);
    const [name, sums] = [nameOfExchange(bodies, copies), sumsOf(due)];
    return { name, bodies, copies, causes, due, sums, isRepeat, keptBefore, attempts };
  }

  async #settlesOrHolds(
    bodies: readonly ReadBody[],
    causes: Causes,
    mayRefuse: boolean,
  ): Promise<void> {
    const exchange = await this.#post(bodies, { causes });
    await this.#expectAnswer(exchange, [2, 4]);
    const isRefused = mayRefuse && !exchange.attempts.some(isAccepted);
    const mayStay = async (): Promise<boolean> => isRefused || this.#isKept(exchange);
    if (await this.#expectChange(exchange, mayStay)) return;
    this.#hasHeld = true;
    if (!isRefused) await this.#expectKept(exchange, 1, ownCause(causes, 'change'));
  }

  /** Expects that the first digit of each status is one of these. */
  async #expectAnswer(exchange: Exchange, digits: readonly number[]): Promise<void> {
    const { options, hasAnswered } = this.#setup;
    this.#setup.hasAnswered ||= exchange.attempts.some(({ answer }) => answer !== null);
    const wrong = exchange.attempts.find(
      (attempt) => !digits.includes(Math.trunc(statusOf(attempt) / 100)),
    );
    if (wrong === undefined) return;
    // A timer may fire a millisecond early.
    const isLate = wrong.durationMs + 1 >= (options.timeoutMs ?? 30_000);
    const status = statusOf(wrong);
    const cause = (await this.#hasMovedAnyway(exchange))
      ? MOVED_ANYWAY
      : causeOfAnswer(exchange, { status, isLate, hasAnswered });
    const wanted = digits.map((digit) => `${digit}xx`).join(' or ');
    throw failure(exchange.name, `a status of ${wanted}`, describeAnswer(wrong, options), cause);
  }

  /**
   * Waits until exactly what is due has moved, and returns true. With `mayStay`, returns false if
   * nothing has moved. Throws otherwise.
   *
   * @param mayStay - Passed if the bodies may move nothing. Once it resolves to true, the wait ends.
   */
  async #expectChange(
    exchange: Exchange,
    mayStay?: () => Promise<boolean>,
    waitMs: number = this.#setup.patience.answeredMs,
  ): Promise<boolean> {
    const start = Date.now();
    let readings = 0;
    const isDone = async (changes: Amounts): Promise<boolean> => {
      readings += 1;
      if (isSettled(exchange, changes)) return true;
      // With several bodies, some may not have moved yet.
      if (changes.size > 0) return exchange.bodies.length === 1;
      return mayStay !== undefined && (await mayStay());
    };
    const nothingDue = exchange.sums.size === 0;
    const read = (): Promise<Amounts> => this.#balances.changes();
    const changes = nothingDue ? await this.#quiet() : await poll(read, isDone, waitMs);
    if (!isSettled(exchange, changes)) {
      if (mayStay && changes.size === 0) return false;
      const cause = causeOfChange(exchange, {
        changes,
        expected: this.#balances.expected,
        earlier: this.#earlier,
        isKept: await this.#isKept(exchange),
      });
      const [expected, actual] = [describeChanges(exchange.sums), describeChanges(changes)];
      throw failure(exchange.name, expected, actual, cause);
    }
    // In a crowd, a handler may need longer than usual.
    if (exchange.attempts.length === 1 && readings > 1) {
      this.#setup.lagMs = Math.max(0.9 * this.#setup.lagMs, Date.now() - start);
    }
    this.#book(exchange);
    return true;
  }

  /**
   * Reads what has moved though nothing was due. A handler that answers before it settles gets half
   * as much time again as it has needed so far. Otherwise, what it does late would be taken for what
   * is sent next.
   */
  #quiet(): Promise<Amounts> {
    const { lagMs, patience } = this.#setup;
    const waitMs = Math.min(1.5 * lagMs, patience.answeredMs);
    return poll(
      () => this.#balances.changes(),
      (changes) => lagMs === 0 || changes.size > 0,
      waitMs,
      3,
    );
  }

  /** Whether one body has moved what is due, whatever its answer says. */
  async #hasMovedAnyway(exchange: Exchange): Promise<boolean> {
    if (exchange.attempts.length !== 1 || exchange.due.length !== 1) return false;
    return isSettled(exchange, await this.#balances.changes());
  }

  /** Whether anything has moved; false if the balances can't be read. */
  async #hasMovedWhileBroken(): Promise<boolean> {
    const { brokenMs } = this.#setup.patience;
    await sleep(brokenMs);
    const reading = this.#balances.changes().catch(() => null);
    const changes = await Promise.race([reading, sleep(brokenMs, reading).then(() => null)]);
    return changes !== null && changes.size > 0;
  }

  async #expectKept({ name, keptBefore }: Exchange, needed: number, cause?: string): Promise<void> {
    const { options, patience } = this.#setup;
    if (!options.kept) return;
    const countMore = async (): Promise<number> => (await countKept(options)) - keptBefore;
    const count = await poll(countMore, (more) => more >= needed, patience.answeredMs);
    if (count >= needed) return;
    throw failure(name, `${needed} more kept for review`, `${count}`, cause);
  }

  async #isKept({ keptBefore }: Exchange): Promise<boolean> {
    return (await countKept(this.#setup.options)) > keptBefore;
  }

  /** Notes that what was due has moved. */
  #book({ sums, due }: Exchange): void {
    this.#balances.add(sums);
    this.#earlier.unshift(sumOf([...sums.values()]));
    for (const one of due) this.#settled.set(one.key, valuesOf(one));
  }
}

/** @throws TypeError if fields of the merchant make it invalid. */
function notificationOf({ body }: TestEvent): PaymentNotification {
  const { notification, error } = safeParseNotification(body);
  if (notification) return notification;
  const { message } = error.issues[0];
  throw new TypeError(`deposit or withdrawal: expected fields of a valid body, but ${message}`);
}

function nameOfOrder({ type, order }: TestEvent): string {
  return `${type} ${order.clientPaymentId ?? order.clientWithdrawalId}`;
}

/** An error with what a runner's diff needs. */
export type Failure = Error & { readonly expected: string; readonly actual: string };

function failure(name: string, expected: string, actual: string, cause?: string): Failure {
  const message = [`${name}: expected ${expected}, received ${actual}`, cause].filter(Boolean);
  return Object.assign(new Error(message.join('. ')), { expected, actual });
}
