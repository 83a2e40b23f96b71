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

/** What a fault replaces of a correct handler. */
type Fault = Partial<Parts>;
/** A fault, what it replaces, and the cause that the failure names. */
export type FaultRow = readonly [fault: string, parts: Fault, cause: string];
/** The fields of either notification: a test sends only one type. */
type Fields = Readonly<
  Omit<DepositReceived, 'type' | 'status'> & Omit<WithdrawalBroadcast, 'type' | 'status'>
> & { readonly status: string };
const fieldsOf = (one: PaymentNotification) => one as unknown as Fields;

// ---- Another amount, or another key ----

export const moves = (
  other: (move: Move & { readonly amount: Decimal }, one: Fields) => Partial<Move>,
): Fault => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    const { amount } = move;
    return amount === null ? move : { ...move, ...other({ ...move, amount }, fieldsOf(one)) };
  },
});
export const credits = (amountOf: (amount: Decimal, one: Fields) => Decimal | number | string) =>
  moves(({ amount }, one) => ({ amount: new Decimal(amountOf(amount, one)) }));
export const debits = (amountOf: (one: Fields) => Decimal | null): Fault => ({
  moveOf(one, context) {
    const amount = amountOf(fieldsOf(one))?.negated() ?? null;
    return { ...RIGHT.moveOf(one, context), amount };
  },
});
export const keyed = (keyOf: (one: Fields) => unknown): Fault => ({
  keyOf: (one) => `${keyOf(fieldsOf(one))}`,
});
export const BODY_AS_KEY: Fault = {
  keyOf: (_, { body }) => createHash('sha256').update(body).digest('hex'),
};

export const SUM_OF_DOUBLES: Fault = {
  requiresOrder: true,
  add: (before, amount) => Number(before) + Number(amount),
};

// ---- Another answer, without settling ----

type Fits = (one: Fields, store: Store) => boolean;
const answers =
  (status: number) =>
  (fits: Fits): Fault => ({
    first: (one, store) => (fits(fieldsOf(one), store) ? { status, text: '' } : undefined),
  });
export const drops = answers(200);
export const refuses = answers(400);
export const fails = answers(500);
/** Answers by the JSON of the body. */
export const reads = (
  fits: (json: Readonly<Record<string, unknown>>) => boolean,
  status: number,
): Fault => ({
  first: (_, __, { body }) => (fits(JSON.parse(textOf(body))) ? { status, text: '' } : undefined),
});
/** Settles only the first of what has one name. Null has no name. */
export const settlesFirst = (
  nameOf: (one: Fields, key: string, store: Store) => string | null,
): Fault => ({
  first(one, store, { key }) {
    const name = nameOf(fieldsOf(one), key, store);
    if (name !== null && store.cache.has(name)) return { status: 200, text: '' };
    if (name !== null) store.cache.set(name, true);
    return undefined;
  },
});
/** Answers what arrives while it looks at something else. */
export const refusesWhile = (status: number, busyOf: (key: string) => string): Fault => ({
  async first(_, { cache }, { key }) {
    const busy = busyOf(key);
    if (cache.has(busy)) return { status, text: '' };
    cache.set(busy, true);
    await tick();
    cache.delete(busy);
    return undefined;
  },
});
/** Deposits and withdrawals in a currency lock its rows in different orders. */
export const DEADLOCKS: Fault = {
  async first(one, { cache }, context) {
    const { currency } = RIGHT.moveOf(one, context);
    if (cache.has(currency) && cache.get(currency) !== one.type) return { status: 500, text: '' };
    cache.set(currency, one.type);
    await tick();
    cache.delete(currency);
    return undefined;
  },
};
/** Keeps only some of what is for review. */
export const holds = (fits: (store: Store) => boolean): Fault => ({
  hold: (body, store) => void (fits(store) && RIGHT.hold(body, store)),
});

// ---- Another way to settle ----

export const books = (book: Book): Fault => ({ book });
/** Does something else at a known key with other values. */
const atKnown = (then: (known: Move, move: Move, store: Store) => 'repeated' | 'conflict') =>
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
export const CHECK_THEN_INSERT = books(async (key, move, store, { add }) => {
  const isKnown = store.keys.has(key);
  await tick();
  if (isKnown) return 'repeated';
  store.keys.set(key, move);
  change(store, move, add);
  return 'settled';
});
export const FAILS_AT_COPY = books(async (...given) => {
  const outcome = await RIGHT.book(...given);
  if (outcome === 'repeated') throw new Error('a unique violation');
  return outcome;
});
export const FORGETS_KEYS = books(async (key, move, store, parts) => {
  const outcome = await RIGHT.book(key, move, store, parts);
  const [oldest = ''] = store.keys.keys();
  if (store.keys.size > 10) store.keys.delete(oldest);
  return outcome;
});
export const FAILS_FOREVER = books((key, move, store, parts) => {
  if (store.cache.has('aborted')) throw new Error('current transaction is aborted');
  try {
    return RIGHT.book(key, move, store, parts);
  } catch (error) {
    store.cache.set('aborted', true);
    throw error;
  }
});
export const IGNORES_FAILING_KEYS = books((key, move, store, { add }) => {
  try {
    store.use('keys');
    if (store.keys.has(key)) return 'repeated';
    store.keys.set(key, move);
  } catch {}
  change(store, move, add);
  return 'settled';
});
export const IN_CURRENCY_OF_FIRST = books((key, move, store, parts) => {
  const first = [...store.keys.values()].find(({ account }) => account === move.account);
  const currency = first?.currency ?? move.currency;
  return RIGHT.book(key, { ...move, currency }, store, parts);
});
export const BOTH_CURRENCIES = books(async (key, move, store, parts) => {
  const outcome = await RIGHT.book(key, move, store, parts);
  if (outcome === 'settled') change(store, { ...move, currency: 'EUR' });
  return outcome;
});
export const MOVES_DIFFERENCE = atKnown((known, move, store) => {
  const amount = (move.amount ?? new Decimal(0)).minus(known.amount ?? 0);
  if (known.currency === move.currency) change(store, { ...move, amount });
  return 'conflict';
});
export const COMPARES_NUMBERS = atKnown((known, move) =>
  Number(known.amount) === Number(move.amount) && known.currency === move.currency
    ? 'repeated'
    : 'conflict',
);
