import { Decimal } from 'payment-notifications';
import { writes } from './faults-of-reading.js';
import { type Call, customerOf, type Fault, fault, type Handler, onFaulty, tick } from './shop.js';

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

/** The faults of settling that each test finds, by its name. */
export const FAULTS_OF_SETTLING: Readonly<Record<string, readonly Fault[]>> = {
  // ---- The key ----
  'deposit: two events with the same transactionId are credited, and two without any': [
    fault('the transactionId as the key', 'settles only one of two events', ({ one, settle }) =>
      settle({ key: `${one.transactionId}` }),
    ),
    fault('requires a hash', 'requires a field that may be missing', ({ one, settle }) =>
      one.transactionId === null ? 500 : settle(),
    ),
  ],
  'deposit: a known key with another amount, order or currency changes no balance, and is saved for review':
    [
      fault('the amount in the key', 'from what may change', ({ key, move, settle }) =>
        settle({ key: `${key} ${move.amount}` }),
      ),
      fault(
        'amounts that are compared as numbers',
        'order, currency or the exact amount differs',
        ({ db, move, settle }) => {
          const known = db.keys.get(move.key);
          const isSameNumber =
            known?.currency === move.currency && Number(known.amount) === Number(move.amount);
          return isSameNumber ? 200 : settle();
        },
      ),
    ],
  'withdrawal: FAILED debits nothing': [
    fault('debits what has a transactionId', 'does not check the status', ({ one, settle }) =>
      settle({ amount: one.transactionId ? `-${one.actualWithdrawAmount ?? 0}` : null }),
    ),
    fault('fails', "The handler fails. See your server's log", ({ one, settle }) =>
      one.status === 'FAILED' ? 500 : settle(),
    ),
  ],
  'withdrawal: BLOCKED debits nothing': [
    fault(
      'requires its address',
      'without toTxAddress and each optional field',
      ({ one, settle }) => (one.toTxAddress === null ? 500 : settle()),
    ),
    fault('refuses it', 'refuses a webhook that the parser accepts', ({ one, settle }) =>
      one.status === 'BLOCKED' ? 400 : settle(),
    ),
  ],
  'withdrawal: each status after another one is a new event, and only COMPLETED debits': [
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
      'settles only one of two events',
      once(({ db, one: { status, clientWithdrawalId: id } }) =>
        status === 'FAILED' || db.memory.has(id) ? id : null,
      ),
    ),
  ],
  'withdrawal: without an amount, nothing is debited until the amount arrives': [
    fault('zero', 'inserted before the amount was known', ({ one, settle }) =>
      settle({ amount: `-${one.actualWithdrawAmount ?? 0}` }),
    ),
    fault('an amount below zero', 'with an amount below zero; seed', ({ json, settle }) =>
      settle(json.actualWithdrawAmount === '-1' ? { amount: 1 } : {}),
    ),
  ],

  // ---- What can't be settled, or not yet ----
  'deposit: faulty bodies change no balance, and are saved': [
    onFaulty('saves nothing', 'The webhook is lost', () => 400),
    onFaulty(
      '500 for faulty bodies',
      'expected a status of 2xx or 4xx, received 500. Save a faulty body for review',
      () => 500,
    ),
    onFaulty('decodes it first', 'decoded before they were parsed', (call) =>
      /\ufffd/.test(JSON.stringify(call.json)) ? creditByHand(call) : call.review(400),
    ),
    onFaulty('credits any status', 'Refuse a status that you do not know', (call) =>
      call.json.status === 'PENDING' ? creditByHand(call) : call.review(400),
    ),
  ],
  'deposit: different faulty bodies at the same time are saved': [
    onFaulty('one at a time', 'expected kept to count 5 more, received 1', ({ db, review }) =>
      db.once('busy') ? review(400) : 400,
    ),
  ],
  'deposit: edge cases are refused, or credited exactly': [
    onFaulty('credits it twice', 'Refuse a lone surrogate, or save the bytes', (call) =>
      call.json.displayCurrency === '\ud800' ? creditByHand(call, 2) : call.review(400),
    ),
    onFaulty('drops it', 'expected kept to count 1 more, received 0', (call) =>
      call.json.displayCurrency === '\ud800' ? 200 : call.review(400),
    ),
  ],
  'deposit: a webhook of an unknown order is credited after the order is inserted': [
    fault('drops it', 'or kept to count one more, received neither. The webhook is lost', (call) =>
      customerOf(call) ? call.settle() : 200,
    ),
    fault('the key of it', 'inserted although the order was unknown', (call) => {
      const isKnown = customerOf(call) !== undefined && !call.db.memory.has(call.key);
      if (isKnown) return call.settle();
      call.db.memory.set(call.key, true);
      return call.review(200);
    }),
    fault('remembers that it is unknown', 'does not look up an unknown order again', (call) => {
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
  ],
  'deposit: five deposits of one order at the same time add up': [
    fault(
      'a sum of doubles',
      'The amount was a double',
      writes((before, amount) => Number(before) + Number(amount)),
    ),
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
      'others conflict',
      'Some concurrent webhooks were refused',
      whileBusy(() => 'busy', 409),
    ),
    fault(
      'others are refused',
      'The server limits the rate of requests',
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
  'deposit: a webhook is credited once after writes to the balances failed': [
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
  'withdrawal: a webhook is debited once after writes to the balances failed': [
    fault('400 if the database fails', 'might not resend a refused webhook', ({ settle }) => {
      try {
        return settle();
      } catch {
        return 400;
      }
    }),
  ],
  'deposit: copies are credited once after writes to the balances failed': [
    fault(
      'a copy in progress is a repeat',
      'or answered a copy while another one was in progress',
      whileBusy(({ key }) => key, 200),
    ),
  ],
  'deposit: a webhook is credited once after writes to the keys failed': [
    fault('the credit, then the key', 'The money was committed without the key', moneyThenKey),
  ],
  'withdrawal: copies are debited once after writes to the keys failed': [
    fault('the debit, then the key', 'The money was committed without the key', moneyThenKey),
  ],
};
