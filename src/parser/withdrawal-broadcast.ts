import type { OpenBody } from './body.js';
import { WithdrawalStatus } from './enums.js';
import type { NotificationIssue } from './errors.js';
import {
  amount,
  anyText,
  nonNegativeAmount,
  object,
  oneOf,
  text,
  txAddress,
  uuid,
} from './field-types.js';
import { notificationReader, type Reading } from './read.js';
import { expected, optional, type RulesOf, required } from './rules.js';
import type { Decimal } from './values/amount.js';
import type { TxAddress } from './values/tx-address.js';

/** Who owns the address of a withdrawal, according to AML screening. */
export interface TxAddressOwner {
  /** Name of the owner; can be an empty string. */
  readonly name: string | null;
  /** Category of the owner; can be an empty string. */
  readonly category: string | null;
  /**
   * Fields of `txAddressOwner` that this version doesn't know or couldn't read; see
   * `DepositReceived`.
   */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

/**
 * A finished withdrawal: a union, discriminated by `status`.
 *
 * Amounts are exact, to every significant digit. A field is null if it was missing, null, empty or
 * unreadable. An unreadable field adds a warning, and so does a missing `toTxAddress` or
 * `txAddressOwner`. The service doesn't require the actual amounts, so they may be null even if the
 * withdrawal completed.
 */
export type WithdrawalBroadcast = WithdrawalCompleted | WithdrawalFailed | WithdrawalBlocked;

/** A withdrawal that completed. */
export interface WithdrawalCompleted extends WithdrawalFields {
  /** `'COMPLETED'`. Discriminates the union. */
  readonly status: typeof WithdrawalStatus.COMPLETED;
  /** The address to which `actualWithdrawAmount` was sent, and its destination tag. */
  readonly toTxAddress: TxAddress;
}

/** A withdrawal that failed. The service doesn't document when this happens. */
export interface WithdrawalFailed extends WithdrawalFields {
  /** `'FAILED'`. Discriminates the union. */
  readonly status: typeof WithdrawalStatus.FAILED;
  /** The recipient's address and destination tag. */
  readonly toTxAddress: TxAddress | null;
}

/** A withdrawal that was blocked. The service doesn't document when this happens. */
export interface WithdrawalBlocked extends WithdrawalFields {
  /** `'BLOCKED'`. Discriminates the union. */
  readonly status: typeof WithdrawalStatus.BLOCKED;
  /** The recipient's address and destination tag. */
  readonly toTxAddress: TxAddress | null;
}

interface WithdrawalFields {
  /** Discriminates `PaymentNotification`. */
  readonly type: 'withdrawal.broadcast';
  /** The service's ID for the withdrawal. */
  readonly withdrawalId: string;
  /** Your ID for the withdrawal, from your request. */
  readonly clientWithdrawalId: string;
  /** The service's ID for your business. */
  readonly businessId: string;
  /** Code of the cryptocurrency withdrawn. */
  readonly withdrawCurrency: string;
  /** Estimated amount. May differ from `actualWithdrawAmount`. */
  readonly estimatedWithdrawAmount: Decimal;
  /** Amount actually withdrawn, in `withdrawCurrency`. */
  readonly actualWithdrawAmount: Decimal | null;
  /** Blockchain fee, in `withdrawCurrency`. */
  readonly withdrawFee: Decimal | null;
  /** Code of the fiat currency for display. */
  readonly displayCurrency: string;
  /** Amount requested, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal;
  /** Amount actually withdrawn, in `displayCurrency`. */
  readonly actualDisplayAmount: Decimal | null;
  /** Blockchain fee, in `displayCurrency`. */
  readonly displayFee: Decimal | null;
  /** Code of the fiat or crypto currency in which your account was debited. */
  readonly settlementCurrency: string;
  /**
   * Amount debited from your balance, in `settlementCurrency`. Also spelled
   * `deducedSettlementAmount`.
   */
  readonly deductedSettlementAmount: Decimal | null;
  /**
   * Loss from the pegged rate between the withdrawal and display currencies, in `displayCurrency`;
   * negative for a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /** Loss from the pegged rate, in `settlementCurrency`; negative for a gain. */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Owner of the address, according to AML screening. Null if not sent. */
  readonly txAddressOwner: TxAddressOwner | null;
  /** The transaction's ID on the blockchain. */
  readonly transactionId: string | null;
  /** Fields that this version doesn't know or couldn't read; see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults that did not cause the body to be refused. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

/** The rules of an owner's fields, in output order. */
export const TX_ADDRESS_OWNER: RulesOf<TxAddressOwner> = {
  name: expected(anyText),
  category: expected(anyText),
};

/** The rules of a withdrawal's fields, in output order. */
export const WITHDRAWAL_BROADCAST: RulesOf<WithStatus<WithdrawalCompleted>> = {
  status: required(oneOf(WithdrawalStatus)),
  withdrawalId: required(uuid),
  clientWithdrawalId: required(text),
  businessId: required(uuid),
  withdrawCurrency: required(text),
  estimatedWithdrawAmount: required(nonNegativeAmount),
  actualWithdrawAmount: optional(nonNegativeAmount),
  withdrawFee: optional(amount),
  displayCurrency: required(text),
  expectedDisplayAmount: required(nonNegativeAmount),
  actualDisplayAmount: optional(nonNegativeAmount),
  displayFee: optional(amount),
  settlementCurrency: required(text),
  // The service documents both spellings: `deduced…` in its field table, `deducted…` in its
  // sample body.
  deductedSettlementAmount: optional(nonNegativeAmount, 'deducedSettlementAmount'),
  displayRateDepegLossAmount: optional(amount),
  settlementRateDepegLossAmount: optional(amount),
  toTxAddress: required(txAddress),
  txAddressOwner: expected(object(TX_ADDRESS_OWNER, 'an object with name and category')),
  transactionId: optional(text),
};

/**
 * The rules that differ if the withdrawal failed or was blocked. The service documents its address
 * as required, but the withdrawal must be reported even without one.
 */
export const NOT_COMPLETED: Pick<RulesOf<WithdrawalFailed>, 'toTxAddress'> = {
  toTxAddress: expected(txAddress),
};

/** The rules read any status. Which one it is decides between the rules. */
type WithStatus<T> = Omit<T, 'status'> & { readonly status: WithdrawalStatus };

const readCompleted = /* @__PURE__ */ notificationReader<WithStatus<WithdrawalCompleted>>(
  'withdrawal.broadcast',
  WITHDRAWAL_BROADCAST,
);
const readNotCompleted = /* @__PURE__ */ notificationReader<WithStatus<WithdrawalFailed>>(
  'withdrawal.broadcast',
  { ...WITHDRAWAL_BROADCAST, ...NOT_COMPLETED },
);

export function readWithdrawalBroadcast(body: OpenBody): Reading<WithdrawalBroadcast> {
  const { status } = body.fields;
  const isNotCompleted = status === WithdrawalStatus.FAILED || status === WithdrawalStatus.BLOCKED;
  return isNotCompleted ? readNotCompleted(body) : readCompleted(body);
}
