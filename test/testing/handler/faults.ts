import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Decimal as Decimal20 } from 'decimal.js';
import { Decimal } from 'payment-notifications';
import { type Call, customerOf, type Handler, isSame, right, tick } from './shop.js';

/** A fault, the cause that the failure names, and the handler that has it. */
type Fault = readonly [fault: string, cause: string, handler: Handler, onFaulty?: Handler];
const fault = (name: string, cause: string, handler: Handler): Fault => [name, cause, handler];
/** A fault in what a handler does with bodies that the parser refuses. */
const onFaulty = (name: string, cause: string, handler: Handler): Fault => {
  return [name, cause, right, handler];
};

/** Reads the balance, and writes it after a while. */
const readThenWrite: Handler = async (call) => {
  const { db, move } = call;
  const ofCustomer = { ...move, account: `${customerOf(call)}` };
  if (db.keys.has(move.key)) return 200;
  db.keys.set(move.key, ofCustomer);
  const before = new Decimal(db.get(ofCustomer));
  await tick();
  db.set(ofCustomer, before.plus(move.amount));
  return 200;
};
/** Adds doubles to the balance of a customer. */
const sumOfDoubles: Handler = (call) => {
  const { db, move } = call;
  const ofCustomer = { ...move, account: `${customerOf(call)}` };
  if (db.keys.has(move.key)) return 200;
  db.keys.set(move.key, move);
  db.set(ofCustomer, Number(db.get(ofCustomer)) + Number(move.amount));
  return 200;
};
/** Commits the money, then the key. */
const moneyThenKey: Handler = ({ db, move }) => {
  if (db.keys.has(move.key)) return 200;
  db.add(move);
  db.use('keys');
  db.keys.set(move.key, move);
  return 200;
};
/** Locks in different orders: what arrives while it works on the other type fails. */
const deadlocks: Handler = async ({ db, one, move, settle }) => {
  const other = db.memory.get(move.currency);
  if (other !== undefined && other !== one.type) return 500;
  db.memory.set(move.currency, one.type);
  await tick();
  db.memory.delete(move.currency);
  return settle();
};
/** Takes the first of several events with one name for all. */
const once =
  (nameOf: (call: Call) => string | null): Handler =>
  (call) => {
    const name = nameOf(call);
    return name !== null && !call.db.once(name) ? 200 : call.settle();
  };
/** Credits a faulty body by hand. */
const creditByHand = ({ db, json }: Call, times = 1): number => {
  const amount = new Decimal(`${json.actualDepositAmount}`).times(times);
  db.add({ key: '', account: 'by hand', currency: `${json.depositCurrency}`, amount });
  return 200;
};
/** Remembers what is in progress, and answers what else arrives. */
const whileBusy =
  (nameOf: (call: Call) => string, status: number): Handler =>
  async (call) => {
    const name = nameOf(call);
    if (!call.db.once(name)) return status;
    await tick();
    call.db.memory.delete(name);
    return call.settle();
  };
const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex');

/** The faults that each test finds, by its name. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'deposit: the plainest one is credited': [
    fault('the address as the key', 'that other events share', ({ one, settle }) =>
      settle({ key: `${one.depositAddress}` }),
    ),
    fault(
      'address and amount as the key',
      'that other events share, such as those of an order, an address',
      ({ one, move, settle }) => settle({ key: `${one.depositAddress} ${move.amount}` }),
    ),
    fault('settlementAmount', 'This is settlementAmount', ({ one, settle }) =>
      settle({ amount: one.settlementAmount }),
    ),
    fault('net', 'onChainFee was subtr', ({ one, move, settle }) =>
      settle({ amount: move.amount.minus(one.onChainFee ?? 0) }),
    ),
    fault('twice', 'The amount was moved 2 times', ({ move, settle }) =>
      settle({ amount: move.amount.times(2) }),
    ),
    fault('in satoshi', '100000000 times too large', ({ move, settle }) =>
      settle({ amount: move.amount.times(1e8) }),
    ),
    fault(
      'the display amount',
      'The handler moved +21.75 EUR, which is actualDisplayAmount',
      ({ one, settle }) =>
        settle({ currency: one.displayCurrency, amount: one.actualDisplayAmount }),
    ),
    fault(
      'converted to euros',
      'The handler moved +3.5 EUR. If that is intended',
      ({ move, settle }) => settle({ currency: 'EUR', amount: move.amount.times(2) }),
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
      'refuses what has expired',
      'A webhook with a later expirationTime passes. The handler drops a deposit that is late',
      ({ one, settle }) => (Number(one.expirationTime) < 1.8e12 ? 400 : settle()),
    ),
    fault(
      'fails once it has settled',
      'The balance changed all the same',
      ({ settle }) => settle() && 500,
    ),
    fault(
      'the display amount as well',
      'The balances of several currencies changed',
      ({ db, one, move, settle }) => {
        if (!db.keys.has(move.key)) db.add({ ...move, currency: one.displayCurrency });
        return settle();
      },
    ),
  ],
  'withdrawal: the plainest one is debited': [
    fault('credits it', 'The sign is wrong', ({ move, settle }) =>
      settle({ amount: move.amount.negated() }),
    ),
    fault('and the fee', 'withdrawFee was added', ({ one, move, settle }) =>
      settle({ amount: move.amount.minus(one.withdrawFee ?? 0) }),
    ),
    fault('refuses a tag', 'A webhook without a tag passes', ({ one, settle }) =>
      one.toTxAddress?.destinationTag ? 400 : settle(),
    ),
  ],

  // ---- The amount, and what else the body says ----
  'deposit: 18 decimals are credited exactly': [
    fault('toFixed(8)', 'rounded to 8 decimals', ({ move, settle }) =>
      settle({ amount: move.amount.toFixed(8) }),
    ),
    fault('Number()', 'The amount was a double', ({ move, settle }) =>
      settle({ amount: Number(move.amount) }),
    ),
    fault('drops it', 'The handler dropped the webhook, or used', () => 200),
    fault('keeps it', 'The webhook was kept for review', ({ keep }) => keep(200)),
  ],
  'deposit: 28 digits are credited exactly': [
    fault('decimal.js as it comes', 'rounded to 20 digits', (call) => {
      const { db, move } = call;
      const ofCustomer = { ...move, account: `${customerOf(call)}` };
      if (!db.keys.has(move.key))
        db.set(
          ofCustomer,
          new Decimal(new Decimal20(db.get(ofCustomer)).plus(`${move.amount}`).toFixed()),
        );
      db.keys.set(move.key, move);
      return 200;
    }),
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
    fault('a sum of doubles', 'The amount was a double', sumOfDoubles),
    fault('toFixed(2)', 'rounded to 2 decimals', ({ move, settle }) =>
      settle({ amount: move.amount.toFixed(2) }),
    ),
    fault('a truncated satoshi', 'The last digit differs by one', ({ move, settle }) =>
      settle({
        amount: move.amount.dp() > 8 ? move.amount : Math.trunc(Number(move.amount) * 1e8) / 1e8,
      }),
    ),
  ],
  'deposit: every form of a body is credited once': [
    fault(
      'refuses a string',
      'Accept amounts that are strings. Or use createReceiver',
      ({ json, settle }) => (typeof json.actualDepositAmount === 'string' ? 400 : settle()),
    ),
    fault('reads one content type', 'Accept any content type', ({ contentType, settle }) =>
      contentType === 'application/json' ? settle() : 415,
    ),
    fault('the body as the key', 'builds it from how the body is written', ({ body, settle }) =>
      settle({ key: sha256(body) }),
    ),
    fault(
      'the identifier as it was sent',
      'again, after identifiers in capitals; seed',
      ({ json, settle }) => settle({ key: `${json.depositId}` }),
    ),
    fault(
      'keeps each repeat for review',
      'The handler kept a plain repeat',
      ({ db, key, keep, settle }) => (db.keys.has(key) ? keep(200) : settle()),
    ),
    fault('no key', 'does not check the key, or builds it', ({ db, move }) => {
      db.add(move);
      return 200;
    }),
  ],
  'deposit: other fields do not matter': [
    fault('refuses a negative fee', 'onChainFee -0.01; seed', ({ one, settle }) =>
      one.onChainFee?.lt(0) ? 400 : settle(),
    ),
    fault('varchar(64)', 'may be too narrow', ({ one, settle }) =>
      `${one.depositAddress}`.length > 64 ? 500 : settle(),
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
  'deposit: an unknown field does not matter': [
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
  'deposit: a currency of three, four or five letters is credited, or kept for review': [
    fault('varchar(4)', 'MATIC; seed', ({ move, settle }) =>
      settle({ currency: move.currency.slice(0, 4) }),
    ),
    fault('refuses Ether', 'truncated, refused or replaced the currency', ({ move, settle }) =>
      move.currency === 'ETH' ? 400 : settle(),
    ),
  ],
  'deposit: the actual amount is credited, not the expected one': [
    fault('drops less than expected', 'or not what the order expects', ({ one, move, settle }) =>
      move.amount.lt(one.expectedDepositAmount ?? 0) ? 200 : settle(),
    ),
  ],
  'withdrawal: the actual amount is debited, not the estimate': [
    fault('the estimate', 'This is estimatedWithdrawAmount', ({ one, settle }) =>
      settle({ amount: `-${one.estimatedWithdrawAmount}` }),
    ),
  ],
  'deposit: a time in another form is read, or the webhook is kept for review': [
    fault('drops a text', 'every time as a string; seed', ({ json, settle }) =>
      typeof json.expirationTime === 'string' ? 200 : settle(),
    ),
  ],
  'deposit: deposits that pay an order in parts add up': [
    fault('the order as the key', 'not the order, as the key', ({ move, settle }) =>
      settle({ key: move.account }),
    ),
    fault('overwrites', 'was overwritten', (call) => {
      const { db, move } = call;
      if (!db.keys.has(move.key)) db.set({ ...move, account: `${customerOf(call)}` }, move.amount);
      db.keys.set(move.key, move);
      return 200;
    }),
  ],
  'deposit: deposits that differ only in depositId are credited': [
    fault(
      'transaction and amount as the key',
      'The key is made of fields that other events share',
      ({ one, move, settle }) => settle({ key: `${one.transactionId} ${move.amount}` }),
    ),
  ],
  'deposit: a deposit after its order is paid is credited, or kept for review': [
    fault('drops it', 'or not what the order expects', ({ db, key, move, settle }) =>
      db.get(move) !== 0 && !db.keys.has(key) ? 200 : settle(),
    ),
  ],
  'deposit: a second deposit in another currency is credited in it, or kept for review': [
    fault('drops it', 'truncated, refused or replaced the currency', ({ move, settle }) =>
      move.currency === 'LTC' ? 200 : settle(),
    ),
    fault('in the currency of the first', 'but the webhook has no BTC', ({ db, move, settle }) => {
      const first = [...db.keys.values()].find(({ account }) => account === move.account);
      return settle({ currency: first?.currency ?? move.currency });
    }),
  ],

  // ---- The key ----
  'deposit: two events of one transactionId are credited, and two without one': [
    fault('the transactionId as the key', 'that other events share', ({ one, settle }) =>
      settle({ key: `${one.transactionId}` }),
    ),
    fault('requires a hash', 'depends on this field', ({ one, settle }) =>
      one.transactionId === null ? 500 : settle(),
    ),
  ],
  'deposit: a known key with another amount, order or currency moves nothing, and is kept': [
    fault('the amount in the key', 'from fields that may change', ({ key, move, settle }) =>
      settle({ key: `${key} ${move.amount}` }),
    ),
    fault(
      'the difference',
      'moved the difference from the settled amount',
      ({ db, move, settle, keep }) => {
        const known = db.keys.get(move.key);
        if (!known || isSame(known, move)) return settle();
        if (known.currency === move.currency)
          db.add({ ...move, amount: move.amount.minus(known.amount ?? 0) });
        return keep(200);
      },
    ),
    fault(
      'amounts that are compared as numbers',
      'compare order, currency and the exact amount',
      ({ db, move, settle }) => {
        const known = db.keys.get(move.key);
        const isSameNumber =
          known?.currency === move.currency && Number(known.amount) === Number(move.amount);
        return isSameNumber ? 200 : settle();
      },
    ),
  ],
  'withdrawal: FAILED debits nothing': [
    fault('debits it', 'Check the status', ({ one, settle }) =>
      settle({ amount: `-${one.actualWithdrawAmount ?? 0}` }),
    ),
    fault(
      'debits what has a transactionId',
      'with an amount and a transactionId; seed',
      ({ one, settle }) =>
        settle({ amount: one.transactionId ? `-${one.actualWithdrawAmount ?? 0}` : null }),
    ),
    fault('fails', 'The handler fails. See its log', ({ one, settle }) =>
      one.status === 'FAILED' ? 500 : settle(),
    ),
  ],
  'withdrawal: BLOCKED debits nothing': [
    fault('requires its address', 'with required fields only', ({ one, settle }) =>
      one.toTxAddress === null ? 500 : settle(),
    ),
    fault('refuses it', 'refuses what the parser accepts', ({ one, settle }) =>
      one.status === 'BLOCKED' ? 400 : settle(),
    ),
  ],
  'withdrawal: each status after each other one is an event, and debits once': [
    fault('the first status is final', 'FAILED, then COMPLETED; seed', ({ db, one, settle }) => {
      const final = db.memory.get(one.withdrawalId) ?? one.status;
      db.memory.set(one.withdrawalId, final);
      return final === one.status ? settle() : 200;
    }),
    fault('refunds', 'and never reverse a debit', ({ one, settle }) =>
      settle(one.status === 'FAILED' ? { amount: one.actualWithdrawAmount } : {}),
    ),
  ],
  'withdrawal: a new withdrawal after one that FAILED is debited': [
    fault(
      'FAILED closes the clientWithdrawalId',
      'The key is made of fields that other events share',
      once(({ db, one: { status, clientWithdrawalId: id } }) =>
        status === 'FAILED' || db.memory.has(id) ? id : null,
      ),
    ),
  ],
  'withdrawal: without an amount, nothing is debited until the amount arrives': [
    fault('zero', 'inserted before the amount was known', ({ one, settle }) =>
      settle({ amount: `-${one.actualWithdrawAmount ?? 0}` }),
    ),
    fault('the estimate', 'although the amount is null', ({ one, settle }) =>
      settle({ amount: `-${one.estimatedWithdrawAmount}` }),
    ),
  ],

  // ---- What can't be settled, or not yet ----
  'deposit: faulty bodies move nothing, and are kept': [
    onFaulty('keeps nothing', 'The webhook is lost', () => 400),
    onFaulty('keeps text only', 'bytes that are not UTF-8; seed', ({ body, keep }) =>
      isUtf8(body) ? keep(400) : 400,
    ),
    onFaulty(
      '500 for faulty bodies',
      'expected a status of 2xx or 4xx, received 500. Store a faulty body for review',
      () => 500,
    ),
    onFaulty('decodes it first', 'decoded before they were parsed', (call) =>
      /\ufffd/.test(JSON.stringify(call.json)) ? creditByHand(call) : call.keep(400),
    ),
    onFaulty(
      'credits without a status',
      'without the parsers of this package. Refuse a status that you do not know',
      (call) => (call.json.status === 'PENDING' ? creditByHand(call) : call.keep(400)),
    ),
  ],
  'deposit: different faulty bodies at the same time are kept': [
    onFaulty('one at a time', 'expected 5 more kept for review, received 1', ({ db, keep }) =>
      db.once('busy') ? keep(400) : 400,
    ),
  ],
  'deposit: edge cases are refused, or credited exactly': [
    onFaulty('credits it twice', 'Refuse a lone surrogate, or store the bytes', (call) =>
      call.json.displayCurrency === '\ud800' ? creditByHand(call, 2) : call.keep(400),
    ),
    onFaulty('drops it', 'expected 1 more kept for review, received 0', (call) =>
      call.json.displayCurrency === '\ud800' ? 200 : call.keep(400),
    ),
  ],
  'deposit: an unknown order is credited after it is inserted': [
    fault(
      'drops it',
      'or one more kept for review, received neither. The webhook is lost',
      (call) => (customerOf(call) ? call.settle() : 200),
    ),
    fault('the key of it', 'inserted although the order was unknown', (call) => {
      const isKnown = customerOf(call) !== undefined && !call.db.memory.has(call.key);
      if (isKnown) return call.settle();
      call.db.memory.set(call.key, true);
      return call.keep(200);
    }),
    fault('remembers that it is unknown', 'remembers that it was unknown', (call) => {
      const { db, move, settle } = call;
      const isKnown = db.memory.get(move.account) ?? customerOf(call) !== undefined;
      db.memory.set(move.account, isKnown);
      return isKnown ? settle() : 500;
    }),
  ],

  // ---- At the same time ----
  'deposit: five copies at the same time are credited once': [
    fault(
      'check, then insert',
      'Several copies passed the check of the key',
      async ({ db, move }) => {
        const isKnown = db.keys.has(move.key);
        await tick();
        if (isKnown) return 200;
        db.keys.set(move.key, move);
        db.add(move);
        return 200;
      },
    ),
    fault('fails at a copy', 'A duplicate failed', ({ db, key, settle }) =>
      db.keys.has(key) ? 500 : settle(),
    ),
    fault('refuses a copy', 'A duplicate was refused', async ({ db, key, settle }) => {
      await tick();
      return db.keys.has(key) ? 409 : settle();
    }),
  ],
  'deposit: five deposits of one order at the same time add up': [
    fault('a sum of doubles', 'The amount was a double', sumOfDoubles),
    fault('forgets keys', 'deleted it after later events', ({ db, settle }) => {
      const status = settle();
      const [oldest = ''] = db.keys.keys();
      if (db.keys.size > 10) db.keys.delete(oldest);
      return status;
    }),
  ],
  'deposit: five orders of one customer at the same time add up': [
    fault(
      'fails at the same time',
      'Concurrent transactions fail',
      whileBusy(() => 'busy', 500),
    ),
    fault(
      'others are refused',
      'Some concurrent webhooks were refused',
      whileBusy(() => 'busy', 429),
    ),
  ],
  'withdrawal: five withdrawals at the same time add up': [
    fault('read, then written', 'overwrite each other', readThenWrite),
  ],
  'both: deposits and withdrawals of one customer at the same time add up': [
    fault('deadlocks', 'Concurrent transactions fail', deadlocks),
  ],

  // ---- While a part of the database fails ----
  'deposit: is credited once after writing balances failed': [
    fault(
      'the key in memory, then the credit',
      'The key was saved without the money',
      once(({ key }) => key),
    ),
    fault(
      '200 if the database fails',
      'but the balance never changed. The handler caught an error',
      ({ settle }) => {
        try {
          return settle();
        } catch {
          return 200;
        }
      },
    ),
    fault('fails for ever', 'The handler still fails after the repair', ({ db, settle }) => {
      if (db.memory.has('aborted')) return 500;
      db.memory.set('aborted', true);
      const status = settle();
      db.memory.delete('aborted');
      return status;
    }),
  ],
  'withdrawal: is debited once after writing balances failed': [
    fault('400 if the database fails', 'might not resend a refused webhook', ({ settle }) => {
      try {
        return settle();
      } catch {
        return 400;
      }
    }),
  ],
  'deposit: copies are credited once after writing balances failed': [
    fault(
      'a copy in progress is a repeat',
      'Or a copy was answered with success while another one was in progress',
      whileBusy(({ key }) => key, 200),
    ),
  ],
  'deposit: is credited once after writing keys failed': [
    fault('the credit, then the key', 'The money was committed without the key', moneyThenKey),
  ],
  'withdrawal: copies are debited once after writing keys failed': [
    fault('the debit, then the key', 'The money was committed without the key', moneyThenKey),
  ],
};
