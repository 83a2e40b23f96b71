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
} from './old-merchant.js';

/** A fault, what replaces a part of a right handler, and the cause that the test names. */
export type FaultRow = readonly [fault: string, parts: Partial<Parts>, cause: string];

// ---- What replaces a part ----

type Fields = Record<string, unknown>;
type AmountOf<T> = (notification: T, fields: Fields) => Decimal | null;

const isDeposit = (one: PaymentNotification): one is DepositReceived =>
  one.type === 'deposit.received';

/** Moves something else. */
const moveAs = (
  other: (move: Move, one: PaymentNotification, fields: Fields) => Partial<Move>,
): Partial<Parts> => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    return { ...move, ...other(move, one, JSON.parse(textOf(context.body))) };
  },
});
const credits = (amountOf: AmountOf<DepositReceived>) =>
  moveAs((_, one, fields) => (isDeposit(one) ? { amount: amountOf(one, fields) } : {}));
const debits = (amountOf: AmountOf<WithdrawalBroadcast>) =>
  moveAs((_, one, fields) =>
    isDeposit(one) ? {} : { amount: amountOf(one, fields)?.negated() ?? null },
  );
const moves = (amountOf: (amount: Decimal) => Decimal | number | string) =>
  moveAs(({ amount }) => ({ amount: amount && new Decimal(amountOf(amount)) }));
const completed = ({ status, actualWithdrawAmount }: WithdrawalBroadcast) =>
  status === 'COMPLETED' ? actualWithdrawAmount : null;

/** Another key, of deposits, withdrawals or both. */
const key = (keyOf: Parts['keyOf']): Partial<Parts> => ({ keyOf });
const depositKey = (keyOf: (one: DepositReceived) => unknown) =>
  key((one, context) => (isDeposit(one) ? `${keyOf(one)}` : context.key));
const withdrawalKey = (keyOf: (one: WithdrawalBroadcast) => unknown) =>
  key((one, context) => (isDeposit(one) ? context.key : `${keyOf(one)}`));

/** Another answer, without settling. */
const answers = (
  fits: (one: PaymentNotification, store: Store) => boolean,
  status = 200,
): Partial<Parts> => ({
  first: (one, store) => (fits(one, store) ? { status, text: '' } : undefined),
});
const requires = (name: string, status = 500) =>
  answers((one) => name in one && Object(one)[name] === null, status);
const drops = (fits: (one: DepositReceived, store: Store) => boolean) =>
  answers((one, store) => isDeposit(one) && fits(one, store));
const paid = (one: DepositReceived, store: Store) =>
  store.balances.get(`${one.clientPaymentId} ${one.depositCurrency}`) ?? 0;

/** Settles in another way. */
const books = (book: Book): Partial<Parts> => ({ book });
/** Like the right one, but what it returns at a known key. */
const atKnown = (then: (known: Move, move: Move, store: Store) => 'repeated' | 'conflict') =>
  books((own, move, store, parts) => {
    const known = store.keys.get(own);
    return known && !isSame(known, move)
      ? then(known, move, store)
      : RIGHT.book(own, move, store, parts);
  });
const firstOf = (store: Store, { account }: Move) =>
  [...store.keys.values()].find((known) => known.account === account);
/** A cache of the last keys. */
const lastKeys = (count: number) =>
  books((own, move, store, parts) => {
    const outcome = RIGHT.book(own, move, store, parts);
    const [oldest = ''] = store.keys.keys();
    if (store.keys.size > count) store.keys.delete(oldest);
    return outcome;
  });
const readThenWrite: Book = async (own, move, store, { add }) => {
  if (store.keys.has(own)) return 'repeated';
  store.keys.set(own, move);
  const before = balanceOf(store, move);
  await tick();
  change(store, move, add, before);
  return 'settled';
};
const keyThenCredit: Book = (own, move, store, { add }) => {
  store.use('keys');
  if (store.keys.has(own)) return 'repeated';
  store.keys.set(own, move);
  change(store, move, add);
  return 'settled';
};
const creditThenKey: Book = (own, move, store, { add }) => {
  if (store.keys.has(own)) return 'repeated';
  change(store, move, add);
  store.use('keys');
  store.keys.set(own, move);
  return 'settled';
};
/** Without a key. */
const addOnly: Book = (_, move, store, { add }) => {
  change(store, move, add);
  return 'settled';
};
/** Keeps only some of what is for review. */
const holds = (fits: (body: string, store: Store) => boolean): Partial<Parts> => ({
  hold: (body, store) => void (fits(textOf(body), store) && RIGHT.hold(body, store)),
});
const isJson = (text: string) => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

// ---- The causes ----

const DOUBLE = 'The amount was a double. Look for Number(), parseFloat(), JSON.parse';
const COPIED = 'Several copies passed the check of the key. Insert it into a unique column';
const RACE = 'Either the balance is read and then written';
const LATE_KEY = 'The key was committed, or is remembered, without the change of the balance';
const LATE_BALANCE = 'The change of the balance was committed without the key';
const ACCEPTED = 'Either an error was caught, or the answer came before the work';
const REQUIRED = 'The handler depends on this field';
const FORGOTTEN = 'The key is not checked, or forgotten after others';
const ENCODING = 'This encoding is refused or not read';
const NARROW = 'A column or a check may be too narrow';
const REPEATED = 'The key is not checked, or depends on how the body is written';
const MORE = 'contains more than the event';
const OTHER_KEY = 'Either the key is made of other fields than depositId';
const ORDER_KEY = 'Either the key is that of the order';
const TRANSACTION = 'The key is the transactionId';
const STATUS = 'The status is not checked';
const LESS = 'What is less or more than expected is dropped';
const NEW_ORDER = 'Either the key was inserted though the order was unknown';
const LOST = 'The body is lost';
const rounded = (decimals: number) => `rounded to ${decimals} decimals`;

/** By the test that finds them. */
export const FAULTS: Readonly<Record<string, readonly FaultRow[]>> = {
  'deposit: 18 decimals are credited exactly': [
    ['Number()', { add: (before, amount) => Number(before) + Number(amount) }, DOUBLE],
    ['parseFloat(), then Decimal', moves((amount) => Number.parseFloat(`${amount}`)), DOUBLE],
    ['toDecimalPlaces(5)', moves((amount) => amount.toDecimalPlaces(5)), rounded(5)],
    ['toFixed(6)', moves((amount) => amount.toFixed(6)), rounded(6)],
    ['toFixed(7)', moves((amount) => amount.toFixed(7)), rounded(7)],
    ['numeric(20,8)', moves((amount) => amount.toFixed(8)), rounded(8)],
    ['toPrecision(15)', moves((amount) => amount.toPrecision(15)), 'toPrecision(15)'],
    ['real', moves((amount) => Math.fround(amount.toNumber())), 'a number of 32 bits'],
    ['real as text', moves((amount) => amount.toPrecision(8)), rounded(4)],
    ['a sum of real', { add: (a, b) => Math.fround(Number(a) + Number(b)) }, 'a number of 32 bits'],
    ['whole coins', moves((amount) => amount.trunc()), rounded(0)],
    ['whole units by parseInt', moves((amount) => Number.parseInt(`${amount}`, 10)), rounded(0)],
    ['20 characters', moves((amount) => `${amount}`.slice(0, 20)), rounded(15)],
    ['rounded up', moves((amount) => amount.toDecimalPlaces(8, Decimal.ROUND_UP)), rounded(8)],
  ],
  'withdrawal: 18 decimals are debited exactly': [
    [
      'Math.round of satoshi',
      moves((amount) => Math.round(Number(amount) * 1e8) / 1e8),
      rounded(8),
    ],
    [
      'Number() of the debit',
      debits((one) => completed(one) && new Decimal(Number(completed(one)))),
      DOUBLE,
    ],
  ],
  'deposit: 28 digits are credited exactly': [
    ['JSON.parse()', credits((_, fields) => new Decimal(`${fields.actualDepositAmount}`)), DOUBLE],
    [
      'decimal.js as it comes',
      { add: (before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed()) },
      'cut to 20 digits',
    ],
    ['toFixed(8)', moves((amount) => amount.toFixed(8)), rounded(8)],
  ],
  'deposit: 12 digits before the point are credited exactly': [
    [
      'ten digits before the point',
      moves((amount) => amount.modulo('1e10')),
      'Its first digits are lost',
    ],
    [
      'numeric(18,8)',
      answers((one) => Number(RIGHT.moveOf(one, {} as never).amount) >= 1e10, 500),
      NARROW,
    ],
    [
      'at most 99999999.99',
      moves((amount) => Decimal.min(amount, '99999999.99')),
      'received +99999999.99 BTC',
    ],
  ],
  'deposit: small amounts are credited exactly': [
    [
      'an exponent cut off',
      credits(
        (_, { actualDepositAmount: text }) => new Decimal(/^[\d.]+/.exec(`${text}`)?.[0] ?? 0),
      ),
      'an exponent is not read',
    ],
    [
      'refuses an exponent',
      {
        first: (_, __, { body }) =>
          /:\s*"?[\d.]+e-?\d/i.test(textOf(body)) ? { status: 400, text: '' } : undefined,
      },
      'its exponent is not read',
    ],
    [
      'drops dust',
      drops((one) => one.actualDepositAmount.lessThan('0.0001')),
      'A small amount is dropped',
    ],
    [
      'refuses dust',
      answers((one) => isDeposit(one) && one.actualDepositAmount.lessThan('0.000001'), 400),
      'A small amount is dropped',
    ],
  ],
  'deposit: cents, halves and thirds are credited exactly': [
    ['toFixed(2)', moves((amount) => amount.toFixed(2)), rounded(2)],
    ['toFixed(3)', moves((amount) => amount.toFixed(3)), rounded(3)],
    ['cents cut off', moves((amount) => amount.toDecimalPlaces(2, Decimal.ROUND_DOWN)), rounded(2)],
    [
      'a truncated cent',
      moves((amount) =>
        amount.decimalPlaces() === 2 ? Math.trunc(Number(amount) * 100) / 100 : amount,
      ),
      'It differs by one unit',
    ],
    [
      'a truncated satoshi',
      moves((amount) =>
        amount.decimalPlaces() <= 8 ? Math.trunc(Number(amount) * 1e8) / 1e8 : amount,
      ),
      'It differs by one unit',
    ],
    ['Math.round of cents', moves((amount) => Math.round(Number(amount) * 100) / 100), rounded(2)],
  ],
  'deposit: what arrived is credited, near to what the order expected or far from it': [
    [
      'what the order expected, if it is near',
      credits(({ actualDepositAmount: actual, expectedDepositAmount: expected }) =>
        expected?.minus(actual).abs().lessThan(expected.times('0.01')) ? expected : actual,
      ),
      'This is expectedDepositAmount',
    ],
    [
      'at most what the order expected',
      credits(({ actualDepositAmount: actual, expectedDepositAmount: expected }) =>
        Decimal.min(expected ?? actual, actual),
      ),
      'This is expectedDepositAmount',
    ],
    [
      'at least what the order expected',
      credits(({ actualDepositAmount: actual, expectedDepositAmount: expected }) =>
        Decimal.max(expected ?? actual, actual),
      ),
      'This is expectedDepositAmount',
    ],
    [
      'drops less than expected',
      drops((one) => one.actualDepositAmount.lessThan(one.expectedDepositAmount ?? 0)),
      LESS,
    ],
    [
      'drops half',
      drops((one) => one.actualDepositAmount.times(2).lte(one.expectedDepositAmount ?? 0)),
      LESS,
    ],
    [
      'drops more than expected',
      drops((one) =>
        one.actualDepositAmount.greaterThan(one.expectedDepositAmount?.times('1.5') ?? 1e30),
      ),
      LESS,
    ],
  ],
  'withdrawal: what left is debited, near to the estimate or far from it': [
    [
      'the estimate',
      debits((one) => (one.status === 'COMPLETED' ? one.estimatedWithdrawAmount : null)),
      'This is estimatedWithdrawAmount',
    ],
    [
      'the larger of both',
      debits(
        (one) => completed(one) && Decimal.max(one.estimatedWithdrawAmount, completed(one) ?? 0),
      ),
      'This is estimatedWithdrawAmount',
    ],
    [
      'the estimate, if it is near',
      debits((one) =>
        one.estimatedWithdrawAmount
          .minus(completed(one) ?? 0)
          .abs()
          .lessThan('0.01')
          ? one.estimatedWithdrawAmount
          : completed(one),
      ),
      'This is estimatedWithdrawAmount',
    ],
  ],
  'deposit: a fee that is negative or null changes nothing': [
    [
      'adds a negative fee',
      credits(({ actualDepositAmount: actual, onChainFee: fee }) =>
        fee?.isNegative() ? actual.plus(fee) : actual,
      ),
      'onChainFee was added',
    ],
    [
      'refuses a negative fee',
      answers((one) => isDeposit(one) && !!one.settlementServiceFee?.isNegative(), 400),
      'A fee that is negative or missing',
    ],
    ['requires a service fee', requires('displayServiceFee'), 'A fee that is negative or missing'],
  ],
  'withdrawal: a fee that is negative or null changes nothing': [
    [
      'subtracts the size of a negative fee',
      debits((one) =>
        one.withdrawFee?.isNegative()
          ? (completed(one)?.minus(one.withdrawFee.abs()) ?? null)
          : completed(one),
      ),
      'withdrawFee was added',
    ],
  ],
  'deposit: an unknown field changes nothing': [
    [
      'settlementAmount as depositCurrency',
      credits((one) => one.settlementAmount),
      'This is settlementAmount',
    ],
    [
      'actualDisplayAmount as depositCurrency',
      credits((one) => one.actualDisplayAmount),
      'This is actualDisplayAmount',
    ],
    [
      'minus the fee of the chain',
      credits((one) => one.actualDepositAmount.minus(one.onChainFee ?? 0)),
      'onChainFee was subtracted',
    ],
    [
      'minus a service fee of another currency',
      credits((one) => one.actualDepositAmount.minus(one.settlementServiceFee ?? 0)),
      'settlementServiceFee was subtracted',
    ],
    [
      'plus the fee of the chain',
      credits((one) => one.actualDepositAmount.plus(one.onChainFee ?? 0)),
      'onChainFee was added',
    ],
    [
      'minus a depeg loss',
      credits((one) => one.actualDepositAmount.minus(one.settlementRateDepegLossAmount ?? 0)),
      'settlementRateDepegLossAmount was subtracted',
    ],
    [
      'minus one percent',
      credits((one) => one.actualDepositAmount.times('0.99')),
      'It is 0.99 of the amount',
    ],
    ['the sign', moves((amount) => amount.negated()), 'The sign is wrong'],
    [
      'as the display currency',
      moveAs((_, one) => (isDeposit(one) ? { currency: one.displayCurrency } : {})),
      'It was moved as +0.75 EUR',
    ],
    [
      'the display amount',
      moveAs((_, one) =>
        isDeposit(one) ? { currency: one.displayCurrency, amount: one.actualDisplayAmount } : {},
      ),
      'It was moved as +20.75 EUR, which is actualDisplayAmount',
    ],
    [
      'converted to the display currency',
      moveAs((_, one) =>
        isDeposit(one)
          ? { currency: one.displayCurrency, amount: one.actualDepositAmount.times(27_000) }
          : {},
      ),
      'It was moved as +20250 EUR. If you want that',
    ],
    ['twice', moves((amount) => amount.times(2)), 'It moved 2 times'],
    [
      'the display amount as well',
      books(async (own, move, store, parts) => {
        const outcome = await RIGHT.book(own, move, store, parts);
        if (outcome === 'settled') change(store, { ...move, currency: 'EUR' });
        return outcome;
      }),
      'It moved in more than one currency',
    ],
    [
      'refuses an unknown field',
      answers((one) => Object.keys(one.additionalFields).length > 0, 400),
      'The handler refuses what the parser accepts',
    ],
    [
      'additional fields as jsonb',
      answers((one) => JSON.stringify(one.additionalFields).includes('\\u0000'), 500),
      'refuse \\u0000',
    ],
    [
      'a key of the whole body',
      key((_, { body }) => createHash('sha256').update(body).digest('hex')),
      REPEATED,
    ],
  ],
  'withdrawal: an unknown field changes nothing': [
    [
      'plus the fee',
      debits((one) => completed(one)?.plus(one.withdrawFee ?? 0) ?? null),
      'withdrawFee was added',
    ],
    [
      'minus the fee',
      debits((one) => completed(one)?.minus(one.withdrawFee ?? 0) ?? null),
      'withdrawFee was subtracted',
    ],
    [
      'deductedSettlementAmount as withdrawCurrency',
      debits((one) => completed(one) && one.deductedSettlementAmount),
      'This is deductedSettlementAmount',
    ],
    [
      'expectedDisplayAmount as withdrawCurrency',
      debits((one) => completed(one) && one.expectedDisplayAmount),
      'This is expectedDisplayAmount',
    ],
    [
      'credits a withdrawal',
      debits((one) => completed(one)?.negated() ?? null),
      'The sign is wrong',
    ],
    [
      'as the settlement currency',
      moveAs((_, one) => (isDeposit(one) ? {} : { currency: one.settlementCurrency })),
      'It was moved as -0.75 ',
    ],
  ],

  'deposit: every encoding is credited exactly': [
    ['the address as the key', depositKey((one) => one.depositAddress), 'that other events share'],
    ['three keys', lastKeys(3), FORGOTTEN],
    [
      'a string as zero',
      credits((one, fields) =>
        typeof fields.actualDepositAmount === 'string' ? new Decimal(0) : one.actualDepositAmount,
      ),
      ENCODING,
    ],
    [
      'refuses a string',
      {
        first: (_, __, { body }) =>
          typeof JSON.parse(textOf(body)).actualDepositAmount === 'string'
            ? { status: 400, text: '' }
            : undefined,
      },
      'The handler refuses what the parser accepts',
    ],
  ],
  'deposit: an event in another encoding is a repeat': [
    ['the body as the key', key((_, { body }) => textOf(body)), REPEATED],
    [
      'the fields as the key',
      key((_, { body }) => JSON.stringify(JSON.parse(textOf(body)))),
      REPEATED,
    ],
  ],
  'withdrawal: an event in another encoding is a repeat': [
    ['the body as the key', key((_, { body }) => textOf(body)), REPEATED],
  ],
  'deposit: identifiers in capitals are the same': [
    [
      'the identifier as written',
      key((one) => (isDeposit(one) ? one.depositId : `${one.withdrawalId} ${one.status}`)),
      'The key depends on capitals',
    ],
  ],
  'deposit: A, B, then A again are credited once each': [
    ['no key', books(addOnly), FORGOTTEN],
    ['the last key only', lastKeys(1), FORGOTTEN],
    [
      'the last of an account',
      books((own, move, store, parts) => {
        const outcome =
          store.cache.get('last') === own ? 'repeated' : addOnly(own, move, store, parts);
        store.cache.set('last', own);
        return outcome;
      }),
      FORGOTTEN,
    ],
  ],
  'deposit: two events of one transactionId are credited, and two without one': [
    ['the transactionId', key((one, context) => one.transactionId ?? context.key), TRANSACTION],
    [
      'a hash of at most 64 characters',
      answers((one) => (one.transactionId?.length ?? 0) > 64, 500),
      NARROW,
    ],
    ['requires a hash', requires('transactionId'), REQUIRED],
  ],
  'withdrawal: two events of one transactionId are debited, and two without one': [
    ['the transactionId, null as well', key((one) => `${one.transactionId}`), TRANSACTION],
  ],
  'deposit: deposits that differ only in depositId are credited': [
    [
      'order and amount',
      depositKey((one) => `${one.paymentId} ${one.actualDepositAmount}`),
      OTHER_KEY,
    ],
    [
      'transaction and order',
      depositKey((one) => `${one.transactionId} ${one.clientPaymentId}`),
      OTHER_KEY,
    ],
    [
      'transaction and amount',
      depositKey((one) => `${one.transactionId} ${one.actualDepositAmount}`),
      OTHER_KEY,
    ],
    [
      'order, amount and time',
      depositKey(
        (one) => `${one.clientPaymentId} ${one.actualDepositAmount} ${one.paymentReceivedAt}`,
      ),
      OTHER_KEY,
    ],
  ],
  'deposit: a known key with another amount, order or currency moves nothing': [
    [
      'the amount in the key',
      key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).amount}`),
      MORE,
    ],
    ['the order in the key', key((one, context) => `${context.key} ${orderOf(one)}`), MORE],
    [
      'the currency in the key',
      key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).currency}`),
      MORE,
    ],
    [
      'the difference',
      atKnown((known, move, store) => {
        if (known.currency === move.currency)
          change(store, {
            ...move,
            amount: (move.amount ?? new Decimal(0)).minus(known.amount ?? 0),
          });
        return 'conflict';
      }),
      'The difference to what had moved was added',
    ],
    [
      'a larger amount again',
      atKnown((known, move, store) => {
        if (move.amount?.greaterThan(known.amount ?? 0)) change(store, move);
        return 'conflict';
      }),
      MORE,
    ],
  ],
  'withdrawal: a known key with another amount, order or currency moves nothing': [
    [
      'the currency in the key',
      key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).currency}`),
      MORE,
    ],
  ],
  'deposit: deposits that pay an order in parts add up': [
    ['the order', depositKey((one) => one.clientPaymentId), ORDER_KEY],
    ['the payment', depositKey((one) => one.paymentId), ORDER_KEY],
    [
      'order and currency',
      depositKey((one) => `${one.clientPaymentId} ${one.depositCurrency}`),
      ORDER_KEY,
    ],
    ['the address', depositKey((one) => `${one.depositAddress} ${one.clientPaymentId}`), ORDER_KEY],
    ['overwrites', { add: (_, amount) => amount }, 'The balance was overwritten'],
    [
      'overwrites of a customer',
      { add: (_, amount) => amount, requiresOrder: true },
      'The balance was overwritten',
    ],
    ['the largest', { add: (before, amount) => Decimal.max(before, amount) }, ORDER_KEY],
    [
      'at most three',
      drops(
        (one, store) =>
          [...store.keys.values()].filter(({ account }) => account === one.clientPaymentId).length >
          1,
      ),
      OTHER_KEY,
    ],
  ],
  'deposit: a deposit after its order is paid is credited, or held': [
    [
      'drops it',
      drops((one, store) =>
        new Decimal(paid(one, store)).gte(one.expectedDepositAmount ?? Infinity),
      ),
      'after its order is paid is dropped',
    ],
    [
      'refuses it',
      answers(
        (one, store) =>
          isDeposit(one) &&
          new Decimal(paid(one, store)).gte(one.expectedDepositAmount ?? Infinity) &&
          !store.keys.has(`deposit.received:${one.depositId}`),
        400,
      ),
      'after its order is paid is dropped',
    ],
  ],
  'deposit: a second deposit in another currency is credited in that currency, or held': [
    [
      'in the currency of the first',
      books((own, move, store, parts) =>
        RIGHT.book(
          own,
          { ...move, currency: firstOf(store, move)?.currency ?? move.currency },
          store,
          parts,
        ),
      ),
      'It was moved as +0.5 BTC',
    ],
    [
      'drops it',
      books((own, move, store, parts) =>
        (firstOf(store, move)?.currency ?? move.currency) === move.currency
          ? RIGHT.book(own, move, store, parts)
          : 'repeated',
      ),
      'in the currency of the order, or dropped',
    ],
    [
      'fails at it',
      books((own, move, store, parts) => {
        if ((firstOf(store, move)?.currency ?? move.currency) !== move.currency)
          throw new Error('currency');
        return RIGHT.book(own, move, store, parts);
      }),
      'The handler fails',
    ],
  ],
  'deposit: a currency of three, four or five letters is credited, or held': [
    [
      'fails at five letters',
      answers((one) => isDeposit(one) && one.depositCurrency.length > 4, 500),
      NARROW,
    ],
    [
      'cut to four letters',
      moveAs(({ currency }) => ({ currency: currency.slice(0, 4) })),
      'It was moved as +0.75 MATI',
    ],
    [
      'cut to three letters',
      moveAs(({ currency }) => ({ currency: currency.slice(0, 3) })),
      'It was moved as +0.75 DOG',
    ],
    [
      'drops an unknown coin',
      drops((one) => !['BTC', 'ETH', 'LTC'].includes(one.depositCurrency)),
      'nothing is kept',
    ],
    [
      'an unknown coin as bitcoin',
      moveAs(({ currency }) => ({
        currency: ['BTC', 'XRP', 'LTC'].includes(currency) ? currency : 'BTC',
      })),
      'It was moved as +0.75 BTC',
    ],
    ['everything as bitcoin', moveAs(() => ({ currency: 'BTC' })), 'It was moved as +0.75 BTC'],
  ],

  'withdrawal: FAILED debits nothing': [
    [
      'debits FAILED',
      debits((one) => (one.status === 'BLOCKED' ? null : one.actualWithdrawAmount)),
      STATUS,
    ],
    [
      'refunds FAILED',
      debits((one) =>
        one.status === 'FAILED' ? (one.actualWithdrawAmount?.negated() ?? null) : completed(one),
      ),
      'The opposite of actualWithdrawAmount moved',
    ],
    [
      'debits the estimate of FAILED',
      debits((one) => (one.status === 'FAILED' ? one.estimatedWithdrawAmount : completed(one))),
      'This is estimatedWithdrawAmount. The status is not checked',
    ],
    ['debits every status', debits((one) => one.actualWithdrawAmount), STATUS],
    [
      'the fee of FAILED',
      debits((one) => (one.status === 'FAILED' ? one.withdrawFee : completed(one))),
      'This is withdrawFee',
    ],
    ['fails at FAILED', answers((one) => one.status === 'FAILED', 500), 'The handler fails'],
  ],
  'withdrawal: BLOCKED debits nothing': [
    [
      'debits BLOCKED',
      debits((one) => (one.status === 'FAILED' ? null : one.actualWithdrawAmount)),
      STATUS,
    ],
    [
      'refuses BLOCKED',
      answers((one) => one.status === 'BLOCKED', 400),
      'The handler refuses what the parser accepts',
    ],
  ],
  'withdrawal: FAILED, then COMPLETED is debited once': [
    ['a key without status', keyOfFailed((one) => one.withdrawalId), 'The key lacks the status'],
    [
      'FAILED is final',
      {
        first: (one, { cache }) => {
          if (isDeposit(one)) return undefined;
          if (one.status !== 'COMPLETED') cache.set(one.withdrawalId, true);
          return cache.has(one.withdrawalId) ? { status: 200, text: '' } : undefined;
        },
      },
      'FAILED is final',
    ],
  ],
  'withdrawal: a new withdrawal after one that FAILED is debited': [
    [
      'the clientWithdrawalId',
      keyOfFailed((one) => one.clientWithdrawalId),
      'The key is the clientWithdrawalId',
    ],
  ],
  'withdrawal: without an amount, nothing is debited until the amount arrives': [
    [
      'the estimate',
      debits((one) =>
        one.status === 'COMPLETED'
          ? (one.actualWithdrawAmount ?? one.estimatedWithdrawAmount)
          : null,
      ),
      'This is estimatedWithdrawAmount',
    ],
    [
      'zero',
      debits((one) =>
        one.status === 'COMPLETED' ? (one.actualWithdrawAmount ?? new Decimal(0)) : null,
      ),
      'The key was inserted without the amount',
    ],
    ['the key of it', keyOfHeld(), 'The key was inserted without the amount'],
  ],
  'withdrawal: an address may be missing, not screened, or without a tag': [
    [
      'requires an address of BLOCKED',
      answers((one) => !isDeposit(one) && one.toTxAddress === null, 400),
      REQUIRED,
    ],
    [
      'requires a tag',
      answers((one) => !isDeposit(one) && one.toTxAddress?.destinationTag === null, 500),
      REQUIRED,
    ],
    [
      'requires a screened address',
      answers((one) => !isDeposit(one) && one.txAddressOwner === null, 400),
      REQUIRED,
    ],
  ],

  'deposit: each optional amount may be missing': [
    ['requires a fee', requires('onChainFee'), REQUIRED],
    ['requires what was expected', requires('expectedDepositAmount', 400), REQUIRED],
    ['drops what has no expectation', drops((one) => one.expectedDisplayAmount === null), REQUIRED],
    [
      'not a number',
      {
        add: (before, amount) => new Decimal(before).plus(amount),
        ...credits((one) => {
          if (one.settlementServiceFee === null) throw new TypeError('null');
          return one.actualDepositAmount;
        }),
      },
      REQUIRED,
    ],
  ],
  'withdrawal: each optional amount may be missing': [
    ['requires deductedSettlementAmount', requires('deductedSettlementAmount'), REQUIRED],
    [
      'holds what has no display amount',
      answers(
        (one) => !isDeposit(one) && one.status === 'COMPLETED' && one.actualDisplayAmount === null,
      ),
      REQUIRED,
    ],
  ],
  'deposit: each other optional field may be missing': [
    ['requires a network', requires('network'), REQUIRED],
    ['requires a sender', requires('fromAddress', 400), REQUIRED],
    [
      'no expiration is expired',
      drops((one) => Number(one.expirationTime) < Number(one.paymentReceivedAt)),
      REQUIRED,
    ],
    ['no time of arrival is dropped', drops((one) => one.paymentReceivedAt === null), REQUIRED],
  ],
  'withdrawal: each other optional field may be missing': [
    ['requires a hash of a withdrawal', requires('transactionId'), REQUIRED],
  ],
  'deposit: a deposit after its link expired is credited': [
    [
      'drops it',
      drops((one) => Number(one.paymentReceivedAt) > Number(one.expirationTime ?? Infinity)),
      'after its link expired is dropped',
    ],
  ],
  'deposit: each rateType is credited, also an unknown one': [
    [
      'refuses warnings',
      answers(({ warnings }) => warnings.length > 0, 400),
      'What has another rateType, or a warning',
    ],
    [
      'credits FIXED only',
      drops((one) => one.rateType !== 'FIXED'),
      'What has another rateType, or a warning',
    ],
  ],
  'deposit: faulty bodies are refused and move nothing': [
    [
      '500 for faulty bodies',
      { refused: { status: 500, text: '' } },
      'The handler fails at a faulty body',
    ],
    [
      'credits a negative amount',
      byHand(({ actualDepositAmount }) => Number(actualDepositAmount) < 0),
      'without the parsers of this package',
    ],
    [
      'credits without a status',
      byHand(({ status }) => status === 'PENDING'),
      'without the parsers of this package',
    ],
  ],
  'deposit: an order that was not known yet is credited once it is': [
    [
      'the key of it',
      {
        requiresOrder: true,
        first(one, { keys, orders }) {
          const id = orderOf(one);
          if (keys.has(`seen ${id}`)) return { status: 200, text: '' };
          if (!orders.has(id)) keys.set(`seen ${id}`, { account: '', currency: '', amount: null });
          return undefined;
        },
      },
      NEW_ORDER,
    ],
    ['drops it', { requiresOrder: true, hold: () => {} }, LOST],
    [
      'refuses it',
      {
        first: (one, { orders }) =>
          orders.has(orderOf(one)) ? undefined : { status: 400, text: '' },
      },
      LOST,
    ],
    [
      'remembers that it is unknown',
      {
        requiresOrder: true,
        first(one, { cache, orders }) {
          const id = orderOf(one);
          cache.set(id, cache.get(id) ?? orders.has(id));
          return cache.get(id) ? undefined : { status: 503, text: '' };
        },
      },
      'it is remembered as unknown',
    ],
    [
      'credits nobody, then the customer',
      books((own, move, store, parts) =>
        RIGHT.book(`${own} ${store.orders.has(move.account)}`, move, store, parts),
      ),
      NEW_ORDER,
    ],
  ],

  'deposit: five copies at the same time are credited once': [
    [
      'check, then insert',
      books(async (own, move, store, parts) => {
        const known = store.keys.get(own);
        await tick();
        if (known) return isSame(known, move) ? 'repeated' : 'conflict';
        store.keys.set(own, move);
        change(store, move, parts.add);
        return 'settled';
      }),
      COPIED,
    ],
    ['no key', books(addOnly), COPIED],
    [
      'fails at a copy',
      books(async (own, move, store, parts) => {
        const outcome = await RIGHT.book(own, move, store, parts);
        if (outcome === 'repeated') throw new Error('a unique violation');
        return outcome;
      }),
      'A copy failed instead of being a repeat',
    ],
    [
      'refuses a copy',
      {
        async first(_, { keys }, { key: own }) {
          await tick();
          return keys.has(own) ? { status: 409, text: '' } : undefined;
        },
      },
      'A copy is refused instead of being a repeat',
    ],
  ],
  'deposit: five deposits of one order at the same time add up': [
    [
      'a sum of doubles',
      { add: (before, amount) => Number(before) + Number(amount), requiresOrder: true },
      DOUBLE,
    ],
    ['read, then written', books(readThenWrite), RACE],
    [
      'one at a time, others dropped',
      books(async (own, move, store, parts) => {
        if (store.cache.has('busy')) return 'repeated';
        store.cache.set('busy', true);
        await tick();
        store.cache.delete('busy');
        return RIGHT.book(own, move, store, parts);
      }),
      'one is dropped while another is in progress',
    ],
    ['a hundred keys', lastKeys(100), FORGOTTEN],
    [
      'fails at the same time',
      books(async (own, move, store, parts) => {
        if (store.cache.has('busy')) throw new Error('a deadlock');
        store.cache.set('busy', true);
        await tick();
        store.cache.delete('busy');
        return RIGHT.book(own, move, store, parts);
      }),
      'Transactions at the same time fail',
    ],
  ],
  'deposit: five orders of one customer at the same time add up': [
    [
      'two at a time, others refused',
      {
        async first(_, { cache }) {
          const open = Number(cache.get('open') ?? 0);
          if (open > 1) return { status: 429, text: '' };
          cache.set('open', open + 1);
          await tick();
          cache.set('open', open);
          return undefined;
        },
      },
      'Some of what came at the same time is refused',
    ],
    ['read, then written', { book: readThenWrite, requiresOrder: true }, RACE],
  ],
  'withdrawal: five withdrawals at the same time add up': [
    ['read, then written', { book: readThenWrite, requiresOrder: true }, RACE],
  ],

  'deposit: is credited once if the balances failed': [
    ['the key, then the credit', books(keyThenCredit), LATE_KEY],
    ['200 if the database fails', { onError: () => ({ status: 200, text: '' }) }, ACCEPTED],
    [
      'the answer before the work',
      {
        around: async (handle) => {
          void handle();
          return new Response();
        },
      },
      ACCEPTED,
    ],
    [
      'a key in memory',
      {
        first(_, { cache }, { key: own }) {
          if (cache.has(own)) return { status: 200, text: '' };
          cache.set(own, true);
          return undefined;
        },
      },
      LATE_KEY,
    ],
    [
      'kept for review if the database fails',
      { onError: () => ({ status: 200, text: 'kept' }) },
      ACCEPTED,
    ],
    [
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
  ],
  'withdrawal: is debited once if the balances failed': [
    [
      '400 if the database fails',
      { onError: () => ({ status: 400, text: '' }) },
      'A refusal may not be repeated',
    ],
    ['the key, then the debit', books(keyThenCredit), LATE_KEY],
  ],
  'deposit: copies are credited once if the balances failed': [
    ['the key, then the credit', books(keyThenCredit), LATE_KEY],
    [
      'a copy in progress is a repeat',
      {
        async first(_, { cache }, { key: own }) {
          if (cache.has(own)) return { status: 200, text: '' };
          cache.set(own, true);
          await tick();
          cache.delete(own);
          return undefined;
        },
      },
      'Or a copy was answered with success while another one was in progress',
    ],
  ],
  'deposit: is credited once if the keys failed': [
    ['the credit, then the key', books(creditThenKey), LATE_BALANCE],
    [
      'each error of the key is a repeat',
      books((own, move, store, parts) => {
        try {
          store.use('keys');
        } catch {
          return 'repeated';
        }
        return RIGHT.book(own, move, store, parts);
      }),
      ACCEPTED,
    ],
    [
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
  ],
  'withdrawal: copies are debited once if the keys failed': [
    ['the debit, then the key', books(creditThenKey), LATE_BALANCE],
  ],

  'deposit: faulty bodies are kept': [
    ['nothing', holds(() => false), LOST],
    ['200 for faulty bodies, lost', { refused: { status: 200, text: '' }, hold: () => {} }, LOST],
    ['JSON only', holds(isJson), LOST],
    ['bodies with an identifier only', holds((body) => body.includes('"depositId"')), LOST],
    [
      'one for each event',
      holds((body, { cache }) => {
        const [id = ''] = /[0-9a-f]{12}"/.exec(body) ?? [];
        const isNew = !cache.has(id);
        cache.set(id, true);
        return isNew;
      }),
      LOST,
    ],
  ],
  'withdrawal: without an amount, it is kept': [
    [
      'no withdrawal without an amount',
      holds((body) => !/"actualWithdrawAmount":null/.test(body)),
      LOST,
    ],
  ],
  'deposit: a known key with another amount or currency is kept': [
    [
      'no conflict',
      books(async (own, move, store, parts) =>
        (await RIGHT.book(own, move, store, parts)) === 'settled' ? 'settled' : 'repeated',
      ),
      LOST,
    ],
    [
      'no smaller amount',
      atKnown((known, move) =>
        move.amount?.lessThan(known.amount ?? 0) ? 'repeated' : 'conflict',
      ),
      LOST,
    ],
    [
      'amounts that are compared as numbers',
      atKnown((known, move) =>
        Number(known.amount) === Number(move.amount) && known.currency === move.currency
          ? 'repeated'
          : 'conflict',
      ),
      LOST,
    ],
  ],
  'withdrawal: a known key with another amount or currency is kept': [
    [
      'no other currency',
      atKnown((known, move) => (move.currency === known.currency ? 'conflict' : 'repeated')),
      LOST,
    ],
  ],
};

/** A key that is also inserted for FAILED. */
function keyOfFailed(keyOf: (one: WithdrawalBroadcast) => string): Partial<Parts> {
  return {
    ...withdrawalKey(keyOf),
    first(one, { keys }) {
      if (isDeposit(one)) return undefined;
      const own = keyOf(one);
      if (keys.get(own)?.amount === null) return { status: 200, text: '' };
      if (one.status !== 'COMPLETED') keys.set(own, { account: '', currency: '', amount: null });
      return undefined;
    },
  };
}

/** A key that is also inserted for what is held. */
function keyOfHeld(): Partial<Parts> {
  return {
    first(one, { cache }, { key: own }) {
      if (cache.has(own)) return { status: 200, text: '' };
      if (!isDeposit(one) && one.status === 'COMPLETED' && !one.actualWithdrawAmount) {
        cache.set(own, true);
      }
      return undefined;
    },
  };
}

/** Credits a faulty body for which this is true. */
function byHand(fits: (fields: Fields) => boolean): Partial<Parts> {
  return {
    around(handle, store, body) {
      const fields: Fields = isJson(body) ? JSON.parse(body) : {};
      if (!fits(fields)) return handle();
      const amount = new Decimal(`${fields.actualDepositAmount}`);
      change(store, { account: 'by hand', currency: `${fields.depositCurrency}`, amount });
      return Promise.resolve(new Response());
    },
  };
}
