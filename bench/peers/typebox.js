import { isLosslessNumber } from 'lossless-json';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
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
} from './rules.js';

/** @param {boolean} isLossless whether numbers come as LosslessNumbers */
function schemas(isLossless) {
  const number = isLossless ? Type.Refine(Type.Unsafe({}), isLosslessNumber) : Type.Number();
  const orNull = (schema) => Type.Optional(Type.Union([schema, Type.Null()]));
  const text = Type.String({ minLength: 1 });
  const id = Type.String({ pattern: UUID });
  const amount = Type.Union([number, Type.String({ pattern: DECIMAL, maxLength: MAX_LENGTH })]);
  const timestamp = Type.Union([number, Type.String({ pattern: DIGITS })]);

  const deposit = Type.Object({
    status: Type.Enum(DEPOSIT_STATUSES),
    depositId: id,
    paymentId: id,
    clientPaymentId: text,
    depositCurrency: text,
    actualDepositAmount: amount,
    expectedDepositAmount: orNull(amount),
    displayCurrency: text,
    actualDisplayAmount: amount,
    expectedDisplayAmount: orNull(amount),
    displayServiceFee: orNull(amount),
    settlementCurrency: text,
    settlementAmount: amount,
    settlementServiceFee: orNull(amount),
    onChainFee: orNull(amount),
    displayRateDepegLossAmount: orNull(amount),
    settlementRateDepegLossAmount: orNull(amount),
    displayDistributedUserServiceFee: orNull(amount),
    settlementDistributedUserServiceFee: orNull(amount),
    network: orNull(text),
    depositAddress: orNull(text),
    fromAddress: orNull(text),
    transactionId: orNull(text),
    rateType: orNull(Type.String()),
    paymentRequestedAt: orNull(timestamp),
    paymentReceivedAt: orNull(timestamp),
    expirationTime: orNull(timestamp),
  });

  const withdrawal = Type.Object({
    status: Type.Enum(WITHDRAWAL_STATUSES),
    withdrawalId: id,
    clientWithdrawalId: text,
    businessId: id,
    withdrawCurrency: text,
    estimatedWithdrawAmount: amount,
    actualWithdrawAmount: orNull(amount),
    withdrawFee: orNull(amount),
    displayCurrency: text,
    expectedDisplayAmount: amount,
    actualDisplayAmount: orNull(amount),
    displayFee: orNull(amount),
    settlementCurrency: text,
    deductedSettlementAmount: orNull(amount),
    deducedSettlementAmount: orNull(amount),
    displayRateDepegLossAmount: orNull(amount),
    settlementRateDepegLossAmount: orNull(amount),
    toTxAddress: Type.Refine(Type.String(), hasAddress),
    txAddressOwner: Type.Object({ name: Type.String(), category: Type.String() }),
    transactionId: orNull(text),
  });

  return { deposit: Compile(deposit), withdrawal: Compile(withdrawal) };
}

// Compiled, TypeBox checks and maps nothing: its users write the mapping. What a JSON Schema can't say
// (the sign of a decimal string, the limits) is checked here.

function signedAmount(value) {
  if (value === null || value === undefined) return null;
  const amount = toDecimal(value);
  if (!isWithinLimits(amount)) throw new RangeError('an amount beyond the limits');
  return amount;
}

function quantity(value) {
  const amount = signedAmount(value);
  if (amount?.isNegative()) throw new RangeError('an amount below zero');
  return amount;
}

function timestamp(value) {
  if (value === null || value === undefined) return null;
  const date = toDate(value);
  if (!isTime(date)) throw new RangeError('no UNIX time');
  return date;
}

function mapDeposit(body) {
  return {
    ...body,
    actualDepositAmount: quantity(body.actualDepositAmount),
    expectedDepositAmount: quantity(body.expectedDepositAmount),
    actualDisplayAmount: quantity(body.actualDisplayAmount),
    expectedDisplayAmount: quantity(body.expectedDisplayAmount),
    displayServiceFee: signedAmount(body.displayServiceFee),
    settlementAmount: quantity(body.settlementAmount),
    settlementServiceFee: signedAmount(body.settlementServiceFee),
    onChainFee: signedAmount(body.onChainFee),
    displayRateDepegLossAmount: signedAmount(body.displayRateDepegLossAmount),
    settlementRateDepegLossAmount: signedAmount(body.settlementRateDepegLossAmount),
    displayDistributedUserServiceFee: signedAmount(body.displayDistributedUserServiceFee),
    settlementDistributedUserServiceFee: signedAmount(body.settlementDistributedUserServiceFee),
    rateType: toRateType(body.rateType),
    paymentRequestedAt: timestamp(body.paymentRequestedAt),
    paymentReceivedAt: timestamp(body.paymentReceivedAt),
    expirationTime: timestamp(body.expirationTime),
  };
}

function mapWithdrawal({ deducedSettlementAmount, ...body }) {
  const deducted = quantity(body.deductedSettlementAmount);
  const deduced = quantity(deducedSettlementAmount);
  const spellings = { deductedSettlementAmount: deducted, deducedSettlementAmount: deduced };
  if (!isUnambiguous(spellings)) throw new RangeError('conflicting amounts');
  return {
    ...body,
    estimatedWithdrawAmount: quantity(body.estimatedWithdrawAmount),
    actualWithdrawAmount: quantity(body.actualWithdrawAmount),
    withdrawFee: signedAmount(body.withdrawFee),
    expectedDisplayAmount: quantity(body.expectedDisplayAmount),
    actualDisplayAmount: quantity(body.actualDisplayAmount),
    displayFee: signedAmount(body.displayFee),
    deductedSettlementAmount: deducted ?? deduced,
    displayRateDepegLossAmount: signedAmount(body.displayRateDepegLossAmount),
    settlementRateDepegLossAmount: signedAmount(body.settlementRateDepegLossAmount),
    toTxAddress: splitAddress(body.toTxAddress),
  };
}

function read(schema, map, fields) {
  return schema.Check(fields) ? { value: map(fields) } : { errors: schema.Errors(fields) };
}

/** @type {import('../peers.js').MakePeer} */
export function typebox(isLossless) {
  const { deposit, withdrawal } = schemas(isLossless);
  return {
    deposit: (fields) => read(deposit, mapDeposit, fields),
    withdrawal: (fields) => read(withdrawal, mapWithdrawal, fields),
    outcomeOf: ({ value, errors }) =>
      value
        ? { notification: value }
        : { faults: errors.map(({ instancePath }) => instancePath.split('/')[1]) },
  };
}
