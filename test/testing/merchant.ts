import { setImmediate as tick } from 'node:timers/promises';
import { Decimal, type PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';
import type { HandlerTestsOptions } from 'payment-notifications/testing';

const DOUBLE = 'The amount was a double. Look for Number(), parseFloat(), JSON.parse';
const COPIES = 'five copies at the same time are credited once';
const PASSED = 'Several copies passed the check of the key. Insert it into a unique column';
const ENCODING = 'every encoding is credited once';
const BROKEN = 'answered 500 while the database fails, credited afterwards';
const BROKEN_WITHDRAWAL = 'answered 500 while the database fails, debited afterwards';
const WITHOUT_AMOUNT = 'without an amount, nothing is debited until the amount arrives';
const CONFLICT = 'a known key with another amount moves nothing';
const TWO_DEPOSITS = 'two deposits of one order add up';
const ORDER = 'The key is that of the order, or the balance is overwritten';
const AT_ONCE = 'five deposits at the same time add up';
const FAULTY = 'faulty bodies are refused and move nothing';

/** What a handler may do wrong, which test finds it, and the cause that the failure names. */
export const MUTANTS = {
  'Number()': ['deposit', '18 decimals are credited exactly', DOUBLE],
  'JSON.parse()': ['deposit', '28 digits are credited exactly', DOUBLE],
  'toFixed(8)': ['deposit', '28 digits are credited exactly', 'rounded to 8 decimals'],
  'toDecimalPlaces(5)': ['deposit', '18 decimals are credited exactly', 'rounded to 5 decimals'],
  'no key check': ['deposit', COPIES, PASSED],
  'check-then-insert race': ['deposit', COPIES, PASSED],
  'fails at a copy': ['deposit', COPIES, 'A copy failed instead of being a repeat'],
  'key of the raw body': ['deposit', ENCODING, 'depends on how the body is written'],
  'key committed before the credit': ['deposit', BROKEN, 'The key was committed without'],
  '200 although the database failed': ['deposit', BROKEN, 'The error of the database was caught'],
  '400 if the database fails': ['withdrawal', BROKEN_WITHDRAWAL, 'A refusal may not be repeated'],
  'estimate when the actual is null': ['withdrawal', WITHOUT_AMOUNT, 'An estimate was debited'],
  'key of a withdrawal without amount': ['withdrawal', WITHOUT_AMOUNT, 'The key was inserted'],
  'debits FAILED': ['withdrawal', 'FAILED debits nothing', 'The status is not checked'],
  'debits BLOCKED': ['withdrawal', 'BLOCKED debits nothing', 'The status is not checked'],
  'ignores the second deposit': ['deposit', TWO_DEPOSITS, ORDER],
  'overwrites instead of adds': ['deposit', TWO_DEPOSITS, ORDER],
  'writes a balance that it read before': ['deposit', AT_ONCE, 'The balance was read and then'],
  'credits on conflict': ['deposit', CONFLICT, 'The key is not checked, or contains the amount'],
  '500 for faulty bodies': ['deposit', FAULTY, 'The handler fails at a faulty body'],
  '200 for faulty bodies': ['deposit', FAULTY, 'The handler accepts a faulty body'],
  'credits settlementAmount': ['deposit', ENCODING, 'This is settlementAmount. If you want that'],
  'refuses unknown fields': ['deposit', 'an unknown field changes nothing', 'refuses what the'],
  'refuses warnings': ['deposit', 'an unknown rateType changes nothing', 'refuses what the'],
} as const;

export type Mutant = keyof typeof MUTANTS;

/**
 * A handler with a database in memory, right but for one fault, and what the tests of a handler
 * need of it.
 */
export function merchant(mutant?: Mutant): HandlerTestsOptions {
  const is = (name: Mutant) => name === mutant;
  const keys = new Map<string, string>();
  const balances = new Map<string, Map<string, Decimal | number>>();
  let isBroken = false;

  const amountOf = (notification: PaymentNotification): Decimal | null => {
    if (notification.type === 'deposit.received') {
      return is('credits settlementAmount')
        ? notification.settlementAmount
        : notification.actualDepositAmount;
    }
    const { status, actualWithdrawAmount, estimatedWithdrawAmount } = notification;
    const isDebited = is('debits FAILED') ? 'FAILED' : is('debits BLOCKED') ? 'BLOCKED' : '';
    if (status !== 'COMPLETED' && status !== isDebited) return null;
    const estimate = is('estimate when the actual is null') ? estimatedWithdrawAmount : null;
    return (actualWithdrawAmount ?? estimate)?.negated() ?? null;
  };
  const round = (amount: Decimal): Decimal => {
    if (is('toFixed(8)')) return new Decimal(amount.toFixed(8));
    return is('toDecimalPlaces(5)') ? amount.toDecimalPlaces(5) : amount;
  };
  const accountsOf = (currency: string) => {
    const accounts = balances.get(currency) ?? new Map<string, Decimal | number>();
    balances.set(currency, accounts);
    return accounts;
  };
  const change = (
    account: string,
    currency: string,
    amount: Decimal,
    read = accountsOf(currency).get(account) ?? 0,
  ) => {
    if (isBroken) throw new Error('the database failed');
    const accounts = accountsOf(currency);
    const before = is('overwrites instead of adds') ? 0 : read;
    const after = is('Number()')
      ? Number(before) + Number(amount)
      : new Decimal(before).plus(round(amount));
    accounts.set(account, after);
  };

  async function settle(notification: PaymentNotification, context: DeliveryContext) {
    const isDeposit = notification.type === 'deposit.received';
    const account = isDeposit ? notification.clientPaymentId : notification.clientWithdrawalId;
    const currency = isDeposit ? notification.depositCurrency : notification.withdrawCurrency;
    let { key } = context;
    if (is('key of the raw body')) key = new TextDecoder().decode(context.body);
    if (is('ignores the second deposit') && isDeposit) key = account;
    const { warnings, additionalFields } = notification;
    if (is('refuses warnings') && warnings.length > 0) return { status: 400, text: 'warnings' };
    if (is('refuses unknown fields') && Object.keys(additionalFields).length > 0) {
      return { status: 400, text: 'unknown' };
    }
    let amount = amountOf(notification);
    if (is('JSON.parse()') && isDeposit) {
      amount = new Decimal(
        JSON.parse(`${new TextDecoder().decode(context.body)}`).actualDepositAmount,
      );
    }
    if (amount === null) {
      if (is('key of a withdrawal without amount')) keys.set(key, 'held');
      return undefined;
    }
    const known = keys.get(key);
    if (is('check-then-insert race')) await tick();
    if (known !== undefined && is('fails at a copy')) throw new Error('a unique violation');
    if (known !== undefined && !is('no key check')) {
      if (is('credits on conflict') && known !== `${amount}`) change(account, currency, amount);
      return undefined;
    }
    if (is('key committed before the credit')) keys.set(key, `${amount}`);
    try {
      const read = accountsOf(currency).get(account);
      if (is('writes a balance that it read before')) {
        keys.set(key, `${amount}`);
        await tick();
        change(account, currency, amount, read ?? 0);
      } else {
        change(account, currency, amount);
      }
    } catch (error) {
      if (is('400 if the database fails')) return { status: 400, text: '' };
      if (!is('200 although the database failed')) throw error;
    }
    keys.set(key, `${amount}`);
    return undefined;
  }

  const receiver = createReceiver({
    secret: null,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    async onRefused() {
      if (is('500 for faulty bodies')) return { status: 500, text: '' };
      return is('200 for faulty bodies') ? { status: 200, text: '' } : undefined;
    },
    onError: async () => {},
    onWarning: () => {},
  });
  return {
    url: 'http://127.0.0.1/callbacks',
    fetch: (url, init) => receiver.fetch(new Request(url, init)),
    async balance(currency) {
      let sum: Decimal | number = is('Number()') ? 0 : new Decimal(0);
      for (const amount of balances.get(currency)?.values() ?? []) {
        sum = typeof sum === 'number' ? sum + Number(amount) : sum.plus(amount);
      }
      return sum.toString();
    },
    async breakDatabase() {
      isBroken = true;
      return async () => {
        isBroken = false;
      };
    },
  };
}
