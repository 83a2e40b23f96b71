import { Decimal as Decimal20 } from 'decimal.js';
import { Decimal } from 'payment-notifications';
import {
  BODY_AS_KEY,
  books,
  credits,
  debits,
  drops,
  type FaultRow,
  fails,
  IN_CURRENCY_OF_FIRST,
  keyed,
  moves,
  reads,
  refuses,
  SUM_OF_DOUBLES,
} from './fault-parts.js';
import { textOf } from './merchant.js';

/** Faults in what is read from bodies: amounts, forms, fields and orders. */
export const BODY_FAULTS: Readonly<Record<string, readonly FaultRow[]>> = {
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
    [
      'refuses an exponent in a string',
      reads(
        ({ actualDepositAmount: amount }) => typeof amount === 'string' && amount.includes('e'),
        400,
      ),
      '1.5e-7, every amount as a string; seed',
    ],
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
      'the transactionId as it was sent',
      { keyOf: (_, { key, body }) => `${key} ${JSON.parse(textOf(body)).transactionId}` },
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
      'expected nothing more kept for review, received one more. A plain repeat was kept',
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
    ['refuses any', fails((one) => !!one.additionalFields.unknownField), 'sent: a number; seed'],
    [
      'refuses an object',
      fails((one) => typeof one.additionalFields.unknownField === 'object'),
      'sent: an object; seed',
    ],
    ['jsonb', fails((one) => one.additionalFields.unknownField === '\0'), 'refuse \\u0000'],
  ],
  'deposit: a currency of three, four or five letters is credited, or held': [
    ['varchar(4)', moves(({ currency }) => ({ currency: currency.slice(0, 4) })), 'MATIC; seed'],
    ['refuses Ether', refuses((one) => one.depositCurrency === 'ETH'), 'Its currency is cut'],
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
    [
      'drops what is far from it',
      drops((one) => !!one.estimatedWithdrawAmount?.gt(one.actualWithdrawAmount?.times(1.5) ?? 0)),
      'sent: 1.6 estimated; seed',
    ],
  ],
  'deposit: a time in another form is read, or held': [
    [
      'drops a text',
      reads((json) => typeof json.expirationTime === 'string', 200),
      'every time as a string; seed',
    ],
    [
      'drops a fraction',
      reads((json) => Number(json.expirationTime) % 1 > 0, 200),
      'every time with decimals; seed',
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
    ['drops it', drops((one) => one.depositCurrency === 'LTC'), 'Its currency is cut off'],
    ['in the currency of the first', IN_CURRENCY_OF_FIRST, 'but the body has no BTC'],
  ],
};
