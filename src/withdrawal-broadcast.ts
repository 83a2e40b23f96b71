import type { Decimal } from './amount.js';
import type { NotificationIssue } from './errors.js';
import {
  amount,
  anyText,
  type FieldType,
  nonNegativeAmount,
  oneOf,
  text,
  txAddress,
  uuid,
} from './internal/field-types.js';
import {
  additionalFields,
  expected,
  type Fields,
  namesReadBy,
  nestContext,
  optional,
  ownProperties,
  type ReadContext,
  required,
} from './internal/fields.js';
import { describe, issue, quoteLiteral } from './internal/issues.js';
import type { TxAddress } from './tx-address.js';

/** The statuses of a withdrawal. The service doesn't document when one fails or is blocked. */
export const WithdrawalStatus = {
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
  BLOCKED: 'BLOCKED',
} as const;
/** How the withdrawal ended. */
export type WithdrawalStatus = (typeof WithdrawalStatus)[keyof typeof WithdrawalStatus];

/** Who owns the address of a withdrawal, according to AML screening. */
export interface TxAddressOwner {
  /** Name of the owner; can be an empty string. */
  readonly name: string | null;
  /** Category of the owner; can be an empty string. */
  readonly category: string | null;
  /** Fields of `txAddressOwner` that this version doesn't know or couldn't read; see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

/**
 * A finished withdrawal: a union, discriminated by `status`.
 *
 * Amounts are exact. A field is null if it was missing, null, empty or unreadable. An unreadable field adds a
 * warning, and so does a missing `toTxAddress` or `txAddressOwner`. The service doesn't require the actual
 * amounts, so they may be null even if the withdrawal completed.
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
  /** Estimated amount, in `withdrawCurrency`. */
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
  /** Amount debited from your balance, in `settlementCurrency`. Also spelled `deducedSettlementAmount`. */
  readonly deductedSettlementAmount: Decimal | null;
  /**
   * Loss from the pegged rate between the withdrawal and display currencies, in `displayCurrency`; negative for
   * a gain.
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

const owner: FieldType<Fields> = {
  kind: 'object',
  read: ownProperties,
  explain: (value) => ({
    code: 'wrong_type',
    expected: 'an object with name and category',
    received: describe(value),
  }),
};

const statusType = oneOf(WithdrawalStatus);
const withdrawalNames = /* @__PURE__ */ namesReadBy(readWithdrawalBroadcast);
const ownerNames = /* @__PURE__ */ namesReadBy(readOwnerFields);

/** Reads a withdrawal: one field per line, in output order. Records faults in the context. */
export function readWithdrawalBroadcast(context: ReadContext): WithdrawalBroadcast {
  const status = required(context, 'status', statusType);
  const isNotCompleted = status === WithdrawalStatus.FAILED || status === WithdrawalStatus.BLOCKED;
  const withdrawal = {
    type: 'withdrawal.broadcast',
    status,
    withdrawalId: required(context, 'withdrawalId', uuid),
    clientWithdrawalId: required(context, 'clientWithdrawalId', text),
    businessId: required(context, 'businessId', uuid),
    withdrawCurrency: required(context, 'withdrawCurrency', text),
    estimatedWithdrawAmount: required(context, 'estimatedWithdrawAmount', nonNegativeAmount),
    actualWithdrawAmount: optional(context, 'actualWithdrawAmount', nonNegativeAmount),
    withdrawFee: optional(context, 'withdrawFee', amount),
    displayCurrency: required(context, 'displayCurrency', text),
    expectedDisplayAmount: required(context, 'expectedDisplayAmount', nonNegativeAmount),
    actualDisplayAmount: optional(context, 'actualDisplayAmount', nonNegativeAmount),
    displayFee: optional(context, 'displayFee', amount),
    settlementCurrency: required(context, 'settlementCurrency', text),
    deductedSettlementAmount: readDeductedAmount(context),
    displayRateDepegLossAmount: optional(context, 'displayRateDepegLossAmount', amount),
    settlementRateDepegLossAmount: optional(context, 'settlementRateDepegLossAmount', amount),
    // Documented as required. But a failed withdrawal must be reported even without an address.
    toTxAddress: (isNotCompleted ? expected : required)(context, 'toTxAddress', txAddress),
    txAddressOwner: readOwner(context),
    transactionId: optional(context, 'transactionId', text),
    additionalFields: additionalFields(context, withdrawalNames),
    warnings: context.warnings,
  } as const;
  // The compiler can't see that toTxAddress is null only if the withdrawal did not complete.
  return withdrawal as WithdrawalBroadcast;
}

/** The service documents both spellings: `deduced…` in its field table, `deducted…` in its sample body. */
function readDeductedAmount(context: ReadContext): Decimal | null {
  const deducted = optional(context, 'deductedSettlementAmount', nonNegativeAmount);
  const deduced = optional(context, 'deducedSettlementAmount', nonNegativeAmount);
  if (deducted === null || deduced === null || deducted.equals(deduced)) return deducted ?? deduced;

  const name = 'deductedSettlementAmount';
  const other = `the same amount as in deducedSettlementAmount (${quoteLiteral(String(deduced))})`;
  context.warnings.push(issue('conflicting_fields', [name], other, quoteLiteral(String(deducted))));
  context.unreadable.push(name, 'deducedSettlementAmount');
  return null;
}

function readOwner(context: ReadContext): TxAddressOwner | null {
  const wire = expected(context, 'txAddressOwner', owner);
  return wire && readOwnerFields(nestContext(context, 'txAddressOwner', wire));
}

export function readOwnerFields(context: ReadContext): TxAddressOwner {
  return {
    name: expected(context, 'name', anyText),
    category: expected(context, 'category', anyText),
    additionalFields: additionalFields(context, ownerNames),
  };
}
