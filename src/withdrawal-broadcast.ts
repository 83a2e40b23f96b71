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

/** The outcomes of a withdrawal. When one fails or is blocked is undocumented. */
export const WithdrawalStatus = {
  /** The withdrawal completed. */
  COMPLETED: 'COMPLETED',
  /** The withdrawal failed. */
  FAILED: 'FAILED',
  /** The withdrawal was blocked. */
  BLOCKED: 'BLOCKED',
} as const;
/** The outcome of a withdrawal: `'COMPLETED'`, `'FAILED'` or `'BLOCKED'`. */
export type WithdrawalStatus = (typeof WithdrawalStatus)[keyof typeof WithdrawalStatus];

/** Who owns the address of a withdrawal, according to AML screening. */
export interface TxAddressOwner {
  /** Name of the entity that owns the address; may be empty. */
  readonly name: string | null;
  /** Category of the owning entity; may be empty. */
  readonly category: string | null;
  /** The object's fields that this version doesn't know or could not read: see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

/**
 * A withdrawal finished. Its `status` tells how, and which member of the union it is.
 *
 * Amounts are exact. Null means no value: the field was absent, null, empty or unreadable. An unreadable
 * field also adds a warning, and so does a missing `toTxAddress` or `txAddressOwner`. The service's
 * documentation doesn't require the actual amounts: they may be null even if the withdrawal completed.
 */
export type WithdrawalBroadcast = WithdrawalCompleted | WithdrawalFailed | WithdrawalBlocked;

/** A withdrawal that completed. */
export interface WithdrawalCompleted extends WithdrawalFields {
  /** `'COMPLETED'`: discriminates the union. */
  readonly status: typeof WithdrawalStatus.COMPLETED;
  /** The address to which `actualWithdrawAmount` was sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress;
}

/** A withdrawal that failed. When that happens is undocumented. */
export interface WithdrawalFailed extends WithdrawalFields {
  /** `'FAILED'`: discriminates the union. */
  readonly status: typeof WithdrawalStatus.FAILED;
  /** The address to which the amount was to be sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress | null;
}

/** A withdrawal that was blocked. When that happens is undocumented. */
export interface WithdrawalBlocked extends WithdrawalFields {
  /** `'BLOCKED'`: discriminates the union. */
  readonly status: typeof WithdrawalStatus.BLOCKED;
  /** The address to which the amount was to be sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress | null;
}

interface WithdrawalFields {
  /** Tells a withdrawal from a deposit. */
  readonly type: 'withdrawal.broadcast';
  /** Unique withdrawal identifier assigned by the service: a UUID, as sent. */
  readonly withdrawalId: string;
  /** Unique withdrawal identifier that the merchant supplied with the withdrawal request. */
  readonly clientWithdrawalId: string;
  /** Unique business identifier assigned by the service: a UUID, as sent. */
  readonly businessId: string;
  /** Code of the cryptocurrency to be withdrawn. */
  readonly withdrawCurrency: string;
  /** Estimated amount, in `withdrawCurrency`; it may differ from the actual one. */
  readonly estimatedWithdrawAmount: Decimal;
  /** Amount actually withdrawn, in `withdrawCurrency`. */
  readonly actualWithdrawAmount: Decimal | null;
  /** Blockchain cost of the withdrawal, in `withdrawCurrency`. */
  readonly withdrawFee: Decimal | null;
  /** Code of the fiat currency chosen for display. */
  readonly displayCurrency: string;
  /** Amount requested, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal;
  /** Amount actually withdrawn, in `displayCurrency`; it may differ from the expected one. */
  readonly actualDisplayAmount: Decimal | null;
  /** Blockchain cost of the withdrawal, in `displayCurrency`. */
  readonly displayFee: Decimal | null;
  /** Code of the currency, fiat or crypto, in which the merchant's account was debited. */
  readonly settlementCurrency: string;
  /**
   * Amount debited from the merchant's balance, in `settlementCurrency`. The wire may spell the
   * field `deducedSettlementAmount`, too.
   */
  readonly deductedSettlementAmount: Decimal | null;
  /**
   * Loss from the pegging of the withdrawal and display currencies' market rate, in
   * `displayCurrency`. If negative, it is a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /** The same loss, in `settlementCurrency`. */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Who owns the address, according to AML screening. */
  readonly txAddressOwner: TxAddressOwner | null;
  /** Unique identifier of the withdrawal's transaction on the blockchain. */
  readonly transactionId: string | null;
  /** The fields that this version doesn't know or could not read: see `DepositReceived`. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults for which the body was not refused. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

/** The type of the field `txAddressOwner`. */
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

/** Reads a withdrawal: one line per field, its rule, in the order of the output. Notes faults in the context. */
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
    // The documentation requires it. But the merchant must learn that a withdrawal failed.
    toTxAddress: (isNotCompleted ? expected : required)(context, 'toTxAddress', txAddress),
    txAddressOwner: readOwner(context),
    transactionId: optional(context, 'transactionId', text),
    additionalFields: additionalFields(context, withdrawalNames),
    warnings: context.warnings,
  } as const;
  // Only one that did not complete can be without an address, which the compiler doesn't see.
  return withdrawal as WithdrawalBroadcast;
}

/** The documentation's table spells the name `deduced…`, its sample body `deducted…`. */
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

/** Reads the fields of `txAddressOwner`. */
export function readOwnerFields(context: ReadContext): TxAddressOwner {
  return {
    name: expected(context, 'name', anyText),
    category: expected(context, 'category', anyText),
    additionalFields: additionalFields(context, ownerNames),
  };
}
