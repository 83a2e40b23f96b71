import { DepositStatus, RateType } from './enums.js';
import type { NotificationIssue } from './errors.js';
import { notificationReader, type Reader } from './read.js';
import { optional, type RulesOf, required } from './rules.js';
import { amount, type Decimal, nonNegativeAmount } from './values/amount.js';
import { nonEmptyText, oneOf, uuid } from './values/text.js';
import { timestamp } from './values/timestamp.js';

/**
 * A deposit that arrived and was credited to your account with the service. Amounts are exact, to
 * every significant digit.
 *
 * A field is null if it was missing, null, empty or unreadable. An unreadable field also adds a
 * warning. The service doesn't document which fields it always sends. The parser requires `status`,
 * `depositId`, `paymentId`, `clientPaymentId`, and the amount and code of each of the three
 * currencies, because you may credit any of them.
 */
export interface DepositReceived {
  /** Discriminates `PaymentNotification`. */
  readonly type: 'deposit.received';
  /** The transaction is in a block and has 1 confirmation. */
  readonly status: DepositStatus;
  /** The service's ID for the deposit. */
  readonly depositId: string;
  /** The service's ID for the payment. */
  readonly paymentId: string;
  /** Your ID for the payment, from your request. */
  readonly clientPaymentId: string;
  /** Code of the cryptocurrency deposited. */
  readonly depositCurrency: string;
  /** Amount actually deposited, in `depositCurrency`. */
  readonly actualDepositAmount: Decimal;
  /** Amount in `depositCurrency` that covers `expectedDisplayAmount`. */
  readonly expectedDepositAmount: Decimal | null;
  /** Code of the fiat currency for display. */
  readonly displayCurrency: string;
  /** Amount actually deposited, in `displayCurrency`. */
  readonly actualDisplayAmount: Decimal;
  /** Amount requested for the payment, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal | null;
  /** The service's commission, in `displayCurrency`. */
  readonly displayServiceFee: Decimal | null;
  /** Code of the fiat or crypto currency in which your account was credited. */
  readonly settlementCurrency: string;
  /** Amount deposited, in `settlementCurrency`. */
  readonly settlementAmount: Decimal;
  /** The service's commission, in `settlementCurrency`. */
  readonly settlementServiceFee: Decimal | null;
  /** Blockchain fee, paid by the end-user. The service doesn't document its currency. */
  readonly onChainFee: Decimal | null;
  /**
   * Loss from using a 1:1 rate between the deposit and display currencies; negative for a gain. The
   * service documents it in `depositCurrency`.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /** Loss from using a 1:1 rate, in `settlementCurrency`; negative for a gain. */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Distributed fee, in `displayCurrency`. The service doesn't document who receives it. */
  readonly displayDistributedUserServiceFee: Decimal | null;
  /** Distributed fee, in `settlementCurrency`. */
  readonly settlementDistributedUserServiceFee: Decimal | null;
  /** Network of the deposit. */
  readonly network: string | null;
  /** Your blockchain address, supplied by the service. */
  readonly depositAddress: string | null;
  /** Blockchain address of the sender. */
  readonly fromAddress: string | null;
  /** The transaction's ID on the blockchain. */
  readonly transactionId: string | null;
  /**
   * Rate type of the deposit.
   *
   * @remarks Also null for a rate type that this version doesn't know. That value is in
   * `additionalFields`.
   */
  readonly rateType: RateType | null;
  /** When the payment was requested. */
  readonly paymentRequestedAt: Date | null;
  /** When the payment was received. */
  readonly paymentReceivedAt: Date | null;
  /** When the payment link expires. */
  readonly expirationTime: Date | null;
  /**
   * Fields that this version doesn't know or couldn't read. Each number in them, at any depth, is a
   * string with the digits as sent: `'1.50'`, whether the body has `1.50` or `"1.50"`.
   *
   * @remarks A field with more than 1,000 levels of nesting is left out, because `JSON.stringify`
   * fails on deep nesting. Then there is a warning.
   */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults that were tolerated. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

export const DEPOSIT_RECEIVED: RulesOf<DepositReceived> = {
  status: required(oneOf(DepositStatus)),
  depositId: required(uuid),
  paymentId: required(uuid),
  clientPaymentId: required(nonEmptyText),
  depositCurrency: required(nonEmptyText),
  actualDepositAmount: required(nonNegativeAmount('number')),
  expectedDepositAmount: optional(nonNegativeAmount('number')),
  displayCurrency: required(nonEmptyText),
  actualDisplayAmount: required(nonNegativeAmount('number')),
  expectedDisplayAmount: optional(nonNegativeAmount('number')),
  displayServiceFee: optional(amount('number')),
  settlementCurrency: required(nonEmptyText),
  settlementAmount: required(nonNegativeAmount('number')),
  settlementServiceFee: optional(amount('number')),
  onChainFee: optional(amount('number')),
  displayRateDepegLossAmount: optional(amount('number')),
  settlementRateDepegLossAmount: optional(amount('number')),
  displayDistributedUserServiceFee: optional(amount('string')),
  settlementDistributedUserServiceFee: optional(amount('string')),
  network: optional(nonEmptyText),
  depositAddress: optional(nonEmptyText),
  fromAddress: optional(nonEmptyText),
  transactionId: optional(nonEmptyText),
  rateType: optional(oneOf(RateType)),
  paymentRequestedAt: optional(timestamp),
  paymentReceivedAt: optional(timestamp),
  expirationTime: optional(timestamp),
};

export const readDepositReceived: Reader<DepositReceived> = /* @__PURE__ */ notificationReader(
  'deposit.received',
  DEPOSIT_RECEIVED,
);
