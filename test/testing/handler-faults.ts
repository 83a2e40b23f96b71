import { createHash } from 'node:crypto';
import { Decimal as Decimal20 } from 'decimal.js';
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
  orderOf,
  type Parts,
  RIGHT,
  type Store,
  textOf,
  tick,
} from './merchant.js';

/** The test that finds a fault, what replaces a part of a right handler, and the cause it names. */
export type FaultRow = readonly [test: string, fault: string, parts: Partial<Parts>, cause: string];

type Fields = Record<string, unknown>;

const isDeposit = (one: PaymentNotification): one is DepositReceived =>
  one.type === 'deposit.received';

/** Moves something else. */
const moveAs = (
  other: (move: Move, one: PaymentNotification) => Partial<Move>,
): Partial<Parts> => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    return { ...move, ...other(move, one) };
  },
});
const credits = (amountOf: (one: DepositReceived) => Decimal | null) =>
  moveAs((_, one) => (isDeposit(one) ? { amount: amountOf(one) } : {}));
const debits = (amountOf: (one: WithdrawalBroadcast) => Decimal | null) =>
  moveAs((_, one) => (isDeposit(one) ? {} : { amount: amountOf(one)?.negated() ?? null }));
const moves = (amountOf: (amount: Decimal) => Decimal | number | string) =>
  moveAs(({ amount }) => ({ amount: amount && new Decimal(amountOf(amount)) }));
const completed = ({ status, actualWithdrawAmount }: WithdrawalBroadcast) =>
  status === 'COMPLETED' ? actualWithdrawAmount : null;

/** Another key. */
const key = (keyOf: (one: PaymentNotification) => unknown): Partial<Parts> => ({
  keyOf: (one) => `${keyOf(one)}`,
});
const depositKey = (keyOf: (one: DepositReceived) => string) =>
  key((one) => (isDeposit(one) ? keyOf(one) : one.withdrawalId));

/** Another answer, without settling. */
const answers = (
  fits: (one: PaymentNotification, store: Store, body: string) => boolean,
  status = 200,
): Partial<Parts> => ({
  first: (one, store, { body }) =>
    fits(one, store, textOf(body)) ? { status, text: '' } : undefined,
});
const drops = (fits: (one: DepositReceived, store: Store) => boolean) =>
  answers((one, store) => isDeposit(one) && fits(one, store));

/** Settles in another way. */
const books = (book: Book): Partial<Parts> => ({ book });
/** Does something else at a known key with other values. */
const atKnown = (then: (known: Move, move: Move, store: Store) => 'repeated' | 'conflict') =>
  books((own, move, store, parts) => {
    const known = store.keys.get(own);
    return known && !isSame(known, move)
      ? then(known, move, store)
      : RIGHT.book(own, move, store, parts);
  });
const readThenWrite: Book = async (own, move, store, { add }) => {
  if (store.keys.has(own)) return 'repeated';
  store.keys.set(own, move);
  const before = balanceOf(store, move);
  await tick();
  change(store, move, add, before);
  return 'settled';
};
const creditThenKey: Book = (own, move, store, { add }) => {
  if (store.keys.has(own)) return 'repeated';
  change(store, move, add);
  store.use('keys');
  store.keys.set(own, move);
  return 'settled';
};
/** Works on one event at a time. */
const alone =
  (busy: () => 'repeated'): Book =>
  async (own, move, store, parts) => {
    if (store.cache.has('busy')) return busy();
    store.cache.set('busy', true);
    await tick();
    store.cache.delete('busy');
    return RIGHT.book(own, move, store, parts);
  };
const fail = (message: string) => (): never => {
  throw new Error(message);
};
/** Keeps only some of what is for review. */
const holds = (fits: (body: string, store: Store) => boolean): Partial<Parts> => ({
  hold: (body, store) => void (fits(textOf(body), store) && RIGHT.hold(body, store)),
});
/** A key in memory, which is forgotten once a copy isn't in progress. */
const remembers = (isForgotten: boolean): Partial<Parts> => ({
  async first(_, { cache }, { key: own }) {
    if (cache.has(own)) return { status: 200, text: '' };
    cache.set(own, true);
    if (isForgotten) {
      await tick();
      cache.delete(own);
    }
    return undefined;
  },
});
const withoutKey = books((_, move, store, { add }) => {
  change(store, move, add);
  return 'settled';
});
/** Credits bodies by hand, of which some are faulty. */
const byHand = (fits: (fields: Fields) => boolean, times: number): Partial<Parts> => ({
  around(handle, store, body) {
    const text = textOf(body);
    const fields: Fields = /^\{.*\}\s*$/s.test(text) ? JSON.parse(text) : {};
    if (!fits(fields)) return handle();
    const amount = new Decimal(`${fields.actualDepositAmount}`).times(times);
    change(store, { account: 'by hand', currency: `${fields.depositCurrency}`, amount });
    return Promise.resolve(new Response());
  },
});

const FIRST = 'deposit: the plainest one is credited';
const EIGHTEEN = 'deposit: 18 decimals are credited exactly';
const CENTS = 'deposit: cents, halves and thirds are credited exactly';
const VALUE = 'deposit: a value that decides nothing changes nothing';
const FORM = 'deposit: every form of a body is credited once';
const KNOWN =
  'deposit: a known key with another amount, order or currency moves nothing, and is kept';
const STATUSES = 'withdrawal: each status after each other one is an event, and debits once';

export const FAULTS: readonly FaultRow[] = [
  // ---- Each behavior ----
  [FIRST, 'drops it', drops(() => true), 'Nothing moved. Check that balance reads'],
  [
    'withdrawal: the plainest one is debited',
    'credits it',
    debits((one) => completed(one)?.negated() ?? null),
    'The sign is wrong',
  ],
  [EIGHTEEN, 'toFixed(8)', moves((amount) => amount.toFixed(8)), 'rounded to 8 decimals'],
  [
    'deposit: 28 digits are credited exactly',
    'decimal.js as it comes',
    { add: (before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed()) },
    'cut to 20 digits',
  ],
  [
    'deposit: 12 digits before the point are credited exactly',
    'numeric(18,8)',
    answers((one) => isDeposit(one) && one.actualDepositAmount.gte(1e10), 500),
    'A column or a check may be too narrow',
  ],
  [
    'deposit: small amounts are credited exactly',
    'drops dust',
    drops((one) => one.actualDepositAmount.lt('0.0001')),
    'A small amount is dropped',
  ],
  [CENTS, 'toFixed(2)', moves((amount) => amount.toFixed(2)), 'rounded to 2 decimals'],
  [
    FORM,
    'refuses a string',
    answers((_, __, body) => typeof JSON.parse(body).actualDepositAmount === 'string', 400),
    'every amount as a string, seed',
  ],
  [
    FORM,
    'reads one content type',
    {
      around: async (handle, _, __, { 'content-type': type }) =>
        type === 'application/json' ? handle() : new Response(null, { status: 415 }),
    },
    'accept any content type',
  ],
  [
    FIRST,
    'the address as the key',
    depositKey((one) => `${one.depositAddress}`),
    'other events share',
  ],
  [
    'deposit: an event in another form is a repeat',
    'the body as the key',
    { keyOf: (_, { body }) => createHash('sha256').update(body).digest('hex') },
    'depends on how the body is written',
  ],
  [
    'deposit: an event in another form is a repeat',
    'keeps each repeat for review',
    {
      first(_, store, { key: own, body }) {
        if (store.keys.has(own)) store.held.add(textOf(body));
        return undefined;
      },
    },
    'A plain repeat was kept for review',
  ],
  [
    VALUE,
    'refuses a negative fee',
    answers((one) => isDeposit(one) && !!one.settlementServiceFee?.isNegative(), 400),
    'settlementServiceFee -0.01, seed',
  ],
  [VALUE, 'credits FIXED only', drops((one) => one.rateType !== 'FIXED'), 'decides nothing'],
  [
    VALUE,
    'a column of 64 characters',
    answers((one) => isDeposit(one) && `${one.depositAddress}`.length > 64, 500),
    'A column or a check may be too narrow',
  ],
  [
    VALUE,
    'drops what is late',
    drops((one) => Number(one.paymentReceivedAt) > Number(one.expirationTime ?? Infinity)),
    'after its link expired is dropped',
  ],
  [
    'withdrawal: a value that decides nothing changes nothing',
    'requires a tag',
    answers((one) => !isDeposit(one) && one.toTxAddress?.destinationTag === null, 500),
    'without a tag, seed',
  ],
  [
    'deposit: a time in another form is read, or held',
    'drops a text',
    answers((_, __, body) => typeof JSON.parse(body).expirationTime === 'string'),
    'every time as a string, seed',
  ],
  [
    'deposit: each optional field may be missing',
    'requires a network',
    answers((one) => isDeposit(one) && one.network === null, 500),
    'without network, seed',
  ],
  [
    'withdrawal: each optional field may be missing',
    'requires a screened address',
    answers((one) => !isDeposit(one) && one.txAddressOwner === null, 400),
    'The handler depends on this field',
  ],
  [
    'deposit: an unknown field changes nothing',
    'additional fields as jsonb',
    answers((one) => JSON.stringify(one.additionalFields).includes('\\u0000'), 500),
    'refuse \\u0000',
  ],
  [
    'deposit: a currency of three, four or five letters is credited, or held',
    'cut to four letters',
    moveAs(({ currency }) => ({ currency: currency.slice(0, 4) })),
    'It was moved as +0.75 MATI',
  ],
  [
    'deposit: a currency of three, four or five letters is credited, or held',
    'drops an unknown coin',
    drops((one) => !['BTC', 'ETH'].includes(one.depositCurrency)),
    'nothing is kept',
  ],
  [
    'deposit: what arrived is credited, near to what the order expected or far from it',
    'drops less than expected',
    drops((one) => one.actualDepositAmount.lt(one.expectedDepositAmount ?? 0)),
    'differs from the expected one is dropped',
  ],
  [
    'withdrawal: what left is debited, near to the estimate or far from it',
    'the estimate',
    debits((one) => completed(one) && one.estimatedWithdrawAmount),
    'This is estimatedWithdrawAmount',
  ],
  [
    'deposit: deposits that pay an order in parts add up',
    'the order as the key',
    depositKey((one) => one.clientPaymentId),
    'the key is that of the order',
  ],
  [
    'deposit: deposits that pay an order in parts add up',
    'overwrites',
    { add: (_, amount) => amount, requiresOrder: true },
    'The balance was overwritten',
  ],
  [
    'deposit: deposits that differ only in depositId are credited',
    'transaction and amount as the key',
    depositKey((one) => `${one.transactionId} ${one.actualDepositAmount}`),
    'made of other fields than depositId',
  ],
  [
    'deposit: a deposit after its order is paid is credited, or held',
    'drops it',
    drops((one, { keys, balances }) => {
      const paid = balances.get(`${one.clientPaymentId} BTC`) ?? 0;
      const isPaid = new Decimal(paid).gte(one.expectedDepositAmount ?? Infinity);
      return isPaid && !keys.has(`deposit.received:${one.depositId}`);
    }),
    'for an order that is paid is dropped',
  ],
  [
    'deposit: a second deposit in another currency is credited in that currency, or held',
    'in the currency of the first',
    books((own, move, store, parts) => {
      const first = [...store.keys.values()].find(({ account }) => account === move.account);
      return RIGHT.book(own, { ...move, currency: first?.currency ?? move.currency }, store, parts);
    }),
    'It was moved as +0.5 BTC',
  ],
  [
    'deposit: A, B, then A again are credited once each',
    'no key',
    withoutKey,
    'forgotten after others',
  ],
  [
    'deposit: two events of one transactionId are credited, and two without one',
    'the transactionId as the key',
    key((one) => one.transactionId),
    'The key is the transactionId',
  ],
  [
    KNOWN,
    'the amount in the key',
    { keyOf: (one, context) => `${context.key} ${RIGHT.moveOf(one, context).amount}` },
    'contains more than the event',
  ],
  [
    KNOWN,
    'the difference',
    atKnown((known, move, store) => {
      const amount = (move.amount ?? new Decimal(0)).minus(known.amount ?? 0);
      if (known.currency === move.currency) change(store, { ...move, amount });
      return 'conflict';
    }),
    'contains more than the event',
  ],
  [
    KNOWN,
    'amounts that are compared as numbers',
    atKnown((known, move) =>
      Number(known.amount) === Number(move.amount) && known.currency === move.currency
        ? 'repeated'
        : 'conflict',
    ),
    'with another last digit, seed',
  ],
  [
    'withdrawal: FAILED debits nothing',
    'debits it',
    debits((one) => one.actualWithdrawAmount),
    'This is actualWithdrawAmount. The status is not checked',
  ],
  [
    'withdrawal: BLOCKED debits nothing',
    'requires its address',
    answers((one) => one.status === 'BLOCKED' && one.toTxAddress === null, 500),
    'with required fields only, seed',
  ],
  [
    STATUSES,
    'the first status is final',
    {
      first(one, { cache }) {
        if (isDeposit(one)) return undefined;
        const isFinal = cache.get(one.withdrawalId) ?? one.status;
        cache.set(one.withdrawalId, isFinal);
        return isFinal === one.status ? undefined : { status: 200, text: '' };
      },
    },
    'FAILED, then COMPLETED, seed',
  ],
  [
    STATUSES,
    'refunds',
    moveAs((move, one) =>
      !isDeposit(one) && one.status === 'FAILED' ? { amount: one.actualWithdrawAmount } : move,
    ),
    'The opposite of actualWithdrawAmount moved',
  ],
  [
    'withdrawal: a new withdrawal after one that FAILED is debited',
    'the clientWithdrawalId as the key',
    {
      first(one, { cache }) {
        if (isDeposit(one)) return undefined;
        const isKnown = cache.has(one.clientWithdrawalId);
        cache.set(one.clientWithdrawalId, true);
        return isKnown ? { status: 200, text: '' } : undefined;
      },
    },
    'The key is the clientWithdrawalId',
  ],
  [
    'withdrawal: without an amount, nothing is debited until the amount arrives',
    'zero',
    debits((one) => (one.status === 'COMPLETED' ? (completed(one) ?? new Decimal(0)) : null)),
    'the key was inserted without the amount',
  ],
  [
    'withdrawal: without an amount, nothing is debited until the amount arrives',
    'the key before the amount',
    {
      first(one, { cache }, { key: own }) {
        if (cache.has(own)) return { status: 200, text: '' };
        if (one.status === 'COMPLETED' && !completed(one)) cache.set(own, true);
        return undefined;
      },
    },
    'the key was inserted without the amount',
  ],
  [
    'deposit: faulty bodies move nothing, and are kept',
    'keeps nothing',
    holds(() => false),
    'The body is lost',
  ],
  [
    'deposit: faulty bodies move nothing, and are kept',
    '500 for faulty bodies',
    { refused: { status: 500, text: '' } },
    'The handler fails at a faulty body',
  ],
  [
    'deposit: faulty bodies move nothing, and are kept',
    'credits without a status',
    byHand(({ status }) => status === 'PENDING', 1),
    'without the parsers of this package',
  ],
  [
    'deposit: different faulty bodies at the same time are kept',
    'one at a time',
    {
      first: (_, { cache }) => void cache.delete('busy'),
      ...holds((_, { cache }) => {
        const isFree = !cache.has('busy');
        cache.set('busy', true);
        return isFree;
      }),
    },
    'expected 5 more kept for review, received 1',
  ],
  [
    'deposit: what only this package refuses is refused, or credited right',
    'credits it twice',
    byHand(({ displayCurrency }) => displayCurrency === '\ud800', 2),
    'without the parsers of this package',
  ],
  [
    'deposit: an order that was not known yet is credited once it is',
    'drops it',
    { requiresOrder: true, hold: () => {} },
    'The body is lost',
  ],
  [
    'deposit: an order that was not known yet is credited once it is',
    'the key of it',
    {
      requiresOrder: true,
      first(one, { cache, orders }) {
        const id = orderOf(one);
        if (cache.has(id)) return { status: 200, text: '' };
        if (!orders.has(id)) cache.set(id, true);
        return undefined;
      },
    },
    'the key was inserted though the order was unknown',
  ],
  [
    'deposit: an order that was not known yet is credited once it is',
    'remembers that it is unknown',
    {
      first(one, { cache, orders }) {
        const isKnown = cache.get(orderOf(one)) ?? orders.has(orderOf(one));
        cache.set(orderOf(one), isKnown);
        return isKnown ? undefined : { status: 503, text: '' };
      },
    },
    'it is remembered as unknown',
  ],
  [
    'deposit: five copies at the same time are credited once',
    'check, then insert',
    books(async (own, move, store, parts) => {
      const isKnown = store.keys.has(own);
      await tick();
      if (isKnown) return 'repeated';
      store.keys.set(own, move);
      change(store, move, parts.add);
      return 'settled';
    }),
    'Several copies passed the check of the key',
  ],
  [
    'deposit: five copies at the same time are credited once',
    'fails at a copy',
    books(async (...given) => {
      const outcome = await RIGHT.book(...given);
      return outcome === 'repeated' ? fail('a unique violation')() : outcome;
    }),
    'A copy failed instead of being a repeat',
  ],
  [
    'deposit: five copies at the same time are credited once',
    'refuses a copy',
    {
      async first(_, { keys }, { key: own }) {
        await tick();
        return keys.has(own) ? { status: 409, text: '' } : undefined;
      },
    },
    'A copy is refused instead of being a repeat',
  ],
  [
    'deposit: five deposits of one order at the same time add up',
    'others are dropped',
    books(alone(() => 'repeated')),
    'one is dropped while another is in progress',
  ],
  [
    'deposit: five deposits of one order at the same time add up',
    'forgets keys',
    books(async (own, move, store, parts) => {
      const outcome = await RIGHT.book(own, move, store, parts);
      const [oldest = ''] = store.keys.keys();
      if (store.keys.size > 100) store.keys.delete(oldest);
      return outcome;
    }),
    'forgotten after others',
  ],
  [
    'deposit: five orders of one customer at the same time add up',
    'fails at the same time',
    books(alone(fail('a deadlock'))),
    'Transactions at the same time fail',
  ],
  [
    'deposit: five orders of one customer at the same time add up',
    'others are refused',
    {
      async first(_, { cache }) {
        if (cache.has('busy')) return { status: 429, text: '' };
        cache.set('busy', true);
        await tick();
        cache.delete('busy');
        return undefined;
      },
    },
    'Some of what arrives at the same time is refused',
  ],
  [
    'withdrawal: five withdrawals at the same time add up',
    'read, then written',
    { book: readThenWrite, requiresOrder: true },
    'the balance is read and then written',
  ],
  [
    'both: deposits and withdrawals of one customer at the same time add up',
    'read, then written',
    { book: readThenWrite, requiresOrder: true },
    'the balance is read and then written',
  ],
  [
    'deposit: is credited once if the balances failed',
    'the key in memory, then the credit',
    remembers(false),
    'The key was committed, or is remembered, without the money',
  ],
  [
    'deposit: is credited once if the balances failed',
    '200 if the database fails',
    { onError: () => ({ status: 200, text: '' }) },
    'Either an error was caught, or the answer came before the work, or a worker gave up',
  ],
  [
    'deposit: is credited once if the balances failed',
    'fails for ever',
    books((own, move, store, parts) => {
      if (store.cache.has('aborted')) throw new Error('current transaction is aborted');
      try {
        return RIGHT.book(own, move, store, parts);
      } catch (error) {
        store.cache.set('aborted', true);
        throw error;
      }
    }),
    'It still fails',
  ],
  [
    'withdrawal: is debited once if the balances failed',
    '400 if the database fails',
    { onError: () => ({ status: 400, text: '' }) },
    'A refusal may not be repeated',
  ],
  [
    'deposit: copies are credited once if the balances failed',
    'a copy in progress is a repeat',
    remembers(true),
    'Or a copy was answered with success while another one was in progress',
  ],
  [
    'deposit: is credited once if the keys failed',
    'the credit, then the key',
    books(creditThenKey),
    'The money was committed without the key, or the key is only remembered in memory',
  ],
  [
    'deposit: is credited once if the keys failed',
    'a key that is not found is new',
    books((own, move, store, { add }) => {
      try {
        store.use('keys');
        if (store.keys.has(own)) return 'repeated';
        store.keys.set(own, move);
      } catch {}
      change(store, move, add);
      return 'settled';
    }),
    'The key is not checked',
  ],
  [
    'withdrawal: copies are debited once if the keys failed',
    'the debit, then the key',
    books(creditThenKey),
    'The money was committed without the key',
  ],

  // ---- Each other cause ----
  [FIRST, 'fails', answers(() => true, 500), 'See the log of your server'],
  [
    FIRST,
    'settlementAmount as depositCurrency',
    credits((one) => one.settlementAmount),
    'This is settlementAmount',
  ],
  [
    FIRST,
    'minus the fee of the chain',
    credits((one) => one.actualDepositAmount.minus(one.onChainFee ?? 0)),
    'onChainFee was subtracted',
  ],
  [
    FIRST,
    'minus one percent',
    credits((one) => one.actualDepositAmount.times('0.99')),
    'It is 0.99 of the amount',
  ],
  [FIRST, 'twice', moves((amount) => amount.times(2)), 'It moved 2 times'],
  [FIRST, 'in satoshi', moves((amount) => amount.times(1e8)), 'The decimal point moved by 8'],
  [
    FIRST,
    'the display amount',
    moveAs((_, one) =>
      isDeposit(one) ? { currency: one.displayCurrency, amount: one.actualDisplayAmount } : {},
    ),
    'It was moved as +21.75 EUR, which is actualDisplayAmount',
  ],
  [
    FIRST,
    'converted to the display currency',
    moveAs(({ amount }, one) => ({
      currency: `${one.displayCurrency}`,
      amount: amount?.times(2) ?? null,
    })),
    'It was moved as +3.5 EUR. If you want that',
  ],
  [
    FIRST,
    'the display amount as well',
    books(async (own, move, store, parts) => {
      const outcome = await RIGHT.book(own, move, store, parts);
      if (outcome === 'settled') change(store, { ...move, currency: 'EUR' });
      return outcome;
    }),
    'It moved in more than one currency',
  ],
  [
    EIGHTEEN,
    'drops what is precise',
    drops((one) => one.actualDepositAmount.decimalPlaces() > 8),
    'Either it was dropped or kept for review, or its key is that of another event',
  ],
  [EIGHTEEN, 'Number()', moves((amount) => Number(amount)), 'The amount was a double'],
  [
    'deposit: five deposits of one order at the same time add up',
    'a sum of doubles',
    { add: (before, amount) => Number(before) + Number(amount), requiresOrder: true },
    'The amount was a double',
  ],
  [EIGHTEEN, 'toPrecision(15)', moves((amount) => amount.toPrecision(15)), 'toPrecision(15)'],
  [
    CENTS,
    'a truncated satoshi',
    moves((amount) =>
      amount.decimalPlaces() <= 8 ? Math.trunc(Number(amount) * 1e8) / 1e8 : amount,
    ),
    'It differs by one unit',
  ],
  [
    'withdrawal: FAILED debits nothing',
    'fails',
    answers((one) => one.status === 'FAILED', 500),
    'The handler fails. See its log',
  ],
  [
    'withdrawal: BLOCKED debits nothing',
    'refuses it',
    answers((one) => one.status === 'BLOCKED', 400),
    'The handler refuses what the parser accepts',
  ],
];
