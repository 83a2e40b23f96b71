import { setImmediate as tick } from 'node:timers/promises';
import { Decimal, type PaymentNotification } from 'payment-notifications';
import {
  createReceiver,
  type DeliveryContext,
  type ReceiverAnswer,
} from 'payment-notifications/receiver';
import type { DatabasePart, HandlerTestsOptions } from 'payment-notifications/testing';

/** What an event adds to whose balance. The amount is null if it is held for review. */
export interface Move {
  readonly account: string;
  readonly currency: string;
  readonly amount: Decimal | null;
}

/** A database in memory, of which a part can fail, with transactions. */
export interface Store {
  readonly keys: Map<string, Move>;
  readonly balances: Map<string, Decimal | number>;
  readonly held: Set<string>;
  /** The customer of each order. */
  readonly orders: Map<string, string>;
  /** Throws while this part is broken. */
  readonly use: (part: DatabasePart) => void;
}

/** The parts of a right handler, each of which a fault replaces. */
export interface Parts {
  readonly keyOf: (notification: PaymentNotification, context: DeliveryContext) => string;
  readonly moveOf: (notification: PaymentNotification, context: DeliveryContext) => Move;
  /** Answers before anything is settled. */
  readonly first: (
    notification: PaymentNotification,
    store: Store,
  ) => ReceiverAnswer | undefined | Promise<ReceiverAnswer | undefined>;
  /** Settles once. Returns whether it was a repeat, or a conflict. */
  readonly book: (
    key: string,
    move: Move,
    store: Store,
    parts: Parts,
  ) => Outcome | Promise<Outcome>;
  readonly add: (before: Decimal | number, amount: Decimal) => Decimal | number;
  readonly hold: (body: Uint8Array, store: Store) => void;
  readonly onError: (error: unknown) => ReceiverAnswer | undefined;
  readonly refused: ReceiverAnswer | undefined;
  readonly requiresOrder: boolean;
}
type Outcome = 'settled' | 'repeated' | 'conflict';

export const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

export const RIGHT: Parts = {
  keyOf: (_, { key }) => key,
  moveOf(notification) {
    if (notification.type === 'deposit.received') {
      const { clientPaymentId, depositCurrency, actualDepositAmount } = notification;
      return { account: clientPaymentId, currency: depositCurrency, amount: actualDepositAmount };
    }
    const { status, clientWithdrawalId, withdrawCurrency, actualWithdrawAmount } = notification;
    const amount = status === 'COMPLETED' ? (actualWithdrawAmount?.negated() ?? null) : null;
    return { account: clientWithdrawalId, currency: withdrawCurrency, amount };
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
  add: Parts['add'],
  before: Decimal | number = balanceOf(store, move),
): void {
  store.use('balances');
  const after = add(before, move.amount ?? new Decimal(0));
  store.balances.set(`${move.account} ${move.currency}`, after);
}

/** A handler with a database in memory, and what the tests of a handler need of it. */
export function merchant(fault: Partial<Parts> = {}): HandlerTestsOptions {
  const parts: Parts = { ...RIGHT, ...fault };
  let broken: DatabasePart | null = null;
  const store: Store = {
    keys: new Map(),
    balances: new Map(),
    held: new Set(),
    orders: new Map(),
    use(part) {
      if (broken === part) throw new Error('the database failed');
    },
  };

  async function settle(notification: PaymentNotification, context: DeliveryContext) {
    const early = await parts.first(notification, store);
    if (early) return early;
    const id =
      notification.type === 'deposit.received'
        ? notification.clientPaymentId
        : notification.clientWithdrawalId;
    const customer = store.orders.get(id);
    if (parts.requiresOrder && customer === undefined) {
      parts.hold(context.body, store);
      return { status: 200, text: 'unknown' };
    }
    const own = parts.moveOf(notification, context);
    const move = parts.requiresOrder ? { ...own, account: customer ?? '' } : own;
    const isFinal = notification.type === 'deposit.received' || notification.status === 'COMPLETED';
    if (move.amount === null) {
      if (isFinal) parts.hold(context.body, store);
      return undefined;
    }
    try {
      const outcome = await parts.book(parts.keyOf(notification, context), move, store, parts);
      if (outcome === 'conflict') parts.hold(context.body, store);
    } catch (error) {
      const answer = parts.onError(error);
      if (answer === undefined) throw error;
      return answer;
    }
    return undefined;
  }

  const receiver = createReceiver({
    secret: null,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    async onRefused(_, { body }) {
      parts.hold(body, store);
      return parts.refused;
    },
    onError: async () => {},
    onWarning: () => {},
  });
  return {
    url: 'http://127.0.0.1/callbacks',
    fetch: (url, init) => receiver.fetch(new Request(url, init)),
    async balance(currency) {
      let sum: Decimal | number = new Decimal(0);
      for (const [account, amount] of store.balances) {
        if (!account.endsWith(` ${currency}`)) continue;
        sum = typeof amount === 'number' ? Number(sum) + amount : new Decimal(sum).plus(amount);
      }
      return new Decimal(sum).toString();
    },
    kept: async () => store.held.size,
    async prepare(notifications) {
      const customer = `customer ${store.orders.size}`;
      for (const one of notifications) {
        const id = one.type === 'deposit.received' ? one.clientPaymentId : one.clientWithdrawalId;
        store.orders.set(id, customer);
      }
    },
    async breakDatabase(part) {
      broken = part;
      return async () => {
        broken = null;
      };
    },
  };
}

export { tick };
