import { Decimal as Decimal20 } from 'decimal.js';
import { Decimal } from 'payment-notifications';
import { customerOf, type Fault, fault, type Handler } from './shop.js';

type Balance = Decimal | number;

/** Reads the balance of a customer, and writes another one, once for each key. */
export const writes =
  (afterOf: (before: Balance, amount: Decimal) => Balance): Handler =>
  (call) => {
    const { db, move } = call;
    if (db.keys.has(move.key)) return 200;
    db.keys.set(move.key, move);
    const ofCustomer = { ...move, account: `${customerOf(call)}` };
    db.set(ofCustomer, afterOf(db.get(ofCustomer), move.amount));
    return 200;
  };

/** The faults of reading that each test finds, by its name. */
export const FAULTS_OF_READING: Readonly<Record<string, readonly Fault[]>> = {
  'deposit: a plain webhook is credited': [
    fault(
      'address and amount as the key',
      'another event of the first amount; seed',
      ({ one, move, settle }) => settle({ key: `${one.depositAddress} ${move.amount}` }),
    ),
    fault('settlementAmount', 'The handler moved settlementAmount', ({ one, settle }) =>
      settle({ amount: one.settlementAmount }),
    ),
    fault('twice', 'The amount was moved 2 times', ({ move, settle }) =>
      settle({ amount: move.amount.times(2) }),
    ),
    fault('in satoshi', '100000000 times too large', ({ move, settle }) =>
      settle({ amount: move.amount.times(1e8) }),
    ),
    fault(
      'the display amount',
      'received +21.75 EUR. The handler moved another currency, or several',
      ({ one, settle }) =>
        settle({ currency: one.displayCurrency, amount: one.actualDisplayAmount }),
    ),
    fault('in the network', 'but BITCOIN is the network', ({ one, settle }) =>
      settle({ currency: `${one.network}` }),
    ),
    fault(
      'fails at first',
      'that prepare inserts the order. Another webhook passes. See the log of the first request',
      ({ db, settle }) => (db.once('first') ? 500 : settle()),
    ),
    fault(
      'refuses a number',
      "A webhook with every amount as a string passes. The handler can't read",
      ({ json, settle }) => (typeof json.actualDepositAmount === 'number' ? 400 : settle()),
    ),
    fault(
      'drops what has expired',
      'A webhook with a later expirationTime passes. The handler drops a deposit that is late',
      ({ one, settle }) => (Number(one.expirationTime) < 1.8e12 ? 200 : settle()),
    ),
    fault(
      'fails once it has settled',
      'The balance changed all the same',
      ({ settle }) => settle() && 500,
    ),
  ],
  'withdrawal: a plain webhook is debited': [
    fault('refuses a tag', 'A webhook without a tag passes', ({ one, settle }) =>
      one.toTxAddress?.destinationTag ? 400 : settle(),
    ),
  ],

  // ---- The amount, and what else the body says ----
  'deposit: 18 decimals are credited exactly': [
    fault('Number()', 'The amount was a double', ({ move, settle }) =>
      settle({ amount: Number(move.amount) }),
    ),
    fault('drops it', 'The handler dropped the webhook, or used', () => 200),
    fault('saves it for review', 'was saved for review. If the', ({ review }) => review(200)),
  ],
  'deposit: 28 digits are credited exactly': [
    fault(
      'decimal.js as it comes',
      'rounded to 20 digits',
      writes((before, amount) => new Decimal(new Decimal20(before).plus(`${amount}`).toFixed())),
    ),
  ],
  'deposit: 12 digits before the point are credited exactly': [
    fault('numeric(18,8)', 'may be too narrow', ({ move, settle }) =>
      move.amount.gte(1e10) ? 500 : settle(),
    ),
  ],
  'deposit: small amounts are credited exactly': [
    fault('drops dust', 'The handler drops a small amount', ({ move, settle }) =>
      move.amount.lt('0.0001') ? 200 : settle(),
    ),
    fault(
      'refuses an exponent in a string',
      '1.5e-7, every amount as a string; seed',
      ({ json, settle }) =>
        /e/.test(`${json.actualDepositAmount}`) && typeof json.actualDepositAmount === 'string'
          ? 400
          : settle(),
    ),
  ],
  'deposit: cents, halves and thirds are credited exactly': [
    fault('a truncated satoshi', 'The last digit differs by one', ({ move, settle }) =>
      settle({
        amount: move.amount.dp() > 8 ? move.amount : Math.trunc(Number(move.amount) * 1e8) / 1e8,
      }),
    ),
  ],
  'deposit: every form of a webhook is credited once': [
    fault(
      'refuses a string',
      'Accept amounts that are strings. Or use createReceiver',
      ({ json, settle }) => (typeof json.actualDepositAmount === 'string' ? 400 : settle()),
    ),
    fault(
      'the identifier as it was sent',
      'again, after identifiers in capitals; seed',
      ({ json, settle }) => settle({ key: `${json.depositId}` }),
    ),
    fault('refuses a repeat', 'A duplicate was refused', ({ db, key, settle }) =>
      db.keys.has(key) ? 403 : settle(),
    ),
    fault(
      'saves each repeat for review',
      'The handler saved a duplicate',
      ({ db, key, review, settle }) => (db.keys.has(key) ? review(200) : settle()),
    ),
  ],
  'deposit: other fields may have any valid value': [
    fault('refuses a negative fee', 'onChainFee -0.01; seed', ({ one, settle }) =>
      one.onChainFee?.lt(0) ? 400 : settle(),
    ),
    fault('drops what is late', 'drops a deposit that is late', ({ one, settle }) =>
      Number(one.paymentReceivedAt) > Number(one.expirationTime) ? 200 : settle(),
    ),
  ],
  'deposit: each optional field may be missing': [
    fault('requires a network', 'without network; seed', ({ one, settle }) =>
      one.network === null ? 500 : settle(),
    ),
  ],
  'deposit: an unknown field changes nothing': [
    fault('refuses any', 'sent: a number; seed', ({ json, settle }) =>
      'unknownField' in json ? 500 : settle(),
    ),
    fault('jsonb', 'refuse \\u0000', ({ json, settle }) =>
      json.unknownField === '\0' ? 500 : settle(),
    ),
  ],
  'deposit: a body of 10 kB is credited': [
    fault('limits it to 8 kB', 'A body of 10 kB is refused or truncated', ({ body, settle }) =>
      body.length > 8_192 ? 413 : settle(),
    ),
  ],
  'deposit: a currency of three, four or five letters is credited, or saved for review': [
    fault('varchar(4)', 'MATIC; seed', ({ move, settle }) =>
      settle({ currency: move.currency.slice(0, 4) }),
    ),
  ],
  'deposit: the actual amount is credited, not the expected one': [
    fault(
      'drops less than expected',
      'or differs from the expected amount',
      ({ one, move, settle }) => (move.amount.lt(one.expectedDepositAmount ?? 0) ? 200 : settle()),
    ),
  ],
  'withdrawal: the actual amount is debited, not the estimate': [
    fault('the estimate', 'The handler moved estimatedWithdrawAmount', ({ one, settle }) =>
      settle({ amount: `-${one.estimatedWithdrawAmount}` }),
    ),
  ],
  'deposit: a webhook with a time in another form is credited, or saved for review': [
    fault('drops a text', 'every time as a string; seed', ({ json, settle }) =>
      typeof json.expirationTime === 'string' ? 200 : settle(),
    ),
  ],
  'deposit: deposits that pay an order in parts add up': [
    fault(
      'the order as the key',
      'only one of two events that share the order',
      ({ move, settle }) => settle({ key: move.account }),
    ),
    fault(
      'overwrites',
      'was overwritten',
      writes((_, amount) => amount),
    ),
  ],
  'deposit: deposits that differ only in depositId are all credited': [
    fault(
      'transaction and amount as the key',
      'of its order, amount and transaction; seed',
      ({ one, move, settle }) => settle({ key: `${one.transactionId} ${move.amount}` }),
    ),
  ],
  'deposit: a deposit after its order is paid is credited, or saved for review': [
    fault('drops it', 'or differs from the expected amount', ({ db, key, move, settle }) =>
      db.get(move) !== 0 && !db.keys.has(key) ? 200 : settle(),
    ),
  ],
  'deposit: a second deposit in another currency is credited in that currency, or saved for review':
    [
      fault(
        'in the currency of the first',
        '+0.5 BTC. The handler moved another currency',
        ({ db, move, settle }) => {
          const first = [...db.keys.values()].find(({ account }) => account === move.account);
          return settle({ currency: first?.currency ?? move.currency });
        },
      ),
    ],
};
