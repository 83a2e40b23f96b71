import { LosslessNumber } from 'lossless-json';
import * as z from 'zod';
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
  const number = isLossless ? z.instanceof(LosslessNumber) : z.number();
  const text = z.string().min(1);
  const id = z.string().regex(UUID);
  const signedAmount = z
    .union([number, z.string().max(MAX_LENGTH).regex(DECIMAL)])
    .transform(toDecimal)
    .refine(isWithinLimits, 'beyond the limits');
  const quantity = signedAmount.refine((amount) => !amount.isNegative(), 'below zero');
  const timestamp = z
    .union([number, z.string().regex(DIGITS)])
    .transform(toDate)
    .refine(isTime, 'no UNIX time');

  const deposit = z.looseObject({
    status: z.enum(DEPOSIT_STATUSES),
    depositId: id,
    paymentId: id,
    clientPaymentId: text,
    depositCurrency: text,
    actualDepositAmount: quantity,
    expectedDepositAmount: quantity.nullish(),
    displayCurrency: text,
    actualDisplayAmount: quantity,
    expectedDisplayAmount: quantity.nullish(),
    displayServiceFee: signedAmount.nullish(),
    settlementCurrency: text,
    settlementAmount: quantity,
    settlementServiceFee: signedAmount.nullish(),
    onChainFee: signedAmount.nullish(),
    displayRateDepegLossAmount: signedAmount.nullish(),
    settlementRateDepegLossAmount: signedAmount.nullish(),
    displayDistributedUserServiceFee: signedAmount.nullish(),
    settlementDistributedUserServiceFee: signedAmount.nullish(),
    network: text.nullish(),
    depositAddress: text.nullish(),
    fromAddress: text.nullish(),
    transactionId: text.nullish(),
    rateType: z.string().transform(toRateType).nullish(),
    paymentRequestedAt: timestamp.nullish(),
    paymentReceivedAt: timestamp.nullish(),
    expirationTime: timestamp.nullish(),
  });

  const withdrawal = z
    .looseObject({
      status: z.enum(WITHDRAWAL_STATUSES),
      withdrawalId: id,
      clientWithdrawalId: text,
      businessId: id,
      withdrawCurrency: text,
      estimatedWithdrawAmount: quantity,
      actualWithdrawAmount: quantity.nullish(),
      withdrawFee: signedAmount.nullish(),
      displayCurrency: text,
      expectedDisplayAmount: quantity,
      actualDisplayAmount: quantity.nullish(),
      displayFee: signedAmount.nullish(),
      settlementCurrency: text,
      deductedSettlementAmount: quantity.nullish(),
      deducedSettlementAmount: quantity.nullish(),
      displayRateDepegLossAmount: signedAmount.nullish(),
      settlementRateDepegLossAmount: signedAmount.nullish(),
      toTxAddress: z.string().refine(hasAddress, 'no address').transform(splitAddress),
      txAddressOwner: z.looseObject({ name: z.string(), category: z.string() }),
      transactionId: text.nullish(),
    })
    .refine(isUnambiguous, 'conflicting amounts')
    .transform(withOneSpelling);

  return { deposit, withdrawal };
}

/** @type {import('../peers.js').MakePeer} */
export function zod(isLossless) {
  const { deposit, withdrawal } = schemas(isLossless);
  return {
    deposit: (fields) => deposit.safeParse(fields),
    withdrawal: (fields) => withdrawal.safeParse(fields),
    outcomeOf: ({ success, data, error }) =>
      success ? { notification: data } : { faults: error.issues.map(({ path }) => path[0]) },
  };
}
