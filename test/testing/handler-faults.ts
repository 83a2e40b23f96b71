import { Decimal as Decimal20 } from 'decimal.js';
import { Decimal } from 'payment-notifications';
import {
  alone,
  answers,
  atKnown,
  BODY_AS_KEY,
  books,
  byHand,
  completed,
  credits,
  debits,
  depositKeyed,
  drops,
  holds,
  isDeposit,
  keyed,
  MOVE_THEN_KEY,
  moveAs,
  moves,
  READ_THEN_WRITE,
  settlesFirst,
  WITHOUT_KEY,
} from './fault-parts.js';
import { change, orderOf, type Parts, RIGHT, textOf, tick } from './merchant.js';

/** A fault, what it replaces of a right handler, and the cause that the failure names. */
type Fault = readonly [fault: string, parts: Partial<Parts>, cause: string];

const FAILED = { status: 500, text: '' };

/** The faults that each test finds, by its name. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'deposit: the plainest one is credited': [
    ['drops it', drops(() => true), 'Nothing moved. Check that balance reads'],
    ['fails', answers(() => true, 500), 'See the log of your server'],
    ['the address as the key', depositKeyed((one) => `${one.depositAddress}`), 'fields that other'],
    ['settlementAmount', credits((one) => one.settlementAmount), 'This is settlementAmount'],
    [
      'minus the fee of the chain',
      credits((one) => one.actualDepositAmount.minus(one.onChainFee ?? 0)),
      'onChainFee was subtracted',
    ],
    ['twice', moves((amount) => amount.times(2)), 'It moved 2 times'],
    ['in satoshi', moves((amount) => amount.times(1e8)), 'The decimal point moved by 8'],
    [
      'the display amount',
      moveAs((_, one) =>
        isDeposit(one) ? { currency: one.displayCurrency, amount: one.actualDisplayAmount } : {},
      ),
      'It was moved as +21.75 EUR, which is actualDisplayAmount',
    ],
    [
      'converted to the display currency',
      moveAs(({ amount }, { displayCurrency }) => ({
        ...{ currency: `${displayCurrency}`, amount: amount?.times(2) ?? null },
      })),
      'It was moved as +3.5 EUR. If you want that',
    ],
    [
      'the display amount as well',
      books(async (key, move, store, parts) => {
        const outcome = await RIGHT.book(key, move, store, parts);
        if (outcome === 'settled') change(store, { ...move, currency: 'EUR' });
        return outcome;
      }),
      'It moved in more than one currency',
    ],
  ],
  'withdrawal: the plainest one is debited': [
    ['credits it', debits((one) => completed(one)?.negated() ?? null), 'The sign is wrong'],
  ],

  // ---- The amount, and what else the body says ----
  'deposit: 18 decimals are credited exactly': [
    ['toFixed(8)', moves((amount) => amount.toFixed(8)), 'rounded to 8 decimals'],
    ['Number()', moves((amount) => Number(amount)), 'The amount was a double'],
    [
      'drops what is precise',
      drops((one) => one.actualDepositAmount.decimalPlaces() > 8),
      'Either it was dropped, or its key is that of another event',
    ],
    [
      'keeps what is precise',
      books((key, move, store, parts) =>
        `${move.amount}`.length > 10 ? 'conflict' : RIGHT.book(key, move, store, parts),
      ),
      'The body was kept for review',
    ],
  ],
  'deposit: 28 digits are credited exactly': [
    [
      'decimal.js as it comes',
      { add: (before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed()) },
      'cut to 20 digits',
    ],
  ],
  'deposit: 12 digits before the point are credited exactly': [
    [
      'numeric(18,8)',
      answers((one) => isDeposit(one) && one.actualDepositAmount.gte(1e10), 500),
      'A column or a check may be too narrow',
    ],
  ],
  'deposit: small amounts are credited exactly': [
    ['drops dust', drops((one) => one.actualDepositAmount.lt('0.0001')), 'A small amount'],
  ],
  'deposit: cents, halves and thirds are credited exactly': [
    ['toFixed(2)', moves((amount) => amount.toFixed(2)), 'rounded to 2 decimals'],
    [
      'a truncated satoshi',
      moves((amount) =>
        amount.decimalPlaces() <= 8 ? Math.trunc(Number(amount) * 1e8) / 1e8 : amount,
      ),
      'It differs by one unit',
    ],
    [
      'a sum of doubles',
      { add: (before, amount) => Number(before) + Number(amount), requiresOrder: true },
      'The amount was a double',
    ],
  ],
  'deposit: every form of a body is credited once': [
    [
      'refuses a string',
      answers((_, __, body) => typeof JSON.parse(body).actualDepositAmount === 'string', 400),
      'every amount as a string, seed',
    ],
    [
      'reads one content type',
      {
        around: async (handle, _, __, { 'content-type': type }) =>
          type === 'application/json' ? handle() : { status: 415, text: '' },
      },
      'accept any content type',
    ],
  ],
  'deposit: an event in another form is a repeat': [
    ['the body as the key', BODY_AS_KEY, 'depends on how the body is written'],
    [
      'keeps each repeat for review',
      {
        first(_, store, { key, body }) {
          if (store.keys.has(key)) store.held.add(textOf(body));
          return undefined;
        },
      },
      'A plain repeat was kept for review',
    ],
  ],
  'deposit: a value that decides nothing changes nothing': [
    [
      'refuses a negative fee',
      answers((one) => isDeposit(one) && !!one.settlementServiceFee?.isNegative(), 400),
      'settlementServiceFee -0.01, seed',
    ],
    ['credits FIXED only', drops((one) => one.rateType !== 'FIXED'), 'decides nothing'],
    [
      'a column of 64 characters',
      answers((one) => isDeposit(one) && `${one.depositAddress}`.length > 64, 500),
      'A column or a check may be too narrow',
    ],
    [
      'drops what is late',
      drops((one) => Number(one.paymentReceivedAt) > Number(one.expirationTime ?? Infinity)),
      'dropped because it is late',
    ],
  ],
  'withdrawal: a value that decides nothing changes nothing': [
    [
      'requires a tag',
      answers((one) => !isDeposit(one) && one.toTxAddress?.destinationTag === null, 500),
      'without a tag, seed',
    ],
  ],
  'deposit: each optional field may be missing': [
    [
      'requires a network',
      answers((one) => isDeposit(one) && one.network === null, 500),
      'without network, seed',
    ],
  ],
  'withdrawal: each optional field may be missing': [
    [
      'requires a screened address',
      answers((one) => !isDeposit(one) && one.txAddressOwner === null, 400),
      'The handler depends on this field',
    ],
  ],
  'deposit: an unknown field changes nothing': [
    [
      'additional fields as jsonb',
      answers((one) => JSON.stringify(one.additionalFields).includes('\\u0000'), 500),
      'refuse \\u0000',
    ],
  ],
  'deposit: a currency of three, four or five letters is credited, or held': [
    [
      'cut to four letters',
      moveAs(({ currency }) => ({ currency: currency.slice(0, 4) })),
      'depositCurrency MATIC, seed',
    ],
    [
      'drops an unknown coin',
      drops((one) => !['BTC', 'ETH'].includes(one.depositCurrency)),
      'Its currency is cut off, unknown',
    ],
  ],
  'deposit: what arrived is credited, near to what the order expected or far from it': [
    [
      'drops less than expected',
      drops((one) => one.actualDepositAmount.lt(one.expectedDepositAmount ?? 0)),
      'not what the order expects',
    ],
  ],
  'withdrawal: what left is debited, near to the estimate or far from it': [
    [
      'the estimate',
      debits((one) => completed(one) && one.estimatedWithdrawAmount),
      'This is estimatedWithdrawAmount',
    ],
  ],
  'deposit: a time in another form is read, or held': [
    [
      'drops a text',
      answers((_, __, body) => typeof JSON.parse(body).expirationTime === 'string'),
      'every time as a string, seed',
    ],
  ],
  'deposit: deposits that pay an order in parts add up': [
    ['the order as the key', depositKeyed((one) => one.clientPaymentId), 'the key is that of the'],
    ['overwrites', { add: (_, amount) => amount, requiresOrder: true }, 'was overwritten'],
  ],
  'deposit: deposits that differ only in depositId are credited': [
    [
      'transaction and amount as the key',
      depositKeyed((one) => `${one.transactionId} ${one.actualDepositAmount}`),
      'The key is made of fields that other events share',
    ],
  ],
  'deposit: a deposit after its order is paid is credited, or held': [
    [
      'drops it',
      drops((one, { keys, balances }) => {
        const paid = balances.get(`${one.clientPaymentId} BTC`) ?? 0;
        const isPaid = new Decimal(paid).gte(one.expectedDepositAmount ?? Infinity);
        return isPaid && !keys.has(`deposit.received:${one.depositId}`);
      }),
      'not what the order expects',
    ],
  ],
  'deposit: a second deposit in another currency is credited in that currency, or held': [
    [
      'in the currency of the first',
      books((key, move, store, parts) => {
        const first = [...store.keys.values()].find(({ account }) => account === move.account);
        const currency = first?.currency ?? move.currency;
        return RIGHT.book(key, { ...move, currency }, store, parts);
      }),
      'It was moved as +0.5 BTC',
    ],
  ],

  // ---- The key ----
  'deposit: A, B, then A again are credited once each': [
    ['no key', WITHOUT_KEY, 'forgotten after others'],
  ],
  'deposit: two events of one transactionId are credited, and two without one': [
    ['the transactionId as the key', keyed((one) => one.transactionId), 'that other events share'],
  ],
  'deposit: a known key with another amount, order or currency moves nothing, and is kept': [
    [
      'the amount in the key',
      { keyOf: (one, context) => `${context.key} ${RIGHT.moveOf(one, context).amount}` },
      'contains more than the event',
    ],
    [
      'the difference',
      atKnown((known, move, store) => {
        const amount = (move.amount ?? new Decimal(0)).minus(known.amount ?? 0);
        if (known.currency === move.currency) change(store, { ...move, amount });
        return 'conflict';
      }),
      'contains more than the event',
    ],
    [
      'amounts that are compared as numbers',
      atKnown((known, move) =>
        Number(known.amount) === Number(move.amount) && known.currency === move.currency
          ? 'repeated'
          : 'conflict',
      ),
      'with another last digit, seed',
    ],
  ],
  'withdrawal: FAILED debits nothing': [
    ['debits it', debits((one) => one.actualWithdrawAmount), 'The status is not checked'],
    ['fails', answers((one) => one.status === 'FAILED', 500), 'The handler fails. See its log'],
  ],
  'withdrawal: BLOCKED debits nothing': [
    [
      'requires its address',
      answers((one) => one.status === 'BLOCKED' && one.toTxAddress === null, 500),
      'with required fields only, seed',
    ],
    [
      'refuses it',
      answers((one) => one.status === 'BLOCKED', 400),
      'The handler refuses what the parser accepts',
    ],
  ],
  'withdrawal: each status after each other one is an event, and debits once': [
    [
      'the first status is final',
      {
        first(one, { cache }) {
          if (isDeposit(one)) return undefined;
          const final = cache.get(one.withdrawalId) ?? one.status;
          cache.set(one.withdrawalId, final);
          return final === one.status ? undefined : { status: 200, text: '' };
        },
      },
      'FAILED, then COMPLETED, seed',
    ],
    [
      'refunds',
      debits((one) =>
        one.status === 'FAILED' ? (one.actualWithdrawAmount?.negated() ?? null) : completed(one),
      ),
      'and undo nothing',
    ],
  ],
  'withdrawal: a new withdrawal after one that FAILED is debited': [
    [
      'the clientWithdrawalId as the key',
      settlesFirst((one) => (isDeposit(one) ? undefined : one.clientWithdrawalId)),
      'The key is made of fields that other events share',
    ],
  ],
  'withdrawal: without an amount, nothing is debited until the amount arrives': [
    [
      'zero',
      debits((one) => (one.status === 'COMPLETED' ? (completed(one) ?? new Decimal(0)) : null)),
      'the key was inserted without the amount',
    ],
    [
      'the estimate',
      debits((one) => completed({ ...one, actualWithdrawAmount: one.estimatedWithdrawAmount })),
      'its amount is null',
    ],
    [
      'the key before the amount',
      {
        first(one, { cache }, { key }) {
          if (cache.has(key)) return { status: 200, text: '' };
          if (one.status === 'COMPLETED' && !completed(one)) cache.set(key, true);
          return undefined;
        },
      },
      'the key was inserted without the amount',
    ],
  ],

  // ---- What can't be settled, or not yet ----
  'deposit: faulty bodies move nothing, and are kept': [
    ['keeps nothing', holds(() => false), 'The body is lost'],
    ['500 for faulty bodies', { refused: FAILED }, 'Store a faulty body for review'],
    ['credits without a status', byHand(({ status }) => status === 'PENDING', 1), 'the parsers of'],
  ],
  'deposit: different faulty bodies at the same time are kept': [
    [
      'one at a time',
      {
        first: (_, { cache }) => void cache.delete('busy'),
        ...holds(({ cache }) => !cache.has('busy') && !!cache.set('busy', true)),
      },
      'expected 5 more kept for review, received 1',
    ],
  ],
  'deposit: what only this package refuses is refused, or credited right': [
    [
      'credits it twice',
      byHand(({ displayCurrency }) => displayCurrency === '\ud800', 2),
      'without the parsers of this package',
    ],
    [
      'drops it',
      byHand(({ displayCurrency }) => displayCurrency === '\ud800', 0),
      'expected 1 more kept for review, received 0',
    ],
  ],
  'deposit: an order that was not known yet is credited once it is': [
    ['drops it', { requiresOrder: true, hold: () => {} }, 'The body is lost'],
    [
      'the key of it',
      {
        requiresOrder: true,
        ...settlesFirst((one, _, { cache, orders }) => {
          const id = orderOf(one);
          return cache.has(id) || !orders.has(id) ? id : undefined;
        }),
      },
      'the key was inserted though the order was unknown',
    ],
    [
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
  ],

  // ---- At the same time ----
  'deposit: five copies at the same time are credited once': [
    [
      'check, then insert',
      books(async (key, move, store, { add }) => {
        const isKnown = store.keys.has(key);
        await tick();
        if (isKnown) return 'repeated';
        store.keys.set(key, move);
        change(store, move, add);
        return 'settled';
      }),
      'Several copies passed the check of the key',
    ],
    [
      'fails at a copy',
      books(async (...given) => {
        const outcome = await RIGHT.book(...given);
        if (outcome === 'repeated') throw new Error('a unique violation');
        return outcome;
      }),
      'A copy failed instead of being a repeat',
    ],
    [
      'refuses a copy',
      {
        async first(_, { keys }, { key }) {
          await tick();
          return keys.has(key) ? { status: 409, text: '' } : undefined;
        },
      },
      'A copy is refused instead of being a repeat',
    ],
  ],
  'deposit: five deposits of one order at the same time add up': [
    ['others are dropped', alone(() => 'repeated'), 'one is dropped while another is in progress'],
    [
      'forgets keys',
      books(async (key, move, store, parts) => {
        const outcome = await RIGHT.book(key, move, store, parts);
        const [oldest = ''] = store.keys.keys();
        if (store.keys.size > 10) store.keys.delete(oldest);
        return outcome;
      }),
      'forgotten after others',
    ],
  ],
  'deposit: five orders of one customer at the same time add up': [
    [
      'fails at the same time',
      alone(() => {
        throw new Error('a deadlock');
      }),
      'Transactions at the same time fail',
    ],
    [
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
  ],
  'withdrawal: five withdrawals at the same time add up': [
    ['read, then written', READ_THEN_WRITE, 'the balance is read and then written'],
  ],
  'both: deposits and withdrawals of one customer at the same time add up': [
    ['read, then written', READ_THEN_WRITE, 'the balance is read and then written'],
  ],

  // ---- While a part of the database fails ----
  'deposit: is credited once if the balances failed': [
    [
      'the key in memory, then the credit',
      settlesFirst((_, key) => key),
      'The key was committed, or is remembered, without the money',
    ],
    [
      '200 if the database fails',
      { onError: () => ({ status: 200, text: '' }) },
      'Either an error was caught, or the answer came before the work, or a worker gave up',
    ],
    [
      'fails for ever',
      books((key, move, store, parts) => {
        if (store.cache.has('aborted')) throw new Error('current transaction is aborted');
        try {
          return RIGHT.book(key, move, store, parts);
        } catch (error) {
          store.cache.set('aborted', true);
          throw error;
        }
      }),
      'It still fails',
    ],
  ],
  'withdrawal: is debited once if the balances failed': [
    [
      '400 if the database fails',
      { onError: () => ({ status: 400, text: '' }) },
      'A refusal may not be repeated',
    ],
  ],
  'deposit: copies are credited once if the balances failed': [
    [
      'a copy in progress is a repeat',
      {
        async first(_, { cache }, { key }) {
          if (cache.has(key)) return { status: 200, text: '' };
          cache.set(key, true);
          await tick();
          cache.delete(key);
          return undefined;
        },
      },
      'Or a copy was answered with success while another one was in progress',
    ],
  ],
  'deposit: is credited once if the keys failed': [
    ['the credit, then the key', MOVE_THEN_KEY, 'The money was committed without the key'],
    [
      'a key that is not found is new',
      books((key, move, store, { add }) => {
        try {
          store.use('keys');
          if (store.keys.has(key)) return 'repeated';
          store.keys.set(key, move);
        } catch {}
        change(store, move, add);
        return 'settled';
      }),
      'The key is not checked',
    ],
  ],
  'withdrawal: copies are debited once if the keys failed': [
    ['the debit, then the key', MOVE_THEN_KEY, 'The money was committed without the key'],
  ],
};
