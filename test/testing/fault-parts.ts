import { createHash } from 'node:crypto';
import {
  Decimal,
  type DepositReceived,
  type PaymentNotification,
  type WithdrawalBroadcast,
} from 'payment-notifications';
import {
  type Book,
  balanceOf,
  change,
  isSame,
  type Move,
  type Parts,
  RIGHT,
  type Store,
  textOf,
  tick,
} from './merchant.js';

/** What a fault replaces of a right handler. */
type Fault = Partial<Parts>;

export const isDeposit = (one: PaymentNotification): one is DepositReceived =>
  one.type === 'deposit.received';

// ---- Another amount, or another key ----

export const moveAs = (other: (move: Move, one: PaymentNotification) => Partial<Move>): Fault => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    return { ...move, ...other(move, one) };
  },
});
export const credits = (amountOf: (one: DepositReceived) => Decimal | null) =>
  moveAs((_, one) => (isDeposit(one) ? { amount: amountOf(one) } : {}));
export const debits = (amountOf: (one: WithdrawalBroadcast) => Decimal | null) =>
  moveAs((_, one) => (isDeposit(one) ? {} : { amount: amountOf(one)?.negated() ?? null }));
export const moves = (amountOf: (amount: Decimal) => Decimal | number | string) =>
  moveAs(({ amount }) => ({ amount: amount && new Decimal(amountOf(amount)) }));
export const completed = ({ status, actualWithdrawAmount }: WithdrawalBroadcast) =>
  status === 'COMPLETED' ? actualWithdrawAmount : null;

export const keyed = (keyOf: (one: PaymentNotification) => unknown): Fault => ({
  keyOf: (one) => `${keyOf(one)}`,
});
export const depositKeyed = (keyOf: (one: DepositReceived) => string) =>
  keyed((one) => (isDeposit(one) ? keyOf(one) : one.withdrawalId));
export const BODY_AS_KEY: Fault = {
  keyOf: (_, { body }) => createHash('sha256').update(body).digest('hex'),
};

// ---- Another answer, without settling ----

export const answers = (
  fits: (one: PaymentNotification, store: Store, body: string) => boolean,
  status = 200,
): Fault => ({
  first: (one, store, { body }) =>
    fits(one, store, textOf(body)) ? { status, text: '' } : undefined,
});
export const drops = (fits: (one: DepositReceived, store: Store) => boolean) =>
  answers((one, store) => isDeposit(one) && fits(one, store));
/** Settles only the first of what has one name; undefined is never remembered. */
export const settlesFirst = (
  nameOf: (one: PaymentNotification, key: string, store: Store) => string | undefined,
): Fault => ({
  first(one, store, { key }) {
    const name = nameOf(one, key, store);
    if (name !== undefined && store.cache.has(name)) return { status: 200, text: '' };
    if (name !== undefined) store.cache.set(name, true);
    return undefined;
  },
});
/** Keeps only some of what is for review. */
export const holds = (fits: (store: Store) => boolean): Fault => ({
  hold: (body, store) => void (fits(store) && RIGHT.hold(body, store)),
});

// ---- Another way to settle ----

export const books = (book: Book): Fault => ({ book });
/** Does something else at a known key with other values. */
export const atKnown = (then: (known: Move, move: Move, store: Store) => 'repeated' | 'conflict') =>
  books((key, move, store, parts) => {
    const known = store.keys.get(key);
    return known && !isSame(known, move)
      ? then(known, move, store)
      : RIGHT.book(key, move, store, parts);
  });
export const READ_THEN_WRITE: Fault = {
  requiresOrder: true,
  async book(key, move, store, { add }) {
    if (store.keys.has(key)) return 'repeated';
    store.keys.set(key, move);
    const before = balanceOf(store, move);
    await tick();
    change(store, move, add, before);
    return 'settled';
  },
};
export const MOVE_THEN_KEY = books((key, move, store, { add }) => {
  if (store.keys.has(key)) return 'repeated';
  change(store, move, add);
  store.use('keys');
  store.keys.set(key, move);
  return 'settled';
});
export const WITHOUT_KEY = books((_, move, store, { add }) => {
  change(store, move, add);
  return 'settled';
});
/** Does something else with what arrives while it works on another event. */
export const alone = (busy: () => 'repeated') =>
  books(async (key, move, store, parts) => {
    if (store.cache.has('busy')) return busy();
    store.cache.set('busy', true);
    await tick();
    store.cache.delete('busy');
    return RIGHT.book(key, move, store, parts);
  });
/** Credits bodies by hand, of which some are faulty. */
export const byHand = (
  fits: (fields: Record<string, unknown>) => boolean,
  times: number,
): Fault => ({
  async around(handle, store, body) {
    const text = textOf(body);
    const fields = /^\{.*\}\s*$/s.test(text) ? JSON.parse(text) : {};
    if (!fits(fields)) return handle();
    const amount = new Decimal(`${fields.actualDepositAmount}`).times(times);
    change(store, { account: 'by hand', currency: `${fields.depositCurrency}`, amount });
    return { status: 200, text: '' };
  },
});
