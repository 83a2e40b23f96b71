import { setImmediate as tick } from 'node:timers/promises';
import { Decimal, type PaymentNotification } from 'payment-notifications';
import {
  createReceiver,
  type DeliveryContext,
  NeedsReview,
  type ReceiverAnswer,
} from 'payment-notifications/receiver';
import type { DatabasePart, HandlerTestsOptions } from 'payment-notifications/testing';
import { patientTests } from '../../../src/testing/handler/tests.js';

/** What an event adds to whose balance. The amount is null if it is held for review. */
export interface Move {
  readonly account: string;
  readonly currency: string;
  readonly amount: Decimal | null;
}

/** A database in memory, of which a part can fail. */
export interface Store {
  readonly keys: Map<string, Move>;
  readonly balances: Map<string, Decimal | number>;
  /** The sums of the balances, by currency. */
  readonly totals: Map<string, Decimal>;
  readonly held: Set<string>;
  /** The customer of each order. */
  readonly orders: Map<string, string>;
  /** What a fault remembers. */
  readonly cache: Map<string, unknown>;
  /** Throws while this part is broken. */
  readonly use: (part: DatabasePart) => void;
}

type Outcome = 'settled' | 'repeated' | 'conflict' | 'unknown';
export type Book = (
  key: string,
  move: Move,
  store: Store,
  parts: Parts,
) => Outcome | Promise<Outcome>;

/** The parts of a correct handler, each of which a fault replaces. */
export interface Parts {
  readonly keyOf: (notification: PaymentNotification, context: DeliveryContext) => string;
  readonly moveOf: (notification: PaymentNotification, context: DeliveryContext) => Move;
  /** Answers before anything is settled. */
  readonly first: (
    notification: PaymentNotification,
    store: Store,
    context: DeliveryContext,
  ) => ReceiverAnswer | undefined | Promise<ReceiverAnswer | undefined>;
  /** Settles once. */
  readonly book: Book;
  readonly add: (before: Decimal | number, amount: Decimal) => Decimal | number;
  readonly hold: (body: Uint8Array, store: Store) => void;
  readonly onError: (error: unknown) => ReceiverAnswer | undefined;
  readonly refused: ReceiverAnswer | undefined;
  readonly requiresOrder: boolean;
  /** Around the endpoint. */
  readonly around: (
    handle: () => Promise<ReceiverAnswer>,
    store: Store,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ) => Promise<ReceiverAnswer>;
}

export const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

export const orderOf = (one: PaymentNotification) =>
  one.type === 'deposit.received' ? one.clientPaymentId : one.clientWithdrawalId;

export const RIGHT: Parts = {
  keyOf: (_, { key }) => key,
  moveOf(notification) {
    const account = orderOf(notification);
    if (notification.type === 'deposit.received') {
      const { depositCurrency, actualDepositAmount } = notification;
      return { account, currency: depositCurrency, amount: actualDepositAmount };
    }
    const { status, withdrawCurrency, actualWithdrawAmount } = notification;
    const amount = status === 'COMPLETED' ? (actualWithdrawAmount?.negated() ?? null) : null;
    return { account, currency: `${withdrawCurrency}`, amount };
  },
  first: () => undefined,
  book(key, move, store, { add }) {
    store.use('keys');
    store.use('balances');
    const known = store.keys.get(key);
    if (known) return isSame(known, move) ? 'repeated' : 'conflict';
    store.keys.set(key, move);
    change(store, move, add);
    return 'settled';
  },
  add: (before, amount) => new Decimal(before).plus(amount),
  hold: (body, { held }) => void held.add(textOf(body)),
  onError: () => undefined,
  refused: undefined,
  requiresOrder: false,
  around: (handle) => handle(),
};

export const isSame = (one: Move, other: Move) =>
  one.account === other.account &&
  one.currency === other.currency &&
  `${one.amount}` === `${other.amount}`;

export function balanceOf(store: Store, { account, currency }: Move): Decimal | number {
  return store.balances.get(`${account} ${currency}`) ?? 0;
}

export function change(
  store: Store,
  move: Move,
  add: Parts['add'] = RIGHT.add,
  before: Decimal | number = balanceOf(store, move),
): void {
  store.use('balances');
  const after = add(before, move.amount ?? new Decimal(0));
  const total = store.totals.get(move.currency) ?? new Decimal(0);
  store.totals.set(move.currency, total.minus(balanceOf(store, move)).plus(after));
  store.balances.set(`${move.account} ${move.currency}`, after);
}

/** A handler with a database in memory, and what the tests of a handler need of it. */
export function merchant(fault: Partial<Parts> = {}): HandlerTestsOptions {
  const parts: Parts = { ...RIGHT, ...fault };
  let broken: DatabasePart | null = null;
  const store: Store = {
    keys: new Map(),
    balances: new Map(),
    totals: new Map(),
    held: new Set(),
    orders: new Map(),
    cache: new Map(),
    use(part) {
      if (broken === part) throw new Error('the database failed');
    },
  };

  async function settle(one: PaymentNotification, context: DeliveryContext) {
    const early = await parts.first(one, store, context);
    if (early) return early;
    const customer = store.orders.get(orderOf(one));
    if (parts.requiresOrder && customer === undefined) throw new NeedsReview('unknown order');
    const move = {
      ...parts.moveOf(one, context),
      ...(parts.requiresOrder && { account: customer ?? '' }),
    };
    if (move.amount !== null) {
      const outcome = await parts.book(parts.keyOf(one, context), move, store, parts);
      if (outcome === 'conflict') throw new NeedsReview('other values');
    } else if (one.type === 'deposit.received' || one.status === 'COMPLETED') {
      throw new NeedsReview('no amount');
    }
    return undefined;
  }

  /** Answers by a receiver, unless a faulty handler has its own answer. */
  async function handle(body: Uint8Array): Promise<ReceiverAnswer> {
    let own: ReceiverAnswer | undefined;
    async function onNotification(one: PaymentNotification, context: DeliveryContext) {
      try {
        own = await settle(one, context);
      } catch (error) {
        own = error instanceof NeedsReview ? undefined : parts.onError(error);
        if (own === undefined) throw error;
      }
    }
    const receiver = createReceiver({
      secret: null,
      onDepositReceived: onNotification,
      onWithdrawalBroadcast: onNotification,
      store: {
        async save({ to, key }) {
          if (to === 'review') parts.hold(body, store);
          if (key === null) own = parts.refused;
        },
        list: async () => [],
        read: async () => null,
        remove: async () => {},
      },
      log() {},
    });
    const answer = await receiver.receive({ body, url: '/', method: 'POST' });
    return own ?? answer;
  }
  return {
    url: 'http://127.0.0.1/callbacks',
    async fetch(_, { body, headers }) {
      // As a network does. Without it, handlers that are tested at the same time would run without a
      // turn of the loop between them, and the timers of one would wait for all others.
      await tick();
      const bytes = Buffer.from(typeof body === 'string' ? body : new Uint8Array(body));
      const { status, text } = await parts.around(() => handle(bytes), store, bytes, headers);
      return { status, text: async () => text };
    },
    async balance(currency) {
      store.use('balances');
      return store.totals.get(currency)?.toString() ?? null;
    },
    kept: async () => store.held.size,
    async prepare(notifications) {
      // As a database refuses an INSERT without rows.
      if (notifications.length === 0) throw new Error('a syntax error');
      const customer = `customer ${store.orders.size}`;
      for (const one of notifications) store.orders.set(orderOf(one), customer);
    },
    async breakDatabase(part) {
      broken = part;
      return async () => {
        broken = null;
      };
    },
  };
}

/** What never moves is found at once. The sums of doubles are right for three rounds. */
export const NO_WAIT = { brokenMs: 1, answeredMs: 0, mendedMs: 0, rounds: 4 };

/** The tests that fail, with their errors. */
export async function failuresOf(
  options: HandlerTestsOptions,
  fits: (name: string) => boolean = () => true,
  patience = NO_WAIT,
): Promise<Record<string, Error>> {
  const failures: Record<string, Error> = {};
  for (const { name, run } of patientTests(options, patience).filter((one) => fits(one.name))) {
    await run().catch((error) => {
      failures[name] = error;
    });
  }
  return failures;
}

export { tick };
