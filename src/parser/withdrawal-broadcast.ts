import type { OpenBody } from './body.js';
import { WithdrawalStatus } from './enums.js';
import type { NotificationIssue } from './errors.js';
import { notificationReader, type Reading } from './read.js';
import { expected, object, optional, type RulesOf, required } from './rules.js';
import { amountDebited, withOneSpelling } from './spelling.js';
import { amount, type Decimal, nonNegativeAmount } from './values/amount.js';
import { nonEmptyText, oneOf, text, uuid } from './values/text.js';
import { type TxAddress, txAddress } from './values/tx-address.js';

/** Who owns the address of a withdrawal, according to AML screening. */
export interface TxAddressOwner {
  /** Name of the owner. An empty string stays `''`, not null. */
  readonly name: string | null;
  /** Category of the owner. An empty string stays `''`, not null. */
  readonly category: string | null;
  /** Fields that this version doesn't know or couldn't read; see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

/**
 * A finished withdrawal: a union, discriminated by `status`.
 *
 * Amounts are exact, to every significant digit. A field is null if it was missing, null, empty or
 * unreadable, or was sent in two spellings with different amounts. Each of these adds a warning,
 * except for an optional field without a value.
 *
 * The service documents the actual amounts as optional, so they may be null even if the withdrawal
 * completed. For a failed or blocked withdrawal, only `status`, `withdrawalId` and
 * `clientWithdrawalId` are required.
 */
export type WithdrawalBroadcast = WithdrawalCompleted | WithdrawalFailed | WithdrawalBlocked;

/**
 * A withdrawal that completed. Every field that the service documents as required is present,
 * except that `txAddressOwner`, its name and its category may be null.
 */
export interface WithdrawalCompleted extends WithdrawalFields<never> {
  /** Discriminates the union. */
  readonly status: typeof WithdrawalStatus.COMPLETED;
}

/** A withdrawal that failed. The service doesn't document whether anything was sent. */
export interface WithdrawalFailed extends WithdrawalFields<null> {
  /** Discriminates the union. */
  readonly status: typeof WithdrawalStatus.FAILED;
}

/** A withdrawal that was blocked. The service doesn't document whether anything was sent. */
export interface WithdrawalBlocked extends WithdrawalFields<null> {
  /** Discriminates the union. */
  readonly status: typeof WithdrawalStatus.BLOCKED;
}

/** @typeParam Missing - `null` if the withdrawal failed or was blocked; `never` if it completed. */
interface WithdrawalFields<Missing extends null> {
  /** Discriminates `PaymentNotification`. */
  readonly type: 'withdrawal.broadcast';
  /** The service's ID for the withdrawal. */
  readonly withdrawalId: string;
  /** Your ID for the withdrawal, from your request. */
  readonly clientWithdrawalId: string;
  /** The service's ID for your business. */
  readonly businessId: string | Missing;
  /** Code of the cryptocurrency withdrawn. */
  readonly withdrawCurrency: string | Missing;
  /** Estimated amount. May differ from `actualWithdrawAmount`. */
  readonly estimatedWithdrawAmount: Decimal | Missing;
  /** Amount actually withdrawn, in `withdrawCurrency`. May be null even if `COMPLETED`. */
  readonly actualWithdrawAmount: Decimal | null;
  /** Blockchain fee, in `withdrawCurrency`. */
  readonly withdrawFee: Decimal | null;
  /** Code of the fiat currency for display. */
  readonly displayCurrency: string | Missing;
  /** Amount requested, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal | Missing;
  /** Amount actually withdrawn, in `displayCurrency`. */
  readonly actualDisplayAmount: Decimal | null;
  /** Blockchain fee, in `displayCurrency`. */
  readonly displayFee: Decimal | null;
  /** Code of the fiat or crypto currency in which your account was debited. */
  readonly settlementCurrency: string | Missing;
  /**
   * Amount debited from your balance, in `settlementCurrency`. The parser also accepts the spelling
   * `deducedSettlementAmount`.
   */
  readonly deductedSettlementAmount: Decimal | null;
  /**
   * Loss from pegging the rate between the withdrawal and display currencies, in `displayCurrency`;
   * negative for a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /** Loss from pegging the rate, in `settlementCurrency`; negative for a gain. */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** The recipient's address and destination tag. */
  readonly toTxAddress: TxAddress | Missing;
  /** Owner of the address, according to AML screening. */
  readonly txAddressOwner: TxAddressOwner | null;
  /** The transaction's ID on the blockchain. */
  readonly transactionId: string | null;
  /** Fields that this version doesn't know or couldn't read; see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults that were tolerated. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

export const TX_ADDRESS_OWNER: RulesOf<TxAddressOwner> = {
  name: expected(text),
  category: expected(text),
};

export const WITHDRAWAL_BROADCAST: RulesOf<AnyStatus<WithdrawalCompleted>> = {
  status: required(oneOf(WithdrawalStatus)),
  withdrawalId: required(uuid),
  clientWithdrawalId: required(nonEmptyText),
  businessId: required(uuid),
  withdrawCurrency: required(nonEmptyText),
  estimatedWithdrawAmount: required(nonNegativeAmount('string')),
  actualWithdrawAmount: optional(nonNegativeAmount('string')),
  withdrawFee: optional(amount('string')),
  displayCurrency: required(nonEmptyText),
  expectedDisplayAmount: required(nonNegativeAmount('string')),
  actualDisplayAmount: optional(nonNegativeAmount('string')),
  displayFee: optional(amount('string')),
  settlementCurrency: required(nonEmptyText),
  deductedSettlementAmount: optional(amountDebited),
  displayRateDepegLossAmount: optional(amount('string')),
  settlementRateDepegLossAmount: optional(amount('string')),
  toTxAddress: required(txAddress),
  txAddressOwner: expected(object(TX_ADDRESS_OWNER, 'an object with name and category')),
  transactionId: optional(nonEmptyText),
};

/**
 * The rules that differ if the withdrawal failed or was blocked. The service documents these fields
 * as required, but a failure must be reported even without them.
 */
export const NOT_COMPLETED: Pick<RulesOf<WithdrawalFailed>, NullUnlessCompleted> = {
  businessId: expected(uuid),
  withdrawCurrency: expected(nonEmptyText),
  estimatedWithdrawAmount: expected(nonNegativeAmount('string')),
  displayCurrency: expected(nonEmptyText),
  expectedDisplayAmount: expected(nonNegativeAmount('string')),
  settlementCurrency: expected(nonEmptyText),
  toTxAddress: expected(txAddress),
};

/** The fields that are null only if the withdrawal did not complete. */
type NullUnlessCompleted = {
  [Name in keyof WithdrawalFields<null>]: WithdrawalFields<null>[Name] extends WithdrawalFields<never>[Name]
    ? never
    : Name;
}[keyof WithdrawalFields<null>];

/**
 * `T` with any status. `readWithdrawalBroadcast` picks the rules by the status. The rules
 * themselves accept every status.
 */
type AnyStatus<T> = Omit<T, 'status'> & { readonly status: WithdrawalStatus };

const readCompleted = /* @__PURE__ */ notificationReader<AnyStatus<WithdrawalCompleted>>(
  'withdrawal.broadcast',
  WITHDRAWAL_BROADCAST,
);
const readNotCompleted = /* @__PURE__ */ notificationReader<AnyStatus<WithdrawalFailed>>(
  'withdrawal.broadcast',
  { ...WITHDRAWAL_BROADCAST, ...NOT_COMPLETED },
);

export function readWithdrawalBroadcast(body: OpenBody): Reading<WithdrawalBroadcast> {
  const { status } = body.fields;
  const isNotCompleted = status === WithdrawalStatus.FAILED || status === WithdrawalStatus.BLOCKED;
  const read = isNotCompleted ? readNotCompleted : readCompleted;
  return read(withOneSpelling(body));
}
