import { Decimal as Decimal20 } from 'decimal.js';
import {
  Decimal,
  type DepositReceived,
  type PaymentNotification,
  type WithdrawalBroadcast,
} from 'payment-notifications';
import {
  balanceOf,
  change,
  isSame,
  type Move,
  type Parts,
  RIGHT,
  textOf,
  tick,
} from './merchant.js';

/** What replaces a part of a right handler, the test that finds it, and the cause that it names. */
export type FaultRow = readonly [fault: string, parts: Partial<Parts>, test: string, cause: string];

const DOUBLE = 'The amount was a double. Look for Number(), parseFloat(), JSON.parse';
const PASSED = 'Several copies passed the check of the key. Insert it into a unique column';
const RACE = 'The balance was read and then written';
const LATE_KEY = 'The key was committed without the change of the balance';
const LATE_BALANCE = 'The change of the balance was committed without the key';
const CONFLICT = 'a known key with another amount, account or currency moves nothing';
const COPIES = 'five copies at the same time are credited once';
const TOO_STRICT = 'The handler refuses what the parser accepts';

type AmountOf<T> = (notification: T, body: Record<string, unknown>) => Decimal | null;

/** Credits another amount of a deposit. */
const credits = (amountOf: AmountOf<DepositReceived>): Partial<Parts> => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    if (one.type !== 'deposit.received') return move;
    return { ...move, amount: amountOf(one, JSON.parse(textOf(context.body))) };
  },
});
/** Debits another amount of a withdrawal. */
const debits = (amountOf: AmountOf<WithdrawalBroadcast>): Partial<Parts> => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    if (one.type === 'deposit.received') return move;
    const amount = amountOf(one, JSON.parse(textOf(context.body)));
    return { ...move, amount: amount?.negated() ?? null };
  },
});
const moves = (amountOf: (amount: Decimal) => Decimal): Partial<Parts> => ({
  moveOf(one, context) {
    const move = RIGHT.moveOf(one, context);
    return { ...move, amount: move.amount && amountOf(move.amount) };
  },
});
const key = (keyOf: Parts['keyOf']): Partial<Parts> => ({ keyOf });
const refuses = (
  isRefused: (one: PaymentNotification) => boolean,
  status = 400,
): Partial<Parts> => ({
  first: (one) => (isRefused(one) ? { status, text: 'refused' } : undefined),
});
const isDeposit = (one: PaymentNotification): one is DepositReceived =>
  one.type === 'deposit.received';
const requires = (name: string) =>
  refuses((one) => name in one && one[name as keyof typeof one] === null, 500);
const completed = ({ status, actualWithdrawAmount }: WithdrawalBroadcast) =>
  status === 'COMPLETED' ? actualWithdrawAmount : null;

export const FAULTS: readonly FaultRow[] = [
  // ---- The amount ----
  [
    'Number()',
    { add: (before, amount) => Number(before) + Number(amount) },
    'deposit: 18 decimals are credited exactly',
    DOUBLE,
  ],
  [
    'JSON.parse()',
    credits((_, { actualDepositAmount }) => new Decimal(`${actualDepositAmount}`)),
    'deposit: 28 digits are credited exactly',
    DOUBLE,
  ],
  [
    'toFixed(8)',
    moves((amount) => new Decimal(amount.toFixed(8))),
    'deposit: 28 digits are credited exactly',
    'rounded to 8 decimals',
  ],
  [
    'toFixed(2)',
    moves((amount) => new Decimal(amount.toFixed(2))),
    'deposit: halves and thirds are credited exactly',
    'rounded to 2 decimals',
  ],
  [
    'toDecimalPlaces(5)',
    moves((amount) => amount.toDecimalPlaces(5)),
    'deposit: 18 decimals are credited exactly',
    'rounded to 5 decimals',
  ],
  [
    'decimal.js as it comes',
    { add: (before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed()) },
    'deposit: 28 digits are credited exactly',
    'cut to 20 digits',
  ],
  [
    'an exponent cut off',
    credits(
      (_, { actualDepositAmount }) =>
        new Decimal(/^[\d.]+/.exec(`${actualDepositAmount}`)?.[0] ?? 0),
    ),
    'deposit: small amounts are credited exactly',
    'received +1.5 BTC',
  ],
  [
    'a limit of ten digits before the point',
    moves((amount) => amount.modulo('1e10')),
    'deposit: 12 digits before the point are credited exactly',
    'received +3456789012.34 BTC',
  ],
  [
    'credits settlementAmount as depositCurrency',
    credits(({ settlementAmount }) => settlementAmount),
    'deposit: every encoding is credited exactly',
    'This is settlementAmount. If you want that',
  ],
  [
    'credits what the order expected, if it is near',
    credits(({ actualDepositAmount, expectedDepositAmount: expected }) =>
      expected?.minus(actualDepositAmount).abs().lessThan(expected.times('0.01'))
        ? expected
        : actualDepositAmount,
    ),
    'deposit: what arrived is credited, near to what the order expected or far from it',
    'This is expectedDepositAmount',
  ],
  [
    'credits at most what the order expected',
    credits(({ actualDepositAmount, expectedDepositAmount: expected }) =>
      expected ? Decimal.min(expected, actualDepositAmount) : actualDepositAmount,
    ),
    'deposit: what arrived is credited, near to what the order expected or far from it',
    'This is expectedDepositAmount',
  ],
  [
    'debits the estimate',
    debits((one) => (one.status === 'COMPLETED' ? one.estimatedWithdrawAmount : null)),
    'withdrawal: what left is debited, near to the estimate or far from it',
    'This is estimatedWithdrawAmount',
  ],
  [
    'subtracts the fee of the chain',
    credits(({ actualDepositAmount, onChainFee }) => actualDepositAmount.minus(onChainFee ?? 0)),
    'deposit: an unknown field changes nothing',
    'onChainFee was subtracted',
  ],
  [
    'adds the fee of a withdrawal',
    debits((one) => completed(one)?.plus(one.withdrawFee ?? 0) ?? null),
    'withdrawal: an unknown field changes nothing',
    'withdrawFee was added',
  ],
  [
    'a negative fee is added',
    credits(({ actualDepositAmount, onChainFee: fee }) =>
      fee?.isNegative() ? actualDepositAmount.plus(fee) : actualDepositAmount,
    ),
    'deposit: fees of any sign change nothing',
    'onChainFee was added',
  ],
  [
    'the sign',
    moves((amount) => amount.negated()),
    'deposit: an unknown field changes nothing',
    'The sign is wrong',
  ],
  [
    'credits as the display currency',
    {
      moveOf(one, context) {
        const move = RIGHT.moveOf(one, context);
        return isDeposit(one) ? { ...move, currency: one.displayCurrency } : move;
      },
    },
    'deposit: an unknown field changes nothing',
    'It was moved as +0.75 EUR',
  ],

  // ---- The key ----
  [
    'no key',
    { book: addOnly },
    'deposit: A, B, then A again are credited once each',
    'Only the last key',
  ],
  ['no key, and copies', { book: addOnly }, `deposit: ${COPIES}`, PASSED],
  [
    'the body as the key',
    key((_, { body }) => textOf(body)),
    'deposit: an event in another encoding is a repeat',
    'depends on how the body is written',
  ],
  [
    'the identifier as written as the key',
    key((one) => (isDeposit(one) ? one.depositId : `${one.withdrawalId}:${one.status}`)),
    'deposit: identifiers in capitals are the same',
    'The key depends on capitals',
  ],
  [
    'the last key only',
    {
      book(own, move, store, parts) {
        const outcome = RIGHT.book(own, move, store, parts);
        for (const other of store.keys.keys()) if (other !== own) store.keys.delete(other);
        return outcome;
      },
    },
    'deposit: A, B, then A again are credited once each',
    'Only the last key is known',
  ],
  [
    'the transactionId as the key',
    key((one, context) => one.transactionId ?? context.key),
    'deposit: two events of one transactionId are credited, and two without one',
    'The key is the transactionId',
  ],
  [
    'the transactionId as the key, null as well',
    key((one) => `${one.transactionId}`),
    'withdrawal: two events of one transactionId are debited, and two without one',
    'The key is the transactionId',
  ],
  [
    'the order as the key',
    key((one, context) => (isDeposit(one) ? one.clientPaymentId : context.key)),
    'deposit: two deposits of one order add up',
    'The key is that of the order',
  ],
  [
    'a key without status',
    keyOfFailed((one) => one.withdrawalId),
    'withdrawal: FAILED, then COMPLETED is debited once',
    'The key lacks the status',
  ],
  [
    'the clientWithdrawalId as the key',
    keyOfFailed((one) => one.clientWithdrawalId),
    'withdrawal: a new withdrawal after one that FAILED is debited',
    'The key is the clientWithdrawalId',
  ],
  [
    'the amount in the key',
    key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).amount}`),
    `deposit: ${CONFLICT}`,
    'contains more than the event',
  ],
  [
    'the order in the key',
    key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).account}`),
    `deposit: ${CONFLICT}`,
    'contains more than the event',
  ],
  [
    'the currency in the key',
    key((one, context) => `${context.key} ${RIGHT.moveOf(one, context).currency}`),
    `withdrawal: ${CONFLICT}`,
    'contains more than the event',
  ],
  [
    'credits the difference on conflict',
    {
      book(own, move, store, parts) {
        const known = store.keys.get(own);
        const outcome = RIGHT.book(own, move, store, parts);
        if (outcome === 'conflict' && move.currency === known?.currency) {
          change(
            store,
            { ...move, amount: (move.amount ?? new Decimal(0)).minus(known.amount ?? 0) },
            parts.add,
          );
        }
        return outcome;
      },
    },
    `deposit: ${CONFLICT}`,
    'The difference to what had moved was added',
  ],
  [
    'credits as the currency of the first deposit',
    {
      book(own, move, store, parts) {
        const first = [...store.keys.values()].find(({ account }) => account === move.account);
        const currency = first?.currency ?? move.currency;
        return RIGHT.book(own, { ...move, currency }, store, parts);
      },
    },
    'deposit: a second deposit in another currency is credited in that currency, or held',
    'It was moved as +0.5 BTC',
  ],
  [
    'ignores a second deposit in another currency',
    {
      book(own, move, store, parts) {
        const first = [...store.keys.values()].find(({ account }) => account === move.account);
        if (first && first.currency !== move.currency) return 'repeated';
        return RIGHT.book(own, move, store, parts);
      },
    },
    'deposit: a second deposit in another currency is credited in that currency, or held',
    'The body is lost',
  ],
  [
    'overwrites instead of adds',
    { add: (_, amount) => amount },
    'deposit: two deposits of one order add up',
    'The balance was overwritten',
  ],
  [
    'a deposit after the order is paid is ignored',
    {
      first(one, { balances }) {
        if (!isDeposit(one) || one.expectedDepositAmount === null) return undefined;
        const paid = new Decimal(
          balances.get(`${one.clientPaymentId} ${one.depositCurrency}`) ?? 0,
        );
        return paid.gte(one.expectedDepositAmount) ? { status: 200, text: 'paid' } : undefined;
      },
    },
    'deposit: two deposits of one order add up',
    'The key is that of the order',
  ],

  // ---- The status ----
  [
    'debits FAILED',
    debits((one) => (one.status === 'BLOCKED' ? null : one.actualWithdrawAmount)),
    'withdrawal: FAILED debits nothing',
    'The status is not checked',
  ],
  [
    'debits BLOCKED',
    debits((one) => (one.status === 'FAILED' ? null : one.actualWithdrawAmount)),
    'withdrawal: BLOCKED debits nothing',
    'The status is not checked',
  ],
  [
    'refunds FAILED that was never debited',
    debits((one) =>
      one.status === 'FAILED' ? (one.actualWithdrawAmount?.negated() ?? null) : completed(one),
    ),
    'withdrawal: FAILED debits nothing',
    'The opposite moved',
  ],
  [
    'debits the estimate of FAILED',
    debits((one) => (one.status === 'FAILED' ? one.estimatedWithdrawAmount : completed(one))),
    'withdrawal: FAILED debits nothing',
    'This is estimatedWithdrawAmount. The status is not checked',
  ],
  [
    'an estimate when the amount is null',
    debits((one) =>
      one.status === 'COMPLETED' ? (one.actualWithdrawAmount ?? one.estimatedWithdrawAmount) : null,
    ),
    'withdrawal: without an amount, nothing is debited until the amount arrives',
    'This is estimatedWithdrawAmount',
  ],
  [
    'zero when the amount is null',
    debits((one) =>
      one.status === 'COMPLETED' ? (one.actualWithdrawAmount ?? new Decimal(0)) : null,
    ),
    'withdrawal: without an amount, nothing is debited until the amount arrives',
    'The key was inserted without the amount',
  ],
  [
    'requires an address of BLOCKED',
    refuses((one) => !isDeposit(one) && one.toTxAddress === null),
    'withdrawal: an address may be missing, or not screened',
    TOO_STRICT,
  ],
  [
    'requires a screened address',
    refuses((one) => !isDeposit(one) && one.txAddressOwner === null),
    'withdrawal: an address may be missing, or not screened',
    TOO_STRICT,
  ],

  // ---- What may be missing or new ----
  [
    'requires a fee',
    requires('onChainFee'),
    'deposit: each optional amount may be missing',
    TOO_STRICT,
  ],
  [
    'requires a network',
    requires('network'),
    'deposit: each other optional field may be missing',
    TOO_STRICT,
  ],
  [
    'requires a hash of a withdrawal',
    requires('transactionId'),
    'withdrawal: each other optional field may be missing',
    TOO_STRICT,
  ],
  [
    'a hash of at most 64 characters',
    refuses((one) => (one.transactionId?.length ?? 0) > 64, 500),
    'deposit: two events of one transactionId are credited, and two without one',
    'A column may be too short',
  ],
  [
    'ignores a deposit after its link expired',
    {
      first: (one) =>
        isDeposit(one) &&
        Number(one.paymentReceivedAt ?? 0) > Number(one.expirationTime ?? Infinity)
          ? { status: 200, text: 'expired' }
          : undefined,
    },
    'deposit: a deposit after its link expired is credited',
    'Nothing moved',
  ],
  [
    'a currency of at most four letters',
    refuses((one) => (isDeposit(one) ? one.depositCurrency : one.withdrawCurrency).length > 4, 500),
    'deposit: a currency has three, four or five letters',
    'A column may be too short',
  ],
  [
    'refuses an unknown field',
    refuses((one) => Object.keys(one.additionalFields).length > 0),
    'deposit: an unknown field changes nothing',
    TOO_STRICT,
  ],
  [
    'stores additional fields as jsonb',
    refuses((one) => JSON.stringify(one.additionalFields).includes('\\u0000'), 500),
    'deposit: an unknown field changes nothing',
    'refuse \\u0000',
  ],
  [
    'refuses warnings',
    refuses(({ warnings }) => warnings.length > 0),
    'deposit: each rateType is credited, also an unknown one',
    TOO_STRICT,
  ],
  [
    '500 for faulty bodies',
    { refused: { status: 500, text: '' } },
    'deposit: faulty bodies are refused and move nothing',
    'The handler fails at a faulty body',
  ],
  [
    '200 for faulty bodies',
    { refused: { status: 200, text: '' } },
    'deposit: faulty bodies are refused and move nothing',
    'The handler accepts a faulty body',
  ],
  [
    'the key of an unknown order',
    {
      requiresOrder: true,
      first(one, store) {
        const id = isDeposit(one) ? one.clientPaymentId : one.clientWithdrawalId;
        if (store.keys.has(`seen ${id}`)) return { status: 200, text: 'repeated' };
        if (!store.orders.has(id))
          store.keys.set(`seen ${id}`, { account: '', currency: '', amount: null });
        return undefined;
      },
    },
    'deposit: an order that was not known yet is credited once it is',
    'The key was inserted though the order was unknown',
  ],

  // ---- At the same time ----
  [
    'check, then insert',
    {
      async book(own, move, store, parts) {
        const known = store.keys.get(own);
        await tick();
        if (known) return isSame(known, move) ? 'repeated' : 'conflict';
        store.keys.set(own, move);
        change(store, move, parts.add);
        return 'settled';
      },
    },
    `deposit: ${COPIES}`,
    PASSED,
  ],
  [
    'fails at a copy',
    {
      book(own, move, store, parts) {
        const outcome = RIGHT.book(own, move, store, parts);
        if (outcome === 'repeated') throw new Error('a unique violation');
        return outcome;
      },
    },
    `deposit: ${COPIES}`,
    'A copy failed instead of being a repeat',
  ],
  [
    'read, then written',
    { book: readThenWrite },
    'deposit: five deposits of one order at the same time add up',
    RACE,
  ],
  [
    'read, then written, of a customer',
    { book: readThenWrite, requiresOrder: true },
    'deposit: five orders of one customer at the same time add up',
    RACE,
  ],
  [
    'read, then written, of withdrawals',
    { book: readThenWrite, requiresOrder: true },
    'withdrawal: five withdrawals at the same time add up',
    RACE,
  ],

  // ---- A database that fails ----
  [
    'the key, then the credit',
    { book: keyThenCredit },
    'deposit: is credited once if the balances failed',
    LATE_KEY,
  ],
  [
    'the key, then the credit, by copies',
    { book: keyThenCredit },
    'deposit: five copies are credited once if the balances failed',
    LATE_KEY,
  ],
  [
    'the credit, then the key',
    { book: creditThenKey },
    'deposit: is credited once if the keys failed',
    LATE_BALANCE,
  ],
  [
    'the debit, then the key, by copies',
    { book: creditThenKey },
    'withdrawal: five copies are debited once if the keys failed',
    LATE_BALANCE,
  ],
  [
    '400 if the database fails',
    { onError: () => ({ status: 400, text: '' }) },
    'withdrawal: is debited once if the balances failed',
    'A refusal may not be repeated',
  ],
  [
    '200 if the database fails',
    { onError: () => ({ status: 200, text: '' }) },
    'deposit: is credited once if the balances failed',
    'The error of the database was caught',
  ],

  // ---- Nothing lost ----
  [
    'keeps nothing',
    { hold: () => {} },
    'deposit: faulty bodies are kept once each',
    'The body is lost',
  ],
  [
    'keeps no withdrawal without an amount',
    {
      hold: (body, store) =>
        void (/"actualWithdrawAmount":null/.test(textOf(body)) || RIGHT.hold(body, store)),
    },
    'withdrawal: without an amount, it is kept once',
    'The body is lost',
  ],
  [
    'keeps no conflict',
    {
      book: async (own, move, store, parts) =>
        (await RIGHT.book(own, move, store, parts)) === 'settled' ? 'settled' : 'repeated',
    },
    'withdrawal: a known key with another amount, account or currency is kept once',
    'The body is lost',
  ],
  [
    'keeps each delivery',
    { hold: (body, { held }) => void held.add(`${held.size} ${textOf(body)}`) },
    'deposit: faulty bodies are kept once each',
    'Store a body once',
  ],
];

function addOnly(_: string, move: Move, store: Parameters<Parts['book']>[2], { add }: Parts) {
  change(store, move, add);
  return 'settled' as const;
}

async function readThenWrite(
  own: string,
  move: Move,
  store: Parameters<Parts['book']>[2],
  { add }: Parts,
) {
  if (store.keys.has(own)) return 'repeated';
  store.keys.set(own, move);
  const before = balanceOf(store, move);
  await tick();
  change(store, move, add, before);
  return 'settled';
}

function keyThenCredit(
  own: string,
  move: Move,
  store: Parameters<Parts['book']>[2],
  { add }: Parts,
) {
  store.use('keys');
  if (store.keys.has(own)) return 'repeated' as const;
  store.keys.set(own, move);
  change(store, move, add);
  return 'settled' as const;
}

function creditThenKey(
  own: string,
  move: Move,
  store: Parameters<Parts['book']>[2],
  { add }: Parts,
) {
  if (store.keys.has(own)) return 'repeated' as const;
  change(store, move, add);
  store.use('keys');
  store.keys.set(own, move);
  return 'settled' as const;
}

/** A key that is also inserted for FAILED. */
function keyOfFailed(keyOf: (one: WithdrawalBroadcast) => string): Partial<Parts> {
  return {
    keyOf: (one, context) => (isDeposit(one) ? context.key : keyOf(one)),
    first(one, { keys }) {
      if (isDeposit(one)) return undefined;
      const own = keyOf(one);
      if (keys.get(own)?.amount === null) return { status: 200, text: 'repeated' };
      if (one.status !== 'COMPLETED') keys.set(own, { account: '', currency: '', amount: null });
      return undefined;
    },
  };
}
