import { isUtf8 } from 'node:buffer';
import { Decimal } from 'payment-notifications';
import { BODY_FAULTS } from './body-faults.js';
import {
  alone,
  BOTH_CURRENCIES,
  byHand,
  CHECK_THEN_INSERT,
  COMPARES_NUMBERS,
  credits,
  DEADLOCKS,
  debits,
  drops,
  FAILS_AT_COPY,
  FAILS_FOREVER,
  type FaultRow,
  FORGETS_KEYS,
  fails,
  holds,
  IGNORES_FAILING_KEYS,
  keyed,
  MOVE_THEN_KEY,
  MOVES_DIFFERENCE,
  moves,
  READ_THEN_WRITE,
  refuses,
  refusesWhile,
  SUM_OF_DOUBLES,
  settlesFirst,
  WITHOUT_KEY,
} from './fault-parts.js';
import { RIGHT, tick } from './merchant.js';

/** The faults that each test finds, by its name. */
export const FAULTS: Readonly<Record<string, readonly FaultRow[]>> = {
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
    [
      'fails at first',
      fails((_, { cache }) => !cache.has('first') && !!cache.set('first', true)),
      'received 500. See the log of your server',
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

  ...BODY_FAULTS,

  // ---- The key ----
  'deposit: A, B, then A again are credited once each': [
    ['no key', WITHOUT_KEY, 'forgotten after others'],
  ],
  'deposit: two events of one transactionId are credited, and two without one': [
    ['the transactionId as the key', keyed((one) => one.transactionId), 'that other events share'],
    ['varchar(64)', fails((one) => `${one.transactionId}`.length > 64), 'may be too narrow'],
    ['requires a hash', fails((one) => one.transactionId === null), 'depends on this field'],
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
    ['refuses no address', refuses((one) => one.toTxAddress === null), 'depends on this field'],
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
      'the withdrawalId as the key',
      settlesFirst((one) => one.withdrawalId),
      'The key lacks the status',
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
    [
      'FAILED closes the clientWithdrawalId',
      settlesFirst(({ status, clientWithdrawalId: id }, _, { cache }) =>
        status === 'FAILED' || cache.has(id) ? id : null,
      ),
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
      'keeps text only',
      { hold: (body, store) => void (isUtf8(body) && RIGHT.hold(body, store)) },
      'bytes that are not UTF-8; seed',
    ],
    [
      '500 for faulty bodies',
      { refused: { status: 500, text: '' } },
      'expected a status of 2xx or 4xx, received 500. Store a faulty body for review',
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
    [
      'drops it',
      { requiresOrder: true, hold: () => {} },
      'expected an answer of 5xx, or one more kept for review, received neither. The body is lost',
    ],
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
    ['the order as the key', keyed((one) => one.clientPaymentId), 'one is dropped while another'],
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
    ['deadlocks', DEADLOCKS, 'Transactions at the same time fail'],
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
