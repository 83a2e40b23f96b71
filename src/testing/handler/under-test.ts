import type { Decimal } from '../../parser/values/amount.js';
import { sleep } from '../deliver.js';
import * as advice from './advice.js';
import { type Amounts, amountIn, describeChanges, poll, sumOf } from './balances.js';
import { causeOfAnswer, causeOfChange } from './causes.js';
import type { NewEvent } from './events.js';
import {
  currenciesOf,
  type Exchange,
  isSettled,
  movesSomething,
  nameOfExchange,
  type ReadBody,
  sumsOf,
  valuesOf,
} from './exchange.js';
import { countKept, type HandlerTestsOptions, readBalance } from './options.js';
import {
  describeAnswer,
  isAccepted,
  isFailed,
  type Sender,
  sendAgainAlone,
  sendAll,
  statusOf,
  urlOf,
} from './sending.js';

/** How long a test waits in milliseconds, and how often it repeats a race. */
export interface Patience {
  /**
   * How long a test waits for what a correct handler need not do: during an outage, for money to
   * move and then for `balance`; before an order is known, for a webhook to be saved for review.
   */
  readonly quietMs: number;
  /** The longest wait after an answer until the money has moved, or `kept` counts the webhook. */
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
   * The longest time after an answer until money moved, which fades by a tenth with each event. 0
   * for a handler that settles before it answers.
   */
  lagMs: number;
  /** Whether the server has answered any request with success. */
  hasAccepted: boolean;
}

/** How bodies are sent. */
interface Sending {
  readonly causes?: advice.Causes;
  readonly copies?: number;
  /** False for bodies that must move nothing (default: true). */
  readonly isDue?: boolean;
  /** The default is {@link sendAgainAlone}. */
  readonly using?: Sender;
}

/** The handler while a test runs: what was sent to it, and what has moved. */
export class HandlerUnderTest {
  readonly #setup: Setup;
  /** The balances that are due, in each currency that is watched. */
  readonly #balances = new Map<string, Decimal>();
  /** The currency and the amount that moved, by key. */
  readonly settled: Map<string, string> = new Map();
  /** The keys of bodies that were in an exchange with a failed attempt. */
  readonly failed: Set<string> = new Set();
  /** The sums that exchanges moved as expected, the latest first; 0 if nothing was due. */
  readonly #earlier: Decimal[] = [];

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  /** Reads the balances in more currencies. Changes count from there. */
  async watch(currencies: readonly string[]): Promise<void> {
    const codes = new Set(currencies.filter((code) => !this.#balances.has(code)));
    const readOne = async (code: string): Promise<unknown> =>
      this.#balances.set(code, await readBalance(this.#setup.options, code));
    await Promise.all([...codes].map(readOne));
  }

  /** The differences between the balances and those that are due, without zeros. */
  async changes(): Promise<Amounts> {
    const changes = [...this.#balances].map(async ([code, before]) => {
      const now = await readBalance(this.#setup.options, code);
      return [code, now.minus(before)] as const;
    });
    return new Map((await Promise.all(changes)).filter(([, change]) => !change.isZero()));
  }

  /** From now on, these changes are due. */
  add(changes: Amounts): void {
    for (const [code, change] of changes) {
      this.#balances.set(code, amountIn(this.#balances, code).plus(change));
    }
  }

  /** Sends bodies at the same time. */
  async post(bodies: readonly ReadBody[], sending: Sending): Promise<Exchange> {
    const { causes = {}, copies = 1, isDue = true, using = sendAgainAlone } = sending;
    const { options } = this.#setup;
    const due = bodies.filter(movesSomething).filter(({ key }) => isDue && !this.settled.has(key));
    const isRepeat = isDue && bodies.every((one) => this.settled.get(one.key) === valuesOf(one));
    // A repeat with other values may name other currencies than its event.
    await this.watch(bodies.flatMap(currenciesOf));
    const keptBefore = await countKept(options);
    const attempts = await using((count) => sendAll(options, bodies, count), copies);
    if (attempts.some(isFailed)) for (const { key } of bodies) this.failed.add(key);
    const [name, sums] = [nameOfExchange(bodies, copies), sumsOf(due)];
    return { name, bodies, copies, causes, due, sums, isRepeat, keptBefore, attempts };
  }

  /** Expects that the first digit of each status is one of these. */
  async expectAnswer(exchange: Exchange, digits: readonly number[]): Promise<void> {
    const { options, hasAccepted } = this.#setup;
    this.#setup.hasAccepted ||= exchange.attempts.some(isAccepted);
    const wrong = exchange.attempts.find(
      (attempt) => !digits.includes(Math.trunc(statusOf(attempt) / 100)),
    );
    if (wrong === undefined) return;
    // A timer may fire a millisecond early.
    const isLate = wrong.durationMs + 1 >= (options.timeoutMs ?? 30_000);
    const cause = (await this.#hasMovedAnyway(exchange))
      ? advice.MOVED_ANYWAY
      : causeOfAnswer(exchange, { status: statusOf(wrong), isLate, hasAccepted });
    const wanted = digits.map((digit) => `${digit}xx`).join(' or ');
    const url = new URL(urlOf(options, exchange.bodies[0]?.secret));
    throw failure(exchange.name, `a status of ${wanted}`, describeAnswer(wrong, url), cause);
  }

  /**
   * Waits until exactly what is due has moved, and returns true. With `mayStay`, returns false if
   * nothing has moved. Throws otherwise.
   *
   * @param mayStay - Passed if the bodies may move nothing. The wait ends once it resolves to true.
   */
  async expectChange(
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
    const read = (): Promise<Amounts> => this.changes();
    const changes = nothingDue ? await this.unexpectedChanges() : await poll(read, isDone, waitMs);
    if (!isSettled(exchange, changes)) {
      if (mayStay && changes.size === 0) return false;
      const cause = causeOfChange(exchange, {
        changes,
        expected: this.#balances,
        earlier: this.#earlier,
        isKept: await this.isKept(exchange),
      });
      const [expected, actual] = [describeChanges(exchange.sums), describeChanges(changes)];
      throw failure(exchange.name, expected, actual, cause);
    }
    // In a crowd, a handler may need longer than usual.
    if (exchange.attempts.length === 1 && readings > 1) {
      this.#setup.lagMs = Math.max(0.9 * this.#setup.lagMs, Date.now() - start);
    }
    this.book(exchange);
    return true;
  }

  /**
   * Reads what has moved though nothing was due. A handler that answers before it settles gets half
   * as much time again as it has needed so far. Otherwise, what it does late would be taken for
   * what is sent next.
   */
  unexpectedChanges(): Promise<Amounts> {
    const { lagMs, patience } = this.#setup;
    const waitMs = Math.min(1.5 * lagMs, patience.answeredMs);
    return poll(
      () => this.changes(),
      (changes) => lagMs === 0 || changes.size > 0,
      waitMs,
      3,
    );
  }

  /** Whether one body has moved what is due, whatever its answer says. */
  async #hasMovedAnyway(exchange: Exchange): Promise<boolean> {
    if (exchange.attempts.length !== 1 || exchange.due.length !== 1) return false;
    return isSettled(exchange, await this.changes());
  }

  /** Whether anything has moved; false if the balances can't be read. */
  async hasMovedWhileBroken(): Promise<boolean> {
    const { quietMs } = this.#setup.patience;
    await sleep(quietMs);
    const reading = this.changes().catch(() => null);
    const changes = await Promise.race([reading, sleep(quietMs, reading).then(() => null)]);
    return changes !== null && changes.size > 0;
  }

  async expectKept({ name, keptBefore }: Exchange, needed: number, cause?: string): Promise<void> {
    const { options, patience } = this.#setup;
    if (!options.kept) return;
    const countMore = async (): Promise<number> => (await countKept(options)) - keptBefore;
    const count = await poll(countMore, (more) => more >= needed, patience.answeredMs);
    if (count >= needed) return;
    throw failure(name, `kept to count ${needed} more`, `${count}`, cause);
  }

  async isKept({ keptBefore }: Exchange): Promise<boolean> {
    return (await countKept(this.#setup.options)) > keptBefore;
  }

  /** Notes that what was due has moved. */
  book({ sums, due }: Exchange): void {
    this.add(sums);
    this.#earlier.unshift(sumOf([...sums.values()]));
    for (const one of due) this.settled.set(one.key, valuesOf(one));
  }
}

/** An error with what a runner's diff needs. */
export function failure(name: string, expected: string, actual: string, cause?: string): Error {
  const message = [`${name}: expected ${expected}, received ${actual}`, cause].filter(Boolean);
  return Object.assign(new Error(message.join('. ')), { expected, actual });
}
