import {
  DECIMAL,
  hasAddress,
  isNumberOf,
  isTime,
  isWithinLimits,
  MAX_LENGTH,
  oneOf,
  splitAddress,
  TIME,
  toDate,
  toDecimal,
  UUID,
} from './rules.js';

/**
 * The functions that read a field without a library. Null where a value is unreadable.
 *
 * @param {boolean} isLossless
 */
export function readersOf(isLossless) {
  const isNumber = isNumberOf(isLossless);
  return {
    text: (value) => (typeof value === 'string' && value !== '' ? value : null),
    id: (value) => (typeof value === 'string' && UUID.test(value) ? value : null),
    among: (value, values) => (values.includes(value) ? value : null),
    amount(value) {
      const isText = typeof value === 'string' && value.length <= MAX_LENGTH;
      if (!isNumber(value) && !(isText && DECIMAL.test(value))) return null;
      const amount = toDecimal(value);
      return isWithinLimits(amount) ? amount : null;
    },
    time(value) {
      if (!isNumber(value) && !(typeof value === 'string' && TIME.test(value))) return null;
      const date = toDate(value);
      return isTime(date) ? date : null;
    },
    address: (value) =>
      typeof value === 'string' && hasAddress(value) ? splitAddress(value) : null,
    owner: (value) => ({ name: value?.name ?? null, category: value?.category ?? null }),
  };
}

/** No library: an object literal whose fields are read by functions, and a look at those that are required. */
/** @type {import('../peers.js').MakePeer} */
export function byHand(isLossless) {
  const { text, id, among, amount, time, address, owner } = readersOf(isLossless);
  const quantity = (value) => {
    const read = amount(value);
    return read?.isNegative() ? null : read;
  };

  function deposit(fields) {
    const notification = {
      status: among(fields.status, ['CONFIRMED']),
      depositId: id(fields.depositId),
      paymentId: id(fields.paymentId),
      clientPaymentId: text(fields.clientPaymentId),
      depositCurrency: text(fields.depositCurrency),
      actualDepositAmount: quantity(fields.actualDepositAmount),
      displayCurrency: text(fields.displayCurrency),
      actualDisplayAmount: quantity(fields.actualDisplayAmount),
      settlementCurrency: text(fields.settlementCurrency),
      settlementAmount: quantity(fields.settlementAmount),
      expectedDepositAmount: quantity(fields.expectedDepositAmount),
      expectedDisplayAmount: quantity(fields.expectedDisplayAmount),
      displayServiceFee: amount(fields.displayServiceFee),
      settlementServiceFee: amount(fields.settlementServiceFee),
      onChainFee: amount(fields.onChainFee),
      displayRateDepegLossAmount: amount(fields.displayRateDepegLossAmount),
      settlementRateDepegLossAmount: amount(fields.settlementRateDepegLossAmount),
      displayDistributedUserServiceFee: amount(fields.displayDistributedUserServiceFee),
      settlementDistributedUserServiceFee: amount(fields.settlementDistributedUserServiceFee),
      network: text(fields.network),
      depositAddress: text(fields.depositAddress),
      fromAddress: text(fields.fromAddress),
      transactionId: text(fields.transactionId),
      rateType: among(fields.rateType, ['FIXED', 'FLOATING']),
      paymentRequestedAt: time(fields.paymentRequestedAt),
      paymentReceivedAt: time(fields.paymentReceivedAt),
      expirationTime: time(fields.expirationTime),
    };
    const faults = [];
    if (notification.status === null) faults.push('status');
    if (notification.depositId === null) faults.push('depositId');
    if (notification.paymentId === null) faults.push('paymentId');
    if (notification.clientPaymentId === null) faults.push('clientPaymentId');
    if (notification.depositCurrency === null) faults.push('depositCurrency');
    if (notification.actualDepositAmount === null) faults.push('actualDepositAmount');
    if (notification.displayCurrency === null) faults.push('displayCurrency');
    if (notification.actualDisplayAmount === null) faults.push('actualDisplayAmount');
    if (notification.settlementCurrency === null) faults.push('settlementCurrency');
    if (notification.settlementAmount === null) faults.push('settlementAmount');
    return faults.length === 0 ? { notification } : { faults };
  }

  function withdrawal(fields) {
    const notification = {
      status: among(fields.status, ['COMPLETED', 'FAILED', 'BLOCKED']),
      withdrawalId: id(fields.withdrawalId),
      clientWithdrawalId: text(fields.clientWithdrawalId),
      businessId: id(fields.businessId),
      withdrawCurrency: text(fields.withdrawCurrency),
      estimatedWithdrawAmount: quantity(fields.estimatedWithdrawAmount),
      displayCurrency: text(fields.displayCurrency),
      expectedDisplayAmount: quantity(fields.expectedDisplayAmount),
      settlementCurrency: text(fields.settlementCurrency),
      actualWithdrawAmount: quantity(fields.actualWithdrawAmount),
      withdrawFee: amount(fields.withdrawFee),
      actualDisplayAmount: quantity(fields.actualDisplayAmount),
      displayFee: amount(fields.displayFee),
      deductedSettlementAmount: oneOf(
        quantity(fields.deductedSettlementAmount),
        quantity(fields.deducedSettlementAmount),
      ),
      displayRateDepegLossAmount: amount(fields.displayRateDepegLossAmount),
      settlementRateDepegLossAmount: amount(fields.settlementRateDepegLossAmount),
      toTxAddress: address(fields.toTxAddress),
      txAddressOwner: owner(fields.txAddressOwner),
      transactionId: text(fields.transactionId),
    };
    const faults = [];
    if (notification.status === null) faults.push('status');
    if (notification.withdrawalId === null) faults.push('withdrawalId');
    if (notification.clientWithdrawalId === null) faults.push('clientWithdrawalId');
    if (notification.businessId === null) faults.push('businessId');
    if (notification.withdrawCurrency === null) faults.push('withdrawCurrency');
    if (notification.estimatedWithdrawAmount === null) faults.push('estimatedWithdrawAmount');
    if (notification.displayCurrency === null) faults.push('displayCurrency');
    if (notification.expectedDisplayAmount === null) faults.push('expectedDisplayAmount');
    if (notification.settlementCurrency === null) faults.push('settlementCurrency');
    if (notification.toTxAddress === null && notification.status === 'COMPLETED') {
      faults.push('toTxAddress');
    }
    return faults.length === 0 ? { notification } : { faults };
  }

  return { deposit, withdrawal, outcomeOf: (outcome) => outcome };
}
