import { LosslessNumber } from 'lossless-json';
import * as rules from './rules.js';

/**
 * The functions that read a field without a library. Null where a value is unreadable.
 *
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 */
function readersOf(isLossless) {
  const isNumber = isLossless
    ? (value) => value instanceof LosslessNumber
    : (value) => typeof value === 'number';
  function amount(value) {
    const isText = typeof value === 'string' && value.length <= rules.MAX_LENGTH;
    if (!isNumber(value) && !(isText && rules.DECIMAL.test(value))) return null;
    const amount = rules.toDecimal(value);
    return rules.isWithinLimits(amount) ? amount : null;
  }
  return {
    text: (value) => (typeof value === 'string' && value !== '' ? value : null),
    id: (value) => (typeof value === 'string' && rules.UUID.test(value) ? value : null),
    among: (value, values) => (values.includes(value) ? value : null),
    amount,
    quantity(value) {
      const read = amount(value);
      return read?.isNegative() ? null : read;
    },
    time(value) {
      if (!isNumber(value) && !(typeof value === 'string' && rules.TIME.test(value))) return null;
      const date = rules.toDate(value);
      return rules.isTime(date) ? date : null;
    },
    address: (value) =>
      typeof value === 'string' && rules.hasAddress(value) ? rules.splitAddress(value) : null,
    owner: (value) => ({ name: value?.name ?? null, category: value?.category ?? null }),
  };
}

/**
 * No library: an object literal whose fields are read by functions.
 *
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 * @returns {import('./all.js').Reader}
 */
export function byHand(isLossless) {
  const { text, id, among, amount, quantity, time, address, owner } = readersOf(isLossless);
  const need = (faults, name, value) => {
    if (value === null) faults.push(name);
    return value;
  };

  function deposit(body) {
    const faults = [];
    const notification = {
      status: need(faults, 'status', among(body.status, rules.DEPOSIT_STATUSES)),
      depositId: need(faults, 'depositId', id(body.depositId)),
      paymentId: need(faults, 'paymentId', id(body.paymentId)),
      clientPaymentId: need(faults, 'clientPaymentId', text(body.clientPaymentId)),
      depositCurrency: need(faults, 'depositCurrency', text(body.depositCurrency)),
      actualDepositAmount: need(faults, 'actualDepositAmount', quantity(body.actualDepositAmount)),
      displayCurrency: need(faults, 'displayCurrency', text(body.displayCurrency)),
      actualDisplayAmount: need(faults, 'actualDisplayAmount', quantity(body.actualDisplayAmount)),
      settlementCurrency: need(faults, 'settlementCurrency', text(body.settlementCurrency)),
      settlementAmount: need(faults, 'settlementAmount', quantity(body.settlementAmount)),
      expectedDepositAmount: quantity(body.expectedDepositAmount),
      expectedDisplayAmount: quantity(body.expectedDisplayAmount),
      displayServiceFee: amount(body.displayServiceFee),
      settlementServiceFee: amount(body.settlementServiceFee),
      onChainFee: amount(body.onChainFee),
      displayRateDepegLossAmount: amount(body.displayRateDepegLossAmount),
      settlementRateDepegLossAmount: amount(body.settlementRateDepegLossAmount),
      displayDistributedUserServiceFee: amount(body.displayDistributedUserServiceFee),
      settlementDistributedUserServiceFee: amount(body.settlementDistributedUserServiceFee),
      network: text(body.network),
      depositAddress: text(body.depositAddress),
      fromAddress: text(body.fromAddress),
      transactionId: text(body.transactionId),
      rateType: among(body.rateType, rules.RATE_TYPES),
      paymentRequestedAt: time(body.paymentRequestedAt),
      paymentReceivedAt: time(body.paymentReceivedAt),
      expirationTime: time(body.expirationTime),
    };
    return faults.length === 0 ? { notification } : { faults };
  }

  function withdrawal(body) {
    const faults = [];
    const notification = {
      status: need(faults, 'status', among(body.status, rules.WITHDRAWAL_STATUSES)),
      withdrawalId: need(faults, 'withdrawalId', id(body.withdrawalId)),
      clientWithdrawalId: need(faults, 'clientWithdrawalId', text(body.clientWithdrawalId)),
      businessId: need(faults, 'businessId', id(body.businessId)),
      withdrawCurrency: need(faults, 'withdrawCurrency', text(body.withdrawCurrency)),
      estimatedWithdrawAmount: need(
        faults,
        'estimatedWithdrawAmount',
        quantity(body.estimatedWithdrawAmount),
      ),
      displayCurrency: need(faults, 'displayCurrency', text(body.displayCurrency)),
      expectedDisplayAmount: need(
        faults,
        'expectedDisplayAmount',
        quantity(body.expectedDisplayAmount),
      ),
      settlementCurrency: need(faults, 'settlementCurrency', text(body.settlementCurrency)),
      actualWithdrawAmount: quantity(body.actualWithdrawAmount),
      withdrawFee: amount(body.withdrawFee),
      actualDisplayAmount: quantity(body.actualDisplayAmount),
      displayFee: amount(body.displayFee),
      deductedSettlementAmount: rules.oneOf(
        quantity(body.deductedSettlementAmount),
        quantity(body.deducedSettlementAmount),
      ),
      displayRateDepegLossAmount: amount(body.displayRateDepegLossAmount),
      settlementRateDepegLossAmount: amount(body.settlementRateDepegLossAmount),
      toTxAddress: address(body.toTxAddress),
      txAddressOwner: owner(body.txAddressOwner),
      transactionId: text(body.transactionId),
    };
    if (notification.toTxAddress === null && notification.status === 'COMPLETED') {
      faults.push('toTxAddress');
    }
    return faults.length === 0 ? { notification } : { faults };
  }

  return { deposit, withdrawal, outcomeOf: (outcome) => outcome };
}
