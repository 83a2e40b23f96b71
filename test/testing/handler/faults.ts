import { Decimal as Decimal20 } from 'decimal.js';
import { Decimal } from 'payment-notifications';
import {
  alone,
  BODY_AS_KEY,
  BOTH_CURRENCIES,
  books,
  byHand,
  CHECK_THEN_INSERT,
  COMPARES_NUMBERS,
  credits,
  debits,
  drops,
  FAILS_AT_COPY,
  FAILS_FOREVER,
  FORGETS_KEYS,
  fails,
  holds,
  IGNORES_FAILING_KEYS,
  IN_CURRENCY_OF_FIRST,
  keyed,
  MOVE_THEN_KEY,
  MOVES_DIFFERENCE,
  moves,
  READ_THEN_WRITE,
  reads,
  refuses,
  refusesWhile,
  SUM_OF_DOUBLES,
  settlesFirst,
  WITHOUT_KEY,
} from './fault-parts.js';
import { type Parts, RIGHT, textOf, tick } from './merchant.js';

/** A fault, what it replaces of a correct handler, and the cause that the failure names. */
type Fault = readonly [fault: string, parts: Partial<Parts>, cause: string];

/** The faults that each test finds, by its name. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'deposit: the plainest one is credited': [
    ['the address as the key', keyed((one) => one.depositAddress), 'that other events share'],
    ['settlementAmount', credits((_, one) => one.settlementAmount), 'This is settlementAmount'],
    ['net', credits((amount, one) => amount.minus(one.onChainFee ?? 0)), 'onChainFee was subtr'],
    ['twice', credits((amount) => amount.times(2)), 'It moved 2 times'],
    ['in satoshi', credits((amount) => amount.times(1e8)), 'The decimal point moved by 8'],
    [
      'the display amount',
      moves((_, one) => ({ currency: one.displayCurrency, amount: one.actualDisplayAmount })),
      'It was moved as +21.75 EUR, which is actualDisplayAmount',
    ],
    [
      'converted to euros',
      moves(({ amount }) => ({ currency: 'EUR', amount: amount.times(2) })),
      'It was moved as +3.5 EUR. If you want that',
    ],
    ['the display amount as well', BOTH_CURRENCIES, 'It moved in more than one currency'],
  ],
  'withdrawal: the plainest one is debited': [
    ['credits it', credits((amount) => amount.negated()), 'The sign is wrong'],
    [
      'and the fee',
      debits((one) => one.actualWithdrawAmount?.plus(one.withdrawFee ?? 0) ?? null),
      'withdrawFee was added',
    ],
  ],

  // ---- The amount, and what else the body says ----
  'deposit: 18 decimals are credited exactly': [
    ['toFixed(8)', credits((amount) => amount.toFixed(8)), 'rounded to 8 decimals'],
    ['Number()', credits(Number), 'The amount was a double'],
    ['drops it', drops(() => true), 'Either it was dropped, or its key is that of another event'],
    ['keeps it', books(() => 'conflict'), 'The body was kept for review'],
  ],
  'deposit: 28 digits are credited exactly': [
    [
      'decimal.js as it comes',
      { add: (before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed()) },
      'cut to 20 digits',
    ],
  ],
  'deposit: 12 digits before the point are credited exactly': [
    ['numeric(18,8)', fails((one) => one.actualDepositAmount.gte(1e10)), 'may be too narrow'],
  ],
  'deposit: small amounts are credited exactly': [
    ['drops dust', drops((one) => one.actualDepositAmount.lt('0.0001')), 'A small amount'],
  ],
  'deposit: cents, halves and thirds are credited exactly': [
    ['toFixed(2)', credits((amount) => amount.toFixed(2)), 'rounded to 2 decimals'],
    [
      'a truncated satoshi',
      credits((amount) => (amount.dp() > 8 ? amount : Math.trunc(Number(amount) * 1e8) / 1e8)),
      'It differs by one unit',
    ],
    ['a sum of doubles', SUM_OF_DOUBLES, 'The amount was a double'],
  ],
  'deposit: every form of a body is credited once': [
    [
      'refuses a string',
      reads((json) => typeof json.actualDepositAmount === 'string', 400),
      'every amount as a string; seed',
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
      'the identifier as it was sent',
      { keyOf: (_, { body }) => JSON.parse(textOf(body)).depositId },
      'identifiers in capitals; seed',
    ],
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
    ['refuses a negative fee', refuses((one) => !!one.onChainFee?.lt(0)), 'onChainFee -0.01; seed'],
    ['credits FIXED only', drops((one) => one.rateType !== 'FIXED'), 'decides nothing'],
    ['varchar(64)', fails((one) => `${one.depositAddress}`.length > 64), 'may be too narrow'],
    [
      'drops what is late',
      drops((one) => Number(one.paymentReceivedAt) > Number(one.expirationTime ?? Infinity)),
      'dropped because it is late',
    ],
  ],
  'withdrawal: a value that decides nothing changes nothing': [
    ['requires a tag', fails((one) => one.toTxAddress?.destinationTag === null), 'without a tag'],
  ],
  'deposit: each optional field may be missing': [
    ['requires a network', fails((one) => one.network === null), 'without network; seed'],
  ],
  'withdrawal: each optional field may be missing': [
    ['requires an owner', refuses((one) => one.txAddressOwner === null), 'depends on this field'],
  ],
  'deposit: an unknown field changes nothing': [
    ['jsonb', fails((one) => one.additionalFields.unknownField === '\0'), 'refuse \\u0000'],
  ],
  'deposit: a currency of three, four or five letters is credited, or held': [
    ['varchar(4)', moves(({ currency }) => ({ currency: currency.slice(0, 4) })), 'MATIC; seed'],
    ['drops Ether', drops((one) => one.depositCurrency === 'ETH'), 'Its currency is cut off, unk'],
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
      debits((one) => one.estimatedWithdrawAmount),
      'This is estimatedWithdrawAmount',
    ],
  ],
  'deposit: a time in another form is read, or held': [
    [
      'drops a text',
      reads((json) => typeof json.expirationTime === 'string', 200),
      'every time as a string; seed',
    ],
  ],
  'deposit: deposits that pay an order in parts add up': [
    ['the order as the key', keyed((one) => one.clientPaymentId), 'the key is that of the order'],
    ['overwrites', { add: (_, amount) => amount, requiresOrder: true }, 'was overwritten'],
  ],
  'deposit: deposits that differ only in depositId are credited': [
    [
      'transaction and amount as the key',
      keyed((one) => `${one.transactionId} ${one.actualDepositAmount}`),
      'The key is made of fields that other events share',
    ],
  ],
  'deposit: a deposit after its order is paid is credited, or held': [
    [
      'drops it',
      drops((one, { keys, balances }) => {
        const isPaid = balances.has(`${one.clientPaymentId} BTC`);
        return isPaid && !keys.has(`deposit.received:${one.depositId}`);
      }),
      'not what the order expects',
    ],
  ],
  'deposit: a second deposit in another currency is credited in that currency, or held': [
    ['in the currency of the first', IN_CURRENCY_OF_FIRST, 'but the body has no BTC'],
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
    ['the difference', MOVES_DIFFERENCE, 'The difference to what was settled'],
    ['amounts that are compared as numbers', COMPARES_NUMBERS, 'or not to the last digit'],
  ],
  'withdrawal: FAILED debits nothing': [
    ['debits it', debits((one) => one.actualWithdrawAmount), 'The status is not checked'],
    ['fails', fails((one) => one.status === 'FAILED'), 'The handler fails. See its log'],
  ],
  'withdrawal: BLOCKED debits nothing': [
    ['requires its address', fails((one) => one.toTxAddress === null), 'with required fields only'],
    ['refuses it', refuses((one) => one.status === 'BLOCKED'), 'refuses what the parser accepts'],
  ],
  'withdrawal: each status after each other one is an event, and debits once': [
    [
      'the first status is final',
      drops(({ withdrawalId, status }, { cache }) => {
        const final = cache.get(withdrawalId) ?? status;
        cache.set(withdrawalId, final);
        return final !== status;
      }),
      'FAILED, then COMPLETED; seed',
    ],
    [
      'refunds',
      debits(({ status, actualWithdrawAmount: amount }) =>
        status === 'FAILED' ? (amount?.negated() ?? null) : amount,
      ),
      'and undo nothing',
    ],
  ],
  'withdrawal: a new withdrawal after one that FAILED is debited': [
    [
      'the clientWithdrawalId as the key',
      settlesFirst((one) => one.clientWithdrawalId),
      'The key is made of fields that other events share',
    ],
  ],
  'withdrawal: without an amount, nothing is debited until the amount arrives': [
    [
      'zero',
      debits((one) => one.actualWithdrawAmount ?? new Decimal(0)),
      'the key was inserted without the amount',
    ],
    ['the estimate', debits((one) => one.estimatedWithdrawAmount), 'its amount is null'],
    [
      'the key before the amount',
      settlesFirst(({ actualWithdrawAmount }, key, { cache }) =>
        actualWithdrawAmount === null || cache.has(key) ? key : null,
      ),
      'the key was inserted without the amount',
    ],
  ],

  // ---- What can't be settled, or not yet ----
  'deposit: faulty bodies move nothing, and are kept': [
    ['keeps nothing', holds(() => false), 'The body is lost'],
    [
      '500 for faulty bodies',
      { refused: { status: 500, text: '' } },
      'Store a faulty body for review',
    ],
    [
      'decodes it first',
      byHand((fields) => /\ufffd/.test(JSON.stringify(fields)), 1),
      'decoded before they were parsed',
    ],
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
        ...settlesFirst(({ clientPaymentId: id }, _, { cache, orders }) =>
          cache.has(id) || !orders.has(id) ? id : null,
        ),
      },
      'the key was inserted though the order was unknown',
    ],
    [
      'remembers that it is unknown',
      fails(({ clientPaymentId: id }, { cache, orders }) => {
        const isKnown = cache.get(id) ?? orders.has(id);
        cache.set(id, isKnown);
        return !isKnown;
      }),
      'it is remembered as unknown',
    ],
  ],

  // ---- At the same time ----
  'deposit: five copies at the same time are credited once': [
    ['check, then insert', CHECK_THEN_INSERT, 'Several copies passed the check of the key'],
    ['fails at a copy', FAILS_AT_COPY, 'A copy failed instead of being a repeat'],
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
    ['a sum of doubles', SUM_OF_DOUBLES, 'The amount was a double'],
    ['forgets keys', FORGETS_KEYS, 'forgotten after others'],
  ],
  'deposit: five orders of one customer at the same time add up': [
    [
      'fails at the same time',
      alone(() => {
        throw new Error('a deadlock');
      }),
      'Transactions at the same time fail',
    ],
    ['others are refused', refusesWhile(429, () => 'busy'), 'Some of what arrives at the same'],
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
    ['fails for ever', FAILS_FOREVER, 'It still fails'],
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
      refusesWhile(200, (key) => key),
      'Or a copy was answered with success while another one was in progress',
    ],
  ],
  'deposit: is credited once if the keys failed': [
    ['the credit, then the key', MOVE_THEN_KEY, 'The money was committed without the key'],
    ['a key that is not found is new', IGNORES_FAILING_KEYS, 'The key is not checked'],
  ],
  'withdrawal: copies are debited once if the keys failed': [
    ['the debit, then the key', MOVE_THEN_KEY, 'The money was committed without the key'],
  ],
};
