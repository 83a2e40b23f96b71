import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { readersOf } from './by-hand.js';
import * as rules from './rules.js';

// Compiled, TypeBox checks and maps nothing. Its users have it check what is required, and write
// the mapping, in which whatever else is unreadable becomes null. What a JSON Schema can't say of a
// required amount (its sign, the limits) is checked there, too.

/** @returns {import('./all.js').Reader} */
export function typebox() {
  const types = {
    text: () => Type.String({ minLength: 1 }),
    id: () => Type.String({ pattern: rules.UUID }),
    enum: ({ type }) => Type.Enum(type.values),
    amount: () =>
      Type.Union([
        Type.Number(),
        Type.String({ pattern: rules.DECIMAL, maxLength: rules.MAX_LENGTH }),
      ]),
    address: () =>
      Type.Optional(Type.Union([Type.Refine(Type.String(), rules.hasAddress), Type.Null()])),
  };
  const compile = (table) => {
    const required = Object.values(table).filter(({ need }) => need === 'required');
    const entries = required.map((field) => [field.name, types[field.type.kind](field)]);
    return Compile(Type.Object(Object.fromEntries(entries)));
  };
  const depositSchema = compile(rules.DEPOSIT);
  const withdrawalSchema = compile(rules.WITHDRAWAL);
  const { text, among, amount, quantity, time, owner } = readersOf(false);
  const required = (value) => {
    const read = rules.toDecimal(value);
    if (read.isNegative() || !rules.isWithinLimits(read)) throw new RangeError('no amount');
    return read;
  };

  const mapDeposit = (body) => ({
    ...body,
    actualDepositAmount: required(body.actualDepositAmount),
    actualDisplayAmount: required(body.actualDisplayAmount),
    settlementAmount: required(body.settlementAmount),
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
  });

  const mapWithdrawal = ({ deducedSettlementAmount: deduced, ...body }) => ({
    ...body,
    estimatedWithdrawAmount: required(body.estimatedWithdrawAmount),
    expectedDisplayAmount: required(body.expectedDisplayAmount),
    actualWithdrawAmount: quantity(body.actualWithdrawAmount),
    withdrawFee: amount(body.withdrawFee),
    actualDisplayAmount: quantity(body.actualDisplayAmount),
    displayFee: amount(body.displayFee),
    deductedSettlementAmount: rules.oneOf(
      quantity(body.deductedSettlementAmount),
      quantity(deduced),
    ),
    displayRateDepegLossAmount: amount(body.displayRateDepegLossAmount),
    settlementRateDepegLossAmount: amount(body.settlementRateDepegLossAmount),
    toTxAddress: body.toTxAddress ? rules.splitAddress(body.toTxAddress) : null,
    txAddressOwner: owner(body.txAddressOwner),
    transactionId: text(body.transactionId),
  });

  return {
    deposit: (fields) =>
      depositSchema.Check(fields)
        ? { value: mapDeposit(fields) }
        : { errors: depositSchema.Errors(fields) },
    withdrawal: (fields) =>
      withdrawalSchema.Check(fields) && rules.isAddressed(fields)
        ? { value: mapWithdrawal(fields) }
        : { errors: withdrawalSchema.Errors(fields) },
    outcomeOf: ({ value, errors }) =>
      value
        ? { notification: value }
        : { faults: errors.map(({ instancePath }) => instancePath.split('/')[1]) },
  };
}
