import type { Decimal } from './amount.js';
import type { NotificationIssue } from './errors.js';
import { amount, nonNegativeAmount, oneOf, text, timestamp, uuid } from './internal/field-types.js';
import {
  additionalFields,
  namesReadBy,
  optional,
  type ReadContext,
  required,
} from './internal/fields.js';

/** The states of a deposit. The service's documentation lists one. */
export const DepositStatus = {
  /** The deposit's transaction is in a block and has 1 blockchain confirmation. */
  CONFIRMED: 'CONFIRMED',
} as const;
/** A state of a deposit: `'CONFIRMED'`. */
export type DepositStatus = (typeof DepositStatus)[keyof typeof DepositStatus];

/**
 * The ways to set the exchange rate. It depends on the payment's rate type and on the time frame within
 * which the end-user created the deposit.
 */
export const RateType = {
  FIXED: 'FIXED',
  FLOATING: 'FLOATING',
} as const;
/** A rate type: `'FIXED'` or `'FLOATING'`. */
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
  /**
   * The fields that this version doesn't know or could not read. Each number in them, at any depth, is the text
   * of its literal: `'5'`, `'0.123456789012345678'`. An object that was passed already parsed keeps its numbers.
   */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults for which the body was not refused. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

const status = oneOf(DepositStatus);
const rateType = oneOf(RateType);
const depositNames = /* @__PURE__ */ namesReadBy(readDepositReceived);

/** Reads a deposit: one line per field, its rule, in the order of the output. Notes faults in the context. */
export function readDepositReceived(context: ReadContext): DepositReceived {
  return {
    type: 'deposit.received',
    status: required(context, 'status', status),
    depositId: required(context, 'depositId', uuid),
    paymentId: required(context, 'paymentId', uuid),
    clientPaymentId: required(context, 'clientPaymentId', text),
    depositCurrency: required(context, 'depositCurrency', text),
    actualDepositAmount: required(context, 'actualDepositAmount', nonNegativeAmount),
    expectedDepositAmount: optional(context, 'expectedDepositAmount', nonNegativeAmount),
    displayCurrency: required(context, 'displayCurrency', text),
    actualDisplayAmount: required(context, 'actualDisplayAmount', nonNegativeAmount),
    expectedDisplayAmount: optional(context, 'expectedDisplayAmount', nonNegativeAmount),
    displayServiceFee: optional(context, 'displayServiceFee', amount),
    settlementCurrency: required(context, 'settlementCurrency', text),
    settlementAmount: required(context, 'settlementAmount', nonNegativeAmount),
    settlementServiceFee: optional(context, 'settlementServiceFee', amount),
    onChainFee: optional(context, 'onChainFee', amount),
    displayRateDepegLossAmount: optional(context, 'displayRateDepegLossAmount', amount),
    settlementRateDepegLossAmount: optional(context, 'settlementRateDepegLossAmount', amount),
    displayDistributedUserServiceFee: optional(context, 'displayDistributedUserServiceFee', amount),
    settlementDistributedUserServiceFee: optional(
      context,
      'settlementDistributedUserServiceFee',
      amount,
    ),
    network: optional(context, 'network', text),
    depositAddress: optional(context, 'depositAddress', text),
    fromAddress: optional(context, 'fromAddress', text),
    transactionId: optional(context, 'transactionId', text),
    rateType: optional(context, 'rateType', rateType),
    paymentRequestedAt: optional(context, 'paymentRequestedAt', timestamp),
    paymentReceivedAt: optional(context, 'paymentReceivedAt', timestamp),
    expirationTime: optional(context, 'expirationTime', timestamp),
    additionalFields: additionalFields(context, depositNames),
    warnings: context.warnings,
  };
}
