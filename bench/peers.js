// What a merchant would write instead of this package. All peers check the same fields by the same
// rules, which are simpler than the package's: withdrawals have completed, times are in seconds, each
// field has one spelling, and nothing adds a warning.
import { LosslessNumber, parse as parseLossless } from 'lossless-json';
import * as v from 'valibot';
import * as z from 'zod';
// The package's own Decimal, so that no peer gains or loses by another constructor.
import { Decimal, DepositStatus, RateType, WithdrawalStatus } from '../dist/index.js';

const DEPOSIT_STATUSES = Object.values(DepositStatus);
const WITHDRAWAL_STATUSES = Object.values(WithdrawalStatus);
const RATE_TYPES = Object.values(RateType);
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_LENGTH = 160;

/**
 * `outcomeOf` turns a peer's own result into the fields, or into the names of the faulty ones. Only
 * the comparison uses it; it isn't timed.
 */
export const peers = [
  byHand('by hand', JSON.parse, (value) => typeof value === 'number'),
  valibot(),
  zod(),
  byHand('by hand, lossless-json', parseLossless, (value) => value instanceof LosslessNumber),
];

/**
 * The fields of all peers. The types by hand read the value. The types of a library ignore it, and
 * return a schema.
 */
function fieldsOf({ oneOf, id, text, amount, quantity, time, address, owner, optional }) {
  return {
    deposit: (body) => ({
      status: oneOf(DEPOSIT_STATUSES, body.status),
      depositId: id(body.depositId),
      paymentId: id(body.paymentId),
      clientPaymentId: text(body.clientPaymentId),
      depositCurrency: text(body.depositCurrency),
      actualDepositAmount: quantity(body.actualDepositAmount),
      expectedDepositAmount: optional(quantity(body.expectedDepositAmount)),
      displayCurrency: text(body.displayCurrency),
      actualDisplayAmount: quantity(body.actualDisplayAmount),
      expectedDisplayAmount: optional(quantity(body.expectedDisplayAmount)),
      displayServiceFee: optional(amount(body.displayServiceFee)),
      settlementCurrency: text(body.settlementCurrency),
      settlementAmount: quantity(body.settlementAmount),
      settlementServiceFee: optional(amount(body.settlementServiceFee)),
      onChainFee: optional(amount(body.onChainFee)),
      displayRateDepegLossAmount: optional(amount(body.displayRateDepegLossAmount)),
      settlementRateDepegLossAmount: optional(amount(body.settlementRateDepegLossAmount)),
      displayDistributedUserServiceFee: optional(amount(body.displayDistributedUserServiceFee)),
      settlementDistributedUserServiceFee: optional(
        amount(body.settlementDistributedUserServiceFee),
      ),
      network: optional(text(body.network)),
      depositAddress: optional(text(body.depositAddress)),
      fromAddress: optional(text(body.fromAddress)),
      transactionId: optional(text(body.transactionId)),
      rateType: optional(oneOf(RATE_TYPES, body.rateType)),
      paymentRequestedAt: optional(time(body.paymentRequestedAt)),
      paymentReceivedAt: optional(time(body.paymentReceivedAt)),
      expirationTime: optional(time(body.expirationTime)),
    }),
    withdrawal: (body) => ({
      status: oneOf(WITHDRAWAL_STATUSES, body.status),
      withdrawalId: id(body.withdrawalId),
      clientWithdrawalId: text(body.clientWithdrawalId),
      businessId: id(body.businessId),
      withdrawCurrency: text(body.withdrawCurrency),
      estimatedWithdrawAmount: quantity(body.estimatedWithdrawAmount),
      actualWithdrawAmount: optional(quantity(body.actualWithdrawAmount)),
      withdrawFee: optional(amount(body.withdrawFee)),
      displayCurrency: text(body.displayCurrency),
      expectedDisplayAmount: quantity(body.expectedDisplayAmount),
      actualDisplayAmount: optional(quantity(body.actualDisplayAmount)),
      displayFee: optional(amount(body.displayFee)),
      settlementCurrency: text(body.settlementCurrency),
      deductedSettlementAmount: optional(quantity(body.deductedSettlementAmount)),
      displayRateDepegLossAmount: optional(amount(body.displayRateDepegLossAmount)),
      settlementRateDepegLossAmount: optional(amount(body.settlementRateDepegLossAmount)),
      toTxAddress: address(body.toTxAddress),
      txAddressOwner: optional(owner(body.txAddressOwner)),
      transactionId: optional(text(body.transactionId)),
    }),
  };
}

function byHand(name, parse, isNumber) {
  const matching = (pattern, value) => typeof value === 'string' && pattern.test(value);
  const text = (value) => (typeof value === 'string' && value !== '' ? value : undefined);
  const optional = (value) => value ?? null;
  const amount = (value) => {
    const isText = matching(DECIMAL, value) && value.length <= MAX_LENGTH;
    const read = isText || isNumber(value) ? toDecimal(value) : undefined;
    return read && isWithinLimits(read) ? read : undefined;
  };
  const quantity = (value) => {
    const read = amount(value);
    return read?.isNegative() ? undefined : read;
  };
  const fields = fieldsOf({
    oneOf: (values, value) => (values.includes(value) ? value : undefined),
    id: (value) => (matching(UUID, value) ? value : undefined),
    text,
    amount,
    quantity,
    time: (value) => (isNumber(value) && value >= 0 ? toDate(value) : undefined),
    address: (value) => text(value) && splitAddress(value),
    owner: (value) =>
      value && { name: optional(text(value.name)), category: optional(text(value.category)) },
    optional,
  });
  const checked = (notification) => {
    const faults = [];
    for (const field in notification) if (notification[field] === undefined) faults.push(field);
    return faults.length === 0 ? notification : { faults };
  };
  return {
    name,
    parse,
    deposit: (body) => checked(fields.deposit(body)),
    withdrawal: (body) => checked(fields.withdrawal(body)),
    outcomeOf: (result) => result,
  };
}

function valibot() {
  const text = v.pipe(v.string(), v.nonEmpty());
  const optional = (type) => v.fallback(v.nullish(type, null), null);
  const decimal = v.pipe(v.string(), v.maxLength(MAX_LENGTH), v.regex(DECIMAL));
  const literal = v.union([v.number(), decimal]);
  const amount = v.pipe(literal, v.transform(toDecimal), v.check(isWithinLimits));
  const isNotNegative = v.check((read) => !read.isNegative());
  const fields = fieldsOf({
    oneOf: (values) => v.picklist(values),
    id: () => v.pipe(v.string(), v.regex(UUID)),
    text: () => text,
    amount: () => amount,
    quantity: () => v.pipe(amount, isNotNegative),
    time: () => v.pipe(v.number(), v.minValue(0), v.transform(toDate)),
    address: () => v.pipe(text, v.transform(splitAddress)),
    owner: () => v.looseObject({ name: optional(text), category: optional(text) }),
    optional,
  });
  return {
    name: 'valibot',
    parse: JSON.parse,
    deposit: v.safeParser(v.looseObject(fields.deposit({}))),
    withdrawal: v.safeParser(v.looseObject(fields.withdrawal({}))),
    outcomeOf: ({ success, output, issues }) =>
      success ? output : { faults: issues.map(({ path }) => path[0].key) },
  };
}

function zod() {
  const text = z.string().min(1);
  const optional = (type) => type.nullish().catch(null);
  const literal = z.union([z.number(), z.string().max(MAX_LENGTH).regex(DECIMAL)]);
  const amount = literal.transform(toDecimal).refine(isWithinLimits);
  const fields = fieldsOf({
    oneOf: (values) => z.enum(values),
    id: () => z.string().regex(UUID),
    text: () => text,
    amount: () => amount,
    quantity: () => amount.refine((read) => !read.isNegative()),
    time: () => z.number().min(0).transform(toDate),
    address: () => text.transform(splitAddress),
    owner: () => z.looseObject({ name: optional(text), category: optional(text) }),
    optional,
  });
  return {
    name: 'zod',
    parse: JSON.parse,
    deposit: z.looseObject(fields.deposit({})).safeParse,
    withdrawal: z.looseObject(fields.withdrawal({})).safeParse,
    outcomeOf: ({ success, data, error }) =>
      success ? data : { faults: error.issues.map(({ path }) => path[0]) },
  };
}

function toDecimal(value) {
  return new Decimal(value instanceof LosslessNumber ? value.value : value);
}

function isWithinLimits(amount) {
  return Math.abs(amount.e) <= 78 && amount.precision() <= 78;
}

function toDate(seconds) {
  return new Date(seconds * 1000);
}

function splitAddress(raw) {
  const [address, destinationTag = null] = raw.split('?dt=');
  return { raw, address, destinationTag };
}
