import type { Decimal } from './amount.js';
import type { NotificationIssue } from './errors.js';
import {
  additionalFields,
  EMPTY,
  type ReadContext,
  readField,
  withoutPrototype,
} from './internal/fields.js';
import {
  amount,
  defineFields,
  type FieldTable,
  nonNegativeAmount,
  oneOf,
  optional,
  required,
  text,
  timestamp,
  uuid,
} from './internal/rules.js';

/** The states of a deposit. The service's documentation lists one. */
export const DepositStatus = {
  /** The deposit's transaction is in a block and has 1 blockchain confirmation. */
  CONFIRMED: 'CONFIRMED',
} as const;
/** A state of a deposit: `'CONFIRMED'`. */
export type DepositStatus = (typeof DepositStatus)[keyof typeof DepositStatus];

/**
 * How the exchange rate was set. It depends on the payment's rate type and on the time frame within
 * which the end-user created the deposit.
 */
export const RateType = {
  FIXED: 'FIXED',
  FLOATING: 'FLOATING',
} as const;
/** How the exchange rate was set: `'FIXED'` or `'FLOATING'`. */
export type RateType = (typeof RateType)[keyof typeof RateType];

/**
 * A deposit arrived and was credited to the merchant's account.
 *
 * Amounts are exact. Null means no value: the field was absent, null, empty or unreadable. An unreadable
 * field also adds a warning. The service's documentation doesn't state which fields are always there. The
 * identifiers and the amounts in all three currencies are required, because a merchant may credit any of
 * them.
 */
export interface DepositReceived {
  /** Tells a deposit from a withdrawal. */
  readonly type: 'deposit.received';
  /** Only `'CONFIRMED'`: the transaction is in a block and has 1 blockchain confirmation. */
  readonly status: DepositStatus;
  /** Unique deposit identifier assigned by the service: a UUID, as sent. */
  readonly depositId: string;
  /** Unique payment identifier assigned by the service: a UUID, as sent. */
  readonly paymentId: string;
  /** Unique payment identifier that the merchant supplied with the payment request. */
  readonly clientPaymentId: string;
  /** Code of the cryptocurrency that was deposited. */
  readonly depositCurrency: string;
  /** Amount actually deposited by the end-user, in `depositCurrency`; it may differ from the expected one. */
  readonly actualDepositAmount: Decimal;
  /** Amount that fulfils the requested display amount, in `depositCurrency`. */
  readonly expectedDepositAmount: Decimal | null;
  /** Code of the fiat currency chosen for display. */
  readonly displayCurrency: string;
  /** Amount actually deposited by the end-user, in `displayCurrency`; it may differ from the expected one. */
  readonly actualDisplayAmount: Decimal;
  /** Amount requested for the payment, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal | null;
  /** The service's commission for this deposit, in `displayCurrency`. */
  readonly displayServiceFee: Decimal | null;
  /** Code of the currency, fiat or crypto, in which the merchant's account was credited. */
  readonly settlementCurrency: string;
  /** Amount deposited, in `settlementCurrency`. */
  readonly settlementAmount: Decimal;
  /** The service's commission for this deposit, in `settlementCurrency`. */
  readonly settlementServiceFee: Decimal | null;
  /** Blockchain cost of the deposit, paid by the end-user. Its currency is undocumented. */
  readonly onChainFee: Decimal | null;
  /**
   * Loss from using a 1:1 rate between deposit and display currency. In `depositCurrency`, according
   * to the documentation; the name suggests the display currency. If negative, it is a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /**
   * Loss from using a 1:1 rate between deposit and display currency, in `settlementCurrency`. If
   * negative, it is a gain.
   */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Distributed fee, in `displayCurrency`. */
  readonly displayDistributedUserServiceFee: Decimal | null;
  /** Distributed fee, in `settlementCurrency`. */
  readonly settlementDistributedUserServiceFee: Decimal | null;
  /** Network on which the deposit arrived. */
  readonly network: string | null;
  /** The merchant's blockchain address, supplied by the service, where the deposit arrived. */
  readonly depositAddress: string | null;
  /** Blockchain address from which the payment originated. */
  readonly fromAddress: string | null;
  /** Unique identifier of the deposit's transaction on the blockchain. */
  readonly transactionId: string | null;
  /**
   * How the exchange rate was set.
   *
   * @remarks Null also for a rate type that this version doesn't know, which is then in
   * `additionalFields`.
   */
  readonly rateType: RateType | null;
  /** When the payment was requested. */
  readonly paymentRequestedAt: Date | null;
  /** When the payment was received. */
  readonly paymentReceivedAt: Date | null;
  /** When the payment link for this deposit expires. */
  readonly expirationTime: Date | null;
  /** The fields that this version doesn't know or could not read, as `JSON.parse` gives them. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults for which the body was not refused. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

// The names of the service's documentation, in the order of the output.
const rules = defineFields({
  status: required(oneOf(DepositStatus)),
  depositId: required(uuid),
  paymentId: required(uuid),
  clientPaymentId: required(text),
  depositCurrency: required(text),
  actualDepositAmount: required(nonNegativeAmount),
  expectedDepositAmount: optional(nonNegativeAmount),
  displayCurrency: required(text),
  actualDisplayAmount: required(nonNegativeAmount),
  expectedDisplayAmount: optional(nonNegativeAmount),
  displayServiceFee: optional(amount),
  settlementCurrency: required(text),
  settlementAmount: required(nonNegativeAmount),
  settlementServiceFee: optional(amount),
  onChainFee: optional(amount),
  displayRateDepegLossAmount: optional(amount),
  settlementRateDepegLossAmount: optional(amount),
  displayDistributedUserServiceFee: optional(amount),
  settlementDistributedUserServiceFee: optional(amount),
  network: optional(text),
  depositAddress: optional(text),
  fromAddress: optional(text),
  transactionId: optional(text),
  rateType: optional(oneOf(RateType)),
  paymentRequestedAt: optional(timestamp),
  paymentReceivedAt: optional(timestamp),
  expirationTime: optional(timestamp),
});

/** The rules of a deposit's fields. */
export const DEPOSIT_RECEIVED_FIELDS: FieldTable = rules;

/** Reads a deposit. What is faulty goes into the context's issues and warnings. */
export function readDepositReceived(context: ReadContext): DepositReceived {
  // Literal names: a loop over the table would be slower by half the time that JSON.parse takes.
  const wire = isInherited() ? withoutPrototype(context.fields) : context.fields;
  return {
    type: 'deposit.received',
    status: readField(context, rules.status, wire.status),
    depositId: readField(context, rules.depositId, wire.depositId),
    paymentId: readField(context, rules.paymentId, wire.paymentId),
    clientPaymentId: readField(context, rules.clientPaymentId, wire.clientPaymentId),
    depositCurrency: readField(context, rules.depositCurrency, wire.depositCurrency),
    actualDepositAmount: readField(context, rules.actualDepositAmount, wire.actualDepositAmount),
    expectedDepositAmount: readField(
      context,
      rules.expectedDepositAmount,
      wire.expectedDepositAmount,
    ),
    displayCurrency: readField(context, rules.displayCurrency, wire.displayCurrency),
    actualDisplayAmount: readField(context, rules.actualDisplayAmount, wire.actualDisplayAmount),
    expectedDisplayAmount: readField(
      context,
      rules.expectedDisplayAmount,
      wire.expectedDisplayAmount,
    ),
    displayServiceFee: readField(context, rules.displayServiceFee, wire.displayServiceFee),
    settlementCurrency: readField(context, rules.settlementCurrency, wire.settlementCurrency),
    settlementAmount: readField(context, rules.settlementAmount, wire.settlementAmount),
    settlementServiceFee: readField(context, rules.settlementServiceFee, wire.settlementServiceFee),
    onChainFee: readField(context, rules.onChainFee, wire.onChainFee),
    displayRateDepegLossAmount: readField(
      context,
      rules.displayRateDepegLossAmount,
      wire.displayRateDepegLossAmount,
    ),
    settlementRateDepegLossAmount: readField(
      context,
      rules.settlementRateDepegLossAmount,
      wire.settlementRateDepegLossAmount,
    ),
    displayDistributedUserServiceFee: readField(
      context,
      rules.displayDistributedUserServiceFee,
      wire.displayDistributedUserServiceFee,
    ),
    settlementDistributedUserServiceFee: readField(
      context,
      rules.settlementDistributedUserServiceFee,
      wire.settlementDistributedUserServiceFee,
    ),
    network: readField(context, rules.network, wire.network),
    depositAddress: readField(context, rules.depositAddress, wire.depositAddress),
    fromAddress: readField(context, rules.fromAddress, wire.fromAddress),
    transactionId: readField(context, rules.transactionId, wire.transactionId),
    rateType: readField(context, rules.rateType, wire.rateType),
    paymentRequestedAt: readField(context, rules.paymentRequestedAt, wire.paymentRequestedAt),
    paymentReceivedAt: readField(context, rules.paymentReceivedAt, wire.paymentReceivedAt),
    expirationTime: readField(context, rules.expirationTime, wire.expirationTime),
    additionalFields: additionalFields(context, rules),
    warnings: context.warnings,
  };
}

/** Whether every object inherits a field of a deposit. A loop would take ten times as long. */
function isInherited(): boolean {
  return (
    EMPTY.status !== undefined ||
    EMPTY.depositId !== undefined ||
    EMPTY.paymentId !== undefined ||
    EMPTY.clientPaymentId !== undefined ||
    EMPTY.depositCurrency !== undefined ||
    EMPTY.actualDepositAmount !== undefined ||
    EMPTY.expectedDepositAmount !== undefined ||
    EMPTY.displayCurrency !== undefined ||
    EMPTY.actualDisplayAmount !== undefined ||
    EMPTY.expectedDisplayAmount !== undefined ||
    EMPTY.displayServiceFee !== undefined ||
    EMPTY.settlementCurrency !== undefined ||
    EMPTY.settlementAmount !== undefined ||
    EMPTY.settlementServiceFee !== undefined ||
    EMPTY.onChainFee !== undefined ||
    EMPTY.displayRateDepegLossAmount !== undefined ||
    EMPTY.settlementRateDepegLossAmount !== undefined ||
    EMPTY.displayDistributedUserServiceFee !== undefined ||
    EMPTY.settlementDistributedUserServiceFee !== undefined ||
    EMPTY.network !== undefined ||
    EMPTY.depositAddress !== undefined ||
    EMPTY.fromAddress !== undefined ||
    EMPTY.transactionId !== undefined ||
    EMPTY.rateType !== undefined ||
    EMPTY.paymentRequestedAt !== undefined ||
    EMPTY.paymentReceivedAt !== undefined ||
    EMPTY.expirationTime !== undefined
  );
}
