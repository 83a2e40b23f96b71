import { setImmediate as tick } from 'node:timers/promises';
import { Decimal, type PaymentNotification } from 'payment-notifications';
import { createReceiver, type DeliveryContext } from 'payment-notifications/receiver';
import type { HandlerTestsOptions } from 'payment-notifications/testing';

/** What a handler may do wrong. */
export const MUTANTS = [
  'Number()',
  'toFixed(8)',
  'toDecimalPlaces(5)',
  'no key check',
  'check-then-insert race',
  'key committed before the credit',
  '200 although the database failed',
  'estimate when the actual is null',
  'key of a withdrawal without amount',
  'debits FAILED',
  'ignores the second deposit',
  'overwrites instead of adds',
  'credits on conflict',
  '500 for faulty bodies',
  'credits settlementAmount',
  'key of the raw body',
  'refuses what it does not know',
] as const;

/** A handler with a database in memory, right but for one fault, and what the tests of a handler need of it. */
export function merchant(mutant?: (typeof MUTANTS)[number]): HandlerTestsOptions {
  const is = (name: (typeof MUTANTS)[number]) => name === mutant;
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
    if (status !== 'COMPLETED' && !is('debits FAILED')) return null;
    const estimate = is('estimate when the actual is null') ? estimatedWithdrawAmount : null;
    return (actualWithdrawAmount ?? estimate)?.negated() ?? null;
  };
  const round = (amount: Decimal): Decimal => {
    if (is('toFixed(8)')) return new Decimal(amount.toFixed(8));
    return is('toDecimalPlaces(5)') ? amount.toDecimalPlaces(5) : amount;
  };
  const change = (account: string, currency: string, amount: Decimal) => {
    if (isBroken) throw new Error('the database failed');
    const accounts = balances.get(currency) ?? new Map<string, Decimal | number>();
    balances.set(currency, accounts);
    const before = is('overwrites instead of adds') ? 0 : (accounts.get(account) ?? 0);
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
    if (is('key of the raw body')) key = `${context.body}`;
    if (is('ignores the second deposit') && isDeposit) key = account;
    if (is('refuses what it does not know') && notification.warnings.length > 0) {
      return { status: 400, text: 'warnings' };
    }
    const amount = amountOf(notification);
    if (amount === null) {
      if (is('key of a withdrawal without amount')) keys.set(key, 'held');
      return undefined;
    }
    const known = keys.get(key);
    if (is('check-then-insert race')) await tick();
    if (known !== undefined && !is('no key check')) {
      if (is('credits on conflict') && known !== `${amount}`) change(account, currency, amount);
      return undefined;
    }
    if (is('key committed before the credit')) keys.set(key, `${amount}`);
    try {
      change(account, currency, amount);
    } catch (error) {
      if (!is('200 although the database failed')) throw error;
    }
    keys.set(key, `${amount}`);
    return undefined;
  }

  const receiver = createReceiver({
    secret: null,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    onRefused: async () => (is('500 for faulty bodies') ? { status: 500, text: '' } : undefined),
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
