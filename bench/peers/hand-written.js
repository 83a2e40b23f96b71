import {
  DECIMAL,
  DEPOSIT_STATUSES,
  DIGITS,
  hasAddress,
  isTime,
  isWithinLimits,
  MAX_LENGTH,
  RATE_TYPES,
  splitAddress,
  toDate,
  toDecimal,
  UUID,
  WITHDRAWAL_STATUSES,
} from './rules.js';

// No library: an object literal whose fields are read by functions that note faults and go on.

function text(value, name, faults) {
  if (typeof value !== 'string' || value === '') faults.push(name);
  return value;
}

function id(value, name, faults) {
  if (typeof value !== 'string' || !UUID.test(value)) faults.push(name);
  return value;
}

function oneOf(values, value, name, faults) {
  if (!values.includes(value)) faults.push(name);
  return value;
}

function signedAmount(value, name, faults) {
  if (
    typeof value === 'number' ||
    (typeof value === 'string' && value.length <= MAX_LENGTH && DECIMAL.test(value))
  ) {
    const amount = toDecimal(value);
    if (isWithinLimits(amount)) return amount;
  }
  faults.push(name);
  return null;
}

function quantity(value, name, faults) {
  const amount = signedAmount(value, name, faults);
  if (amount?.isNegative()) faults.push(name);
  return amount;
}

function timestamp(value, name, faults) {
  if (typeof value === 'number' || (typeof value === 'string' && DIGITS.test(value))) {
    const date = toDate(value);
    if (isTime(date)) return date;
  }
  faults.push(name);
  return null;
}

function rateType(value, name, faults) {
  if (typeof value !== 'string') faults.push(name);
  return RATE_TYPES.includes(value) ? value : null;
}

function address(value, name, faults) {
  if (typeof value === 'string' && hasAddress(value)) return splitAddress(value);
  faults.push(name);
  return null;
}

function owner(value, name, faults) {
  if (typeof value?.name === 'string' && typeof value.category === 'string') {
    return { name: value.name, category: value.category };
  }
  faults.push(name);
  return null;
}

function optional(read, value, name, faults) {
  return value === null || value === undefined ? null : read(value, name, faults);
}

function deposit(fields) {
  const faults = [];
  const notification = {
    status: oneOf(DEPOSIT_STATUSES, fields.status, 'status', faults),
    depositId: id(fields.depositId, 'depositId', faults),
    paymentId: id(fields.paymentId, 'paymentId', faults),
    clientPaymentId: text(fields.clientPaymentId, 'clientPaymentId', faults),
    depositCurrency: text(fields.depositCurrency, 'depositCurrency', faults),
    actualDepositAmount: quantity(fields.actualDepositAmount, 'actualDepositAmount', faults),
    expectedDepositAmount: optional(
      quantity,
      fields.expectedDepositAmount,
      'expectedDepositAmount',
      faults,
    ),
    displayCurrency: text(fields.displayCurrency, 'displayCurrency', faults),
    actualDisplayAmount: quantity(fields.actualDisplayAmount, 'actualDisplayAmount', faults),
    expectedDisplayAmount: optional(
      quantity,
      fields.expectedDisplayAmount,
      'expectedDisplayAmount',
      faults,
    ),
    displayServiceFee: optional(
      signedAmount,
      fields.displayServiceFee,
      'displayServiceFee',
      faults,
    ),
    settlementCurrency: text(fields.settlementCurrency, 'settlementCurrency', faults),
    settlementAmount: quantity(fields.settlementAmount, 'settlementAmount', faults),
    settlementServiceFee: optional(
      signedAmount,
      fields.settlementServiceFee,
      'settlementServiceFee',
      faults,
    ),
    onChainFee: optional(signedAmount, fields.onChainFee, 'onChainFee', faults),
    displayRateDepegLossAmount: optional(
      signedAmount,
      fields.displayRateDepegLossAmount,
      'displayRateDepegLossAmount',
      faults,
    ),
    settlementRateDepegLossAmount: optional(
      signedAmount,
      fields.settlementRateDepegLossAmount,
      'settlementRateDepegLossAmount',
      faults,
    ),
    displayDistributedUserServiceFee: optional(
      signedAmount,
      fields.displayDistributedUserServiceFee,
      'displayDistributedUserServiceFee',
      faults,
    ),
    settlementDistributedUserServiceFee: optional(
      signedAmount,
      fields.settlementDistributedUserServiceFee,
      'settlementDistributedUserServiceFee',
      faults,
    ),
    network: optional(text, fields.network, 'network', faults),
    depositAddress: optional(text, fields.depositAddress, 'depositAddress', faults),
    fromAddress: optional(text, fields.fromAddress, 'fromAddress', faults),
    transactionId: optional(text, fields.transactionId, 'transactionId', faults),
    rateType: optional(rateType, fields.rateType, 'rateType', faults),
    paymentRequestedAt: optional(
      timestamp,
      fields.paymentRequestedAt,
      'paymentRequestedAt',
      faults,
    ),
    paymentReceivedAt: optional(timestamp, fields.paymentReceivedAt, 'paymentReceivedAt', faults),
    expirationTime: optional(timestamp, fields.expirationTime, 'expirationTime', faults),
  };
  return faults.length === 0 ? { notification } : { faults };
}

function withdrawal(fields) {
  const faults = [];
  const deducted = optional(
    quantity,
    fields.deductedSettlementAmount,
    'deductedSettlementAmount',
    faults,
  );
  const deduced = optional(
    quantity,
    fields.deducedSettlementAmount,
    'deducedSettlementAmount',
    faults,
  );
  if (deduced !== null && deducted !== null && !deduced.equals(deducted)) {
    faults.push('deductedSettlementAmount');
  }
  const notification = {
    status: oneOf(WITHDRAWAL_STATUSES, fields.status, 'status', faults),
    withdrawalId: id(fields.withdrawalId, 'withdrawalId', faults),
    clientWithdrawalId: text(fields.clientWithdrawalId, 'clientWithdrawalId', faults),
    businessId: id(fields.businessId, 'businessId', faults),
    withdrawCurrency: text(fields.withdrawCurrency, 'withdrawCurrency', faults),
    estimatedWithdrawAmount: quantity(
      fields.estimatedWithdrawAmount,
      'estimatedWithdrawAmount',
      faults,
    ),
    actualWithdrawAmount: optional(
      quantity,
      fields.actualWithdrawAmount,
      'actualWithdrawAmount',
      faults,
    ),
    withdrawFee: optional(signedAmount, fields.withdrawFee, 'withdrawFee', faults),
    displayCurrency: text(fields.displayCurrency, 'displayCurrency', faults),
    expectedDisplayAmount: quantity(fields.expectedDisplayAmount, 'expectedDisplayAmount', faults),
    actualDisplayAmount: optional(
      quantity,
      fields.actualDisplayAmount,
      'actualDisplayAmount',
      faults,
    ),
    displayFee: optional(signedAmount, fields.displayFee, 'displayFee', faults),
    settlementCurrency: text(fields.settlementCurrency, 'settlementCurrency', faults),
    deductedSettlementAmount: deducted ?? deduced,
    displayRateDepegLossAmount: optional(
      signedAmount,
      fields.displayRateDepegLossAmount,
      'displayRateDepegLossAmount',
      faults,
    ),
    settlementRateDepegLossAmount: optional(
      signedAmount,
      fields.settlementRateDepegLossAmount,
      'settlementRateDepegLossAmount',
      faults,
    ),
    toTxAddress: address(fields.toTxAddress, 'toTxAddress', faults),
    txAddressOwner: owner(fields.txAddressOwner, 'txAddressOwner', faults),
    transactionId: optional(text, fields.transactionId, 'transactionId', faults),
  };
  return faults.length === 0 ? { notification } : { faults };
}

/** @type {import('../peers.js').MakePeer} */
export function handWritten() {
  return { deposit, withdrawal, outcomeOf: (outcome) => outcome };
}
