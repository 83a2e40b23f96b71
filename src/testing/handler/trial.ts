import type { NotificationType } from '../../parser/errors.js';
import type { PaymentNotification } from '../../parser/notification.js';
import { safeParseNotification } from '../../parser/parse.js';
import * as advice from './advice.js';
import { type Amounts, describeChanges, poll } from './balances.js';
import { labeled, type TestBody, type TestEvent, type Wanted } from './events.js';
import {
  currenciesOf,
  type Exchange,
  hasSeed,
  isSettled,
  type ReadBody,
  readBody,
} from './exchange.js';
import { breakPart, callOption, type DatabasePart } from './options.js';
import { isAccepted, isFailed, type Sender } from './sending.js';
import { failure, HandlerUnderTest, type Setup } from './under-test.js';

type Bodies = TestBody | readonly TestBody[];

/**
 * How long an event is tried that may show why the first one failed. It is read once a millisecond
 * at most, and 8 times at least, which takes 127 ms: see `poll`.
 */
const TRIED_MS = 7;
/** A race starts no round after this time. With a slow database, a few rounds are enough. */
const RACE_MS = 5_000;
/** For at most so many rounds, orders are inserted that the race then sends, however late it is. */
const MAX_ROUNDS_AHEAD = 5;

/**
 * A test while it runs. Its verbs are properties, so that a behavior takes those that it needs:
 * `({ event, settles }) => …`.
 */
export class Trial {
  readonly #type: NotificationType;
  readonly #setup: Setup;
  readonly #handler: HandlerUnderTest;
  /** The orders that `prepare` has inserted. */
  readonly #orders = new Set<string>();
  /** What `prepare` itself moved when it was last called: it may give the customer money. */
  #given: Amounts = new Map();
  /** Whether the handler saved for review or refused a body that it might have settled. */
  #hasReviewed = false;

  constructor(setup: Setup, type: NotificationType) {
    this.#setup = setup;
    this.#handler = new HandlerUnderTest(setup);
    this.#type = type;
  }

  // ---- Events ----

  /** Makes an event, whose order `prepare` inserts. */
  readonly event = async (wanted: Wanted = {}): Promise<TestEvent> =>
    (await this.events([wanted]))[0];

  /** Makes several events, whose orders one call of `prepare` inserts. */
  readonly events = async <const All extends readonly Wanted[]>(
    wanted: All,
  ): Promise<{ readonly [Index in keyof All]: TestEvent }> => {
    const events = wanted.map((one) => this.#setup.newEvent(one.type ?? this.#type, one));
    for (const one of events) notificationOf(one);
    await this.#insert(events.filter((_, index) => wanted[index]?.known !== false));
    await this.#handler.watch(events.flatMap((one) => currenciesOf(this.#read(one))));
    return events as { [Index in keyof All]: TestEvent };
  };

  /** Makes an event for each row, and shows it. One call of `prepare` inserts their orders. */
  readonly each = async <Row>(
    rows: readonly Row[],
    show: (event: TestEvent, row: Row) => Promise<void>,
    wantedOf: (row: Row) => Wanted = () => ({}),
  ): Promise<void> => {
    const events = await this.events(rows.map(wantedOf));
    for (const [index, one] of events.entries()) await show(one, rows[index] as Row);
  };

  /** Inserts the order of an event that was sent before. The event must not be lost. */
  readonly know = async (event: TestEvent, exchange: Exchange): Promise<void> => {
    const { options, patience } = this.#setup;
    this.#handler.add(this.#given);
    await this.#prepare([event]);
    const mayStay = async (): Promise<boolean> =>
      !options.kept || exchange.attempts.some(isFailed) || this.#handler.isKept(exchange);
    const changes = await poll(
      () => this.#handler.changes(),
      (now) => isSettled(exchange, now) || mayStay(),
      patience.mendedMs,
    );
    if (isSettled(exchange, changes)) return this.#handler.book(exchange);
    if (!(await mayStay())) {
      const wanted = 'an answer of 5xx, or kept to count one more';
      throw failure(exchange.name, wanted, 'neither', advice.LOST);
    }
    // `prepare` may have given another amount this time.
    this.#handler.add(changes);
  };

  /** Also watches a code that isn't a currency, if `balance` reads it like one. */
  readonly watchAlso = (code: string): Promise<void> => this.#handler.watch([code]).catch(() => {});

  // ---- Verbs: each sends bodies, and checks the answers and the balances ----

  /** Moves what is due, or nothing if it is a repeat, or if its status moves nothing. */
  readonly settles = async (
    given: Bodies,
    causes: advice.Causes = {},
    copies = 1,
  ): Promise<void> => {
    const exchange = await this.#handler.post(this.#readAll(given), { causes, copies });
    const needsReview = exchange.bodies.some(({ move }) => move === null);
    await this.#handler.expectAnswer(exchange, needsReview ? [2, 4] : [2]);
    await this.#handler.expectChange(exchange);
    if (!exchange.isRepeat || !(await this.#handler.isKept(exchange))) return;
    // A worker may have saved an earlier webhook only now. So the repeat is sent again, as another
    // text, because a store may save the same text once.
    const bodies = exchange.bodies.map((one) => ({ ...one, body: `${one.body} ` }));
    const again = await this.#handler.post(bodies, { causes });
    await this.#handler.expectAnswer(again, [2]);
    await this.#handler.expectChange(again);
    if (!(await this.#handler.isKept(again))) return;
    throw failure(exchange.name, 'kept to count no more', 'one more', advice.KEPT_REPEAT);
  };

  /** An event that is settled already: answered with success, moves nothing, isn't saved again. */
  readonly repeats = (body: TestBody, causes: advice.Causes = advice.REPEATED): Promise<void> =>
    this.settles(body, causes);

  /** Moves what is due, or is saved for review. */
  readonly settlesOrReviews = (body: TestBody, causes: advice.Causes): Promise<void> =>
    this.#maySettle(this.#readAll(body), causes, false);

  /** A body that may be read as an event: moves its amount, or is saved for review, or refused. */
  readonly settlesOrRefuses = (
    body: TestBody,
    event: TestEvent,
    causes: advice.Causes,
  ): Promise<void> => this.#maySettle([{ ...this.#read(event), ...body }], causes, true);

  /** Moves nothing, and is saved for review. */
  readonly reviews = async (
    body: TestBody,
    causes: advice.Causes,
    ifLost: string = advice.LOST,
  ): Promise<void> => {
    const exchange = await this.#handler.post(this.#readAll(body), { causes });
    await this.#handler.expectAnswer(exchange, [2, 4, 5]);
    await this.#handler.expectChange(exchange);
    if (!exchange.isRepeat) await this.#handler.expectKept(exchange, 1, ifLost);
  };

  /** Faulty bodies at the same time move nothing. If there is `kept`, it counts each of them. */
  readonly refuses = async (given: Bodies, causes: advice.Causes): Promise<void> => {
    const exchange = await this.#handler.post(this.#readAll(given), { causes });
    await this.#handler.expectAnswer(exchange, this.#setup.options.kept ? [2, 4] : [4]);
    await this.#handler.expectChange(exchange);
    await this.#handler.expectKept(exchange, exchange.bodies.filter(hasSeed).length, advice.LOST);
  };

  /** A valid body with another secret moves nothing, and is answered with 4xx. */
  readonly turnsAway = async (body: TestBody, causes: advice.Causes): Promise<void> => {
    const exchange = await this.#handler.post(this.#readAll(body), { causes, isDue: false });
    await this.#handler.expectAnswer(exchange, [4]);
    await this.#handler.expectChange(exchange);
  };

  /** Like {@link settles}, but doesn't wait for long. */
  readonly settlesSoon = async (body: TestBody): Promise<boolean> => {
    const exchange = await this.#handler.post(this.#readAll(body), {});
    await this.#handler.expectAnswer(exchange, [2]);
    return this.#handler.expectChange(exchange, undefined, TRIED_MS);
  };

  /** An event whose order isn't known. {@link know} then checks that it isn't lost. */
  readonly unsettled = async (event: TestEvent): Promise<Exchange> => {
    const { options, patience } = this.#setup;
    const exchange = await this.#handler.post(this.#readAll(event), {});
    await this.#handler.expectAnswer(exchange, [2, 4, 5]);
    // A worker gets time to look at it before its order is inserted. The balances are not read,
    // because `balance` may wait for that worker.
    if (options.kept && exchange.attempts.every(isAccepted)) {
      const isKept = (): Promise<boolean> => this.#handler.isKept(exchange);
      await poll(isKept, (is) => is, patience.quietMs);
    }
    return exchange;
  };

  /** Copies that arrive while a part of the database fails. */
  readonly survives = async (part: DatabasePart, body: TestBody, copies = 1): Promise<void> => {
    const { options, patience } = this.#setup;
    const { key } = this.#read(body);
    // What failed before may have been settled by the handler's own retry.
    const isNew = !this.#handler.settled.has(key) && !this.#handler.failed.has(key);
    let hasMoved = false;
    const using: Sender = async (send) => {
      const repair = await breakPart(options, part);
      try {
        const attempts = await send(copies);
        if (isNew && attempts.some(isAccepted))
          hasMoved = await this.#handler.hasMovedWhileBroken();
        return attempts;
      } finally {
        await callOption('breakDatabase', async () => repair());
      }
    };
    const label = [body.label, `while the ${part} fail`].filter(Boolean).join(', ');
    const causes = { change: advice.REPEATED, answer: advice.NOT_FAILED };
    const bodies = this.#readAll(labeled(body, label));
    const exchange = await this.#handler.post(bodies, { copies, causes, using });
    await this.#handler.expectAnswer(exchange, [2, 5]);
    if (hasMoved) {
      throw failure(
        exchange.name,
        'no change while the database fails',
        'one',
        advice.BROKE_NOTHING,
      );
    }
    if (exchange.due.length === 0) return void (await this.#handler.expectChange(exchange));
    // The body is sent again later. One that was accepted must move without that.
    if (!exchange.attempts.some(isAccepted)) return;
    const accepted = { ...exchange, causes: { change: advice.ACCEPTED } };
    await this.#handler.expectChange(accepted, undefined, patience.mendedMs);
  };

  /**
   * Rounds of a race, each with new events: a faulty handler passes some of them by luck. One call
   * of `prepare`, which may be slow, inserts the orders of several rounds.
   */
  readonly races = async (
    wanted: readonly Wanted[],
    round: (events: readonly TestEvent[]) => Promise<void>,
  ): Promise<void> => {
    // A handler that hasn't settled an event of this test would not settle the race either.
    if (this.#hasReviewed) return;
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
    const changes = await this.#handler.unexpectedChanges();
    if (changes.size === 0) return;
    const name = 'all bodies of this test so far';
    throw failure(name, 'no more changes', describeChanges(changes), advice.LATE);
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
    this.#given = await this.#handler.changes();
    this.#handler.add(this.#given);
  }

  async #prepare(events: readonly TestEvent[]): Promise<void> {
    const orders = events.map(notificationOf);
    await callOption('prepare', async () => this.#setup.options.prepare?.(orders));
  }

  async #maySettle(
    bodies: readonly ReadBody[],
    causes: advice.Causes,
    mayRefuse: boolean,
  ): Promise<void> {
    const exchange = await this.#handler.post(bodies, { causes });
    await this.#handler.expectAnswer(exchange, [2, 4]);
    const isAnswered = exchange.attempts.some(isAccepted);
    const mayBeLost = mayRefuse && !isAnswered;
    const mayStay = async (): Promise<boolean> => mayBeLost || this.#handler.isKept(exchange);
    const hasMoved = await this.#handler.expectChange(exchange, mayStay);
    const movesNothing = exchange.due.length === 0;
    // Of what moves nothing, only the answer says whether the handler has read it.
    if (hasMoved && (isAnswered || !movesNothing)) return;
    this.#hasReviewed = true;
    const cause = advice.ownCause(causes, movesNothing ? 'answer' : 'change');
    if (!mayBeLost) await this.#handler.expectKept(exchange, 1, cause);
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
