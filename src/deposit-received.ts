import type { Decimal } from './amount.js';
import { additionalFields, optional, required, type Source } from './internal/fields.js';
import { id, isOneOf, oneOf, quantity, signedAmount, text, timestamp } from './internal/kinds.js';

/**
 * The states of a deposit; there is one.
 *
 * Service document, "States and transitions".
 */
export const DepositStatus = {
  /** The deposit's transaction is in a block and has 1 blockchain confirmation. */
  CONFIRMED: 'CONFIRMED',
} as const;
/** A state of a deposit: `'CONFIRMED'`. */
export type DepositStatus = (typeof DepositStatus)[keyof typeof DepositStatus];

/**
 * How the rate of a deposit came about.
 *
 * Service document, "Deposit received notification body": it depends on the payment's rate type and
 * on the time frame within which the end-user created the deposit.
 */
export const RateType = {
  FIXED: 'FIXED',
  FLOATING: 'FLOATING',
} as const;
/** How the rate of a deposit came about: `'FIXED'` or `'FLOATING'`. */
export type RateType = (typeof RateType)[keyof typeof RateType];

/**
 * A deposit arrived and was credited to the merchant's account.
 *
 * Amounts are exact. Null means that the service sent no value: the field was absent or JSON null.
 * The service document ("Deposit received notification body") doesn't state which fields are always
 * there, so only those without which nothing can be credited are required.
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
  /** Unique payment identifier that the merchant gave when requesting the payment. */
  readonly clientPaymentId: string;
  /** Code of the cryptocurrency that was deposited. */
  readonly depositCurrency: string;
  /** Amount that the end-user deposited, in `depositCurrency`; it may differ from the expected one. */
  readonly actualDepositAmount: Decimal;
  /** Amount of `depositCurrency` that fulfils the requested amount. */
  readonly expectedDepositAmount: Decimal | null;
  /** Code of the fiat currency chosen for display. */
  readonly displayCurrency: string;
  /** Amount that the end-user deposited, in `displayCurrency`; it may differ from the expected one. */
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
  /** What the deposit cost on the blockchain, paid by the end-user. The document states no currency. */
  readonly onChainFee: Decimal | null;
  /**
   * Loss from the rate of 1:1 between deposit and display currency, in `depositCurrency` (so the
   * document's field table; its name suggests the display currency). Below zero it is a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /**
   * Loss from the rate of 1:1 between deposit and display currency, in `settlementCurrency`. Below
   * zero it is a gain.
   */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Distributed fee, in `displayCurrency`. */
  readonly displayDistributedUserServiceFee: Decimal | null;
  /** Distributed fee, in `settlementCurrency`. */
  readonly settlementDistributedUserServiceFee: Decimal | null;
  /** Network on which the deposit arrived. */
  readonly network: string | null;
  /** The merchant's blockchain address, supplied by the service, at which the deposit arrived. */
  readonly depositAddress: string | null;
  /** Blockchain address from which the payment came. */
  readonly fromAddress: string | null;
  /** Unique identifier of the deposit's transaction on the blockchain. */
  readonly transactionId: string | null;
  /**
   * How the rate came about. Null also for a rate type that this version doesn't know: then it is in
   * `additionalFields`.
   */
  readonly rateType: RateType | null;
  /** When the payment was requested. */
  readonly paymentRequestedAt: Date | null;
  /** When the payment was received. */
  readonly paymentReceivedAt: Date | null;
  /** When the payment link for this deposit expires. */
  readonly expirationTime: Date | null;
  /** The body's fields that this version doesn't know, as `JSON.parse` gives them. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

const status = /* @__PURE__ */ oneOf(DepositStatus);
const rate = /* @__PURE__ */ oneOf(RateType);

/** Reads a deposit, one line a field. What is faulty goes into the source's issues. */
export function readDepositReceived(source: Source): DepositReceived {
  return {
    type: 'deposit.received',
    status: required(source, 'status', status),
    depositId: required(source, 'depositId', id),
    paymentId: required(source, 'paymentId', id),
    clientPaymentId: required(source, 'clientPaymentId', text),
    depositCurrency: required(source, 'depositCurrency', text),
    actualDepositAmount: required(source, 'actualDepositAmount', quantity),
    expectedDepositAmount: optional(source, 'expectedDepositAmount', quantity),
    displayCurrency: required(source, 'displayCurrency', text),
    actualDisplayAmount: required(source, 'actualDisplayAmount', quantity),
    expectedDisplayAmount: optional(source, 'expectedDisplayAmount', quantity),
    displayServiceFee: optional(source, 'displayServiceFee', signedAmount),
    settlementCurrency: required(source, 'settlementCurrency', text),
    settlementAmount: required(source, 'settlementAmount', quantity),
    settlementServiceFee: optional(source, 'settlementServiceFee', signedAmount),
    onChainFee: optional(source, 'onChainFee', signedAmount),
    displayRateDepegLossAmount: optional(source, 'displayRateDepegLossAmount', signedAmount),
    settlementRateDepegLossAmount: optional(source, 'settlementRateDepegLossAmount', signedAmount),
    displayDistributedUserServiceFee: optional(
      source,
      'displayDistributedUserServiceFee',
      signedAmount,
    ),
    settlementDistributedUserServiceFee: optional(
      source,
      'settlementDistributedUserServiceFee',
      signedAmount,
    ),
    network: optional(source, 'network', text),
    depositAddress: optional(source, 'depositAddress', text),
    fromAddress: optional(source, 'fromAddress', text),
    transactionId: optional(source, 'transactionId', text),
    rateType: rateType(source),
    paymentRequestedAt: optional(source, 'paymentRequestedAt', timestamp),
    paymentReceivedAt: optional(source, 'paymentReceivedAt', timestamp),
    expirationTime: optional(source, 'expirationTime', timestamp),
    additionalFields: additionalFields(source),
  };
}

/** A rate type that is new to us must not cost a deposit: left unread, it is an additional field. */
function rateType(source: Source): RateType | null {
  const value = source.fields.rateType;
  if (typeof value === 'string' && !isOneOf(RateType, value)) return null;
  return optional(source, 'rateType', rate);
}
