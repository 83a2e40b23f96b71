import { LosslessNumber } from 'lossless-json';
import * as v from 'valibot';
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
  const number = isLossless ? v.instance(LosslessNumber) : v.number();
  const text = v.pipe(v.string(), v.nonEmpty());
  const id = v.pipe(v.string(), v.regex(UUID));
  const signedAmount = v.pipe(
    v.union([number, v.pipe(v.string(), v.maxLength(MAX_LENGTH), v.regex(DECIMAL))]),
    v.transform(toDecimal),
    v.check(isWithinLimits, 'beyond the limits'),
  );
  const quantity = v.pipe(
    signedAmount,
    v.check((amount) => !amount.isNegative(), 'below zero'),
  );
  const timestamp = v.pipe(
    v.union([number, v.pipe(v.string(), v.regex(DIGITS))]),
    v.transform(toDate),
    v.check(isTime, 'no UNIX time'),
  );

  const deposit = v.looseObject({
    status: v.picklist(DEPOSIT_STATUSES),
    depositId: id,
    paymentId: id,
    clientPaymentId: text,
    depositCurrency: text,
    actualDepositAmount: quantity,
    expectedDepositAmount: v.nullish(quantity),
    displayCurrency: text,
    actualDisplayAmount: quantity,
    expectedDisplayAmount: v.nullish(quantity),
    displayServiceFee: v.nullish(signedAmount),
    settlementCurrency: text,
    settlementAmount: quantity,
    settlementServiceFee: v.nullish(signedAmount),
    onChainFee: v.nullish(signedAmount),
    displayRateDepegLossAmount: v.nullish(signedAmount),
    settlementRateDepegLossAmount: v.nullish(signedAmount),
    displayDistributedUserServiceFee: v.nullish(signedAmount),
    settlementDistributedUserServiceFee: v.nullish(signedAmount),
    network: v.nullish(text),
    depositAddress: v.nullish(text),
    fromAddress: v.nullish(text),
    transactionId: v.nullish(text),
    rateType: v.nullish(v.pipe(v.string(), v.transform(toRateType))),
    paymentRequestedAt: v.nullish(timestamp),
    paymentReceivedAt: v.nullish(timestamp),
    expirationTime: v.nullish(timestamp),
  });

  const withdrawal = v.pipe(
    v.looseObject({
      status: v.picklist(WITHDRAWAL_STATUSES),
      withdrawalId: id,
      clientWithdrawalId: text,
      businessId: id,
      withdrawCurrency: text,
      estimatedWithdrawAmount: quantity,
      actualWithdrawAmount: v.nullish(quantity),
      withdrawFee: v.nullish(signedAmount),
      displayCurrency: text,
      expectedDisplayAmount: quantity,
      actualDisplayAmount: v.nullish(quantity),
      displayFee: v.nullish(signedAmount),
      settlementCurrency: text,
      deductedSettlementAmount: v.nullish(quantity),
      deducedSettlementAmount: v.nullish(quantity),
      displayRateDepegLossAmount: v.nullish(signedAmount),
      settlementRateDepegLossAmount: v.nullish(signedAmount),
      toTxAddress: v.pipe(v.string(), v.check(hasAddress, 'no address'), v.transform(splitAddress)),
      txAddressOwner: v.looseObject({ name: v.string(), category: v.string() }),
      transactionId: v.nullish(text),
    }),
    v.check(isUnambiguous, 'conflicting amounts'),
    v.transform(withOneSpelling),
  );

  return { deposit, withdrawal };
}

/** @type {import('../peers.js').MakePeer} */
export function valibot(isLossless) {
  const { deposit, withdrawal } = schemas(isLossless);
  return {
    deposit: (fields) => v.safeParse(deposit, fields),
    withdrawal: (fields) => v.safeParse(withdrawal, fields),
    outcomeOf: ({ success, output, issues }) =>
      success ? { notification: output } : { faults: issues.map(({ path }) => path[0].key) },
  };
}
