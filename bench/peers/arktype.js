import { type } from 'arktype';
import { LosslessNumber } from 'lossless-json';
import {
  DECIMAL,
  DEPOSIT_STATUSES,
  DIGITS,
  hasAddress,
  isTime,
  isUnambiguous,
  isWithinLimits,
  MAX_LENGTH,
  splitAddress,
  toDate,
  toDecimal,
  toRateType,
  UUID,
  WITHDRAWAL_STATUSES,
  withOneSpelling,
} from './rules.js';

/** @param {boolean} isLossless whether numbers come as LosslessNumbers */
function schemas(isLossless) {
  const number = isLossless ? type.instanceOf(LosslessNumber) : type.number;
  const text = type.string.atLeastLength(1);
  const id = type(UUID);
  const literal = number.or(type(DECIMAL).atMostLength(MAX_LENGTH));
  const signedAmount = literal.pipe((value, ctx) => {
    const amount = toDecimal(value);
    return isWithinLimits(amount) ? amount : ctx.error('within the limits');
  });
  const quantity = literal.pipe((value, ctx) => {
    const amount = toDecimal(value);
    if (amount.isNegative()) return ctx.error('zero or more');
    return isWithinLimits(amount) ? amount : ctx.error('within the limits');
  });
  const timestamp = number.or(type(DIGITS)).pipe((value, ctx) => {
    const date = toDate(value);
    return isTime(date) ? date : ctx.error('a UNIX time');
  });

  const deposit = type({
    status: type.enumerated(...DEPOSIT_STATUSES),
    depositId: id,
    paymentId: id,
    clientPaymentId: text,
    depositCurrency: text,
    actualDepositAmount: quantity,
    'expectedDepositAmount?': quantity.or(type.null),
    displayCurrency: text,
    actualDisplayAmount: quantity,
    'expectedDisplayAmount?': quantity.or(type.null),
    'displayServiceFee?': signedAmount.or(type.null),
    settlementCurrency: text,
    settlementAmount: quantity,
    'settlementServiceFee?': signedAmount.or(type.null),
    'onChainFee?': signedAmount.or(type.null),
    'displayRateDepegLossAmount?': signedAmount.or(type.null),
    'settlementRateDepegLossAmount?': signedAmount.or(type.null),
    'displayDistributedUserServiceFee?': signedAmount.or(type.null),
    'settlementDistributedUserServiceFee?': signedAmount.or(type.null),
    'network?': text.or(type.null),
    'depositAddress?': text.or(type.null),
    'fromAddress?': text.or(type.null),
    'transactionId?': text.or(type.null),
    'rateType?': type.string.pipe(toRateType).or(type.null),
    'paymentRequestedAt?': timestamp.or(type.null),
    'paymentReceivedAt?': timestamp.or(type.null),
    'expirationTime?': timestamp.or(type.null),
  });

  const withdrawal = type({
    status: type.enumerated(...WITHDRAWAL_STATUSES),
    withdrawalId: id,
    clientWithdrawalId: text,
    businessId: id,
    withdrawCurrency: text,
    estimatedWithdrawAmount: quantity,
    'actualWithdrawAmount?': quantity.or(type.null),
    'withdrawFee?': signedAmount.or(type.null),
    displayCurrency: text,
    expectedDisplayAmount: quantity,
    'actualDisplayAmount?': quantity.or(type.null),
    'displayFee?': signedAmount.or(type.null),
    settlementCurrency: text,
    'deductedSettlementAmount?': quantity.or(type.null),
    'deducedSettlementAmount?': quantity.or(type.null),
    'displayRateDepegLossAmount?': signedAmount.or(type.null),
    'settlementRateDepegLossAmount?': signedAmount.or(type.null),
    toTxAddress: type.string.narrow(hasAddress).pipe(splitAddress),
    txAddressOwner: { name: 'string', category: 'string' },
    'transactionId?': text.or(type.null),
  }).pipe((body, ctx) => (isUnambiguous(body) ? withOneSpelling(body) : ctx.error('unambiguous')));

  return { deposit, withdrawal };
}

/** @type {import('../peers.js').MakePeer} */
export function arktype(isLossless) {
  const { deposit, withdrawal } = schemas(isLossless);
  return {
    deposit: (fields) => deposit(fields),
    withdrawal: (fields) => withdrawal(fields),
    outcomeOf: (result) =>
      result instanceof type.errors
        ? { faults: result.map(({ path }) => path[0]) }
        : { notification: result },
  };
}
