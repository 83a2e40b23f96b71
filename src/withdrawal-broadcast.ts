import type { Decimal } from './amount.js';
import type { NotificationIssue } from './errors.js';
import {
  additionalFields,
  EMPTY,
  type Fields,
  nestContext,
  ownProperties,
  type ReadContext,
  readField,
  withoutPrototype,
} from './internal/fields.js';
import { describe, issue, quoteLiteral } from './internal/issues.js';
import {
  amount,
  anyText,
  defineFields,
  expected,
  type FieldTable,
  type FieldType,
  nonNegativeAmount,
  oneOf,
  optional,
  required,
  text,
  uuid,
} from './internal/rules.js';
import { accept, createSchema, type Fault, reject } from './internal/schemas.js';
import type { TxAddress } from './tx-address.js';
import { txAddress } from './tx-address-schema.js';

/** How a withdrawal ended. When one fails or is blocked is undocumented. */
export const WithdrawalStatus = {
  /** The withdrawal completed. */
  COMPLETED: 'COMPLETED',
  /** The withdrawal failed. */
  FAILED: 'FAILED',
  /** The withdrawal was blocked. */
  BLOCKED: 'BLOCKED',
} as const;
/** How a withdrawal ended: `'COMPLETED'`, `'FAILED'` or `'BLOCKED'`. */
export type WithdrawalStatus = (typeof WithdrawalStatus)[keyof typeof WithdrawalStatus];

/** Who owns the address of a withdrawal, according to AML screening. */
export interface TxAddressOwner {
  /** Name of the entity that owns the address; may be empty. */
  readonly name: string | null;
  /** Category of the owning entity; may be empty. */
  readonly category: string | null;
  /** The object's fields that this version doesn't know or could not read, as `JSON.parse` gives them. */
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
  /** Where `actualWithdrawAmount` was sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress;
}

/** A withdrawal that failed. When that happens is undocumented. */
export interface WithdrawalFailed extends WithdrawalFields {
  /** `'FAILED'`: discriminates the union. */
  readonly status: typeof WithdrawalStatus.FAILED;
  /** Where the amount was to be sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress | null;
}

/** A withdrawal that was blocked. When that happens is undocumented. */
export interface WithdrawalBlocked extends WithdrawalFields {
  /** `'BLOCKED'`: discriminates the union. */
  readonly status: typeof WithdrawalStatus.BLOCKED;
  /** Where the amount was to be sent, split into address and destination tag. */
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
  readonly txAddressOwner: TxAddressOwner;
  /** Unique identifier of the withdrawal's transaction on the blockchain. */
  readonly transactionId: string | null;
  /** The fields that this version doesn't know or could not read, as `JSON.parse` gives them. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
  /** Faults for which the body was not refused. Log or count them. */
  readonly warnings: readonly NotificationIssue[];
}

/** The type of the field `txAddressOwner`. */
const owner: FieldType<Fields> = {
  kind: 'object',
  schema: createSchema('object', function (dataset, config) {
    const fields = ownProperties(dataset.value);
    return fields === null ? reject(this, dataset, config, explainOwner) : accept(dataset, fields);
  }),
  explain: explainOwner,
};

function explainOwner(value: unknown): Fault {
  return {
    code: 'wrong_type',
    expected: 'an object with name and category',
    received: describe(value),
  };
}

// The names of the service's documentation, in the order of the output.
const rules = defineFields({
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
  deductedSettlementAmount: optional(nonNegativeAmount),
  deducedSettlementAmount: optional(nonNegativeAmount),
  displayRateDepegLossAmount: optional(amount),
  settlementRateDepegLossAmount: optional(amount),
  toTxAddress: required(txAddress),
  txAddressOwner: expected(owner),
  transactionId: optional(text),
});

/**
 * The documentation requires `toTxAddress`. A FAILED or BLOCKED withdrawal without one is not refused: the
 * merchant must learn that it failed.
 */
const notCompletedRules = defineFields({ toTxAddress: expected(txAddress) });

const ownerRules = defineFields({
  name: expected(anyText),
  category: expected(anyText),
});

/** The rules of a withdrawal's fields. */
export const WITHDRAWAL_BROADCAST_FIELDS: FieldTable = rules;
/** The rules that differ for a withdrawal that is FAILED or BLOCKED. */
export const NOT_COMPLETED_WITHDRAWAL_FIELDS: FieldTable = notCompletedRules;
/** The rules of `txAddressOwner`'s fields. */
export const TX_ADDRESS_OWNER_FIELDS: FieldTable = ownerRules;

/** Reads a withdrawal. What is faulty goes into the context's issues and warnings. */
export function readWithdrawalBroadcast(context: ReadContext): WithdrawalBroadcast {
  // Literal names: a loop over the table would be slower by half the time that JSON.parse takes.
  const wire = isInherited() ? withoutPrototype(context.fields) : context.fields;
  const status = readField(context, rules.status, wire.status);
  const isNotCompleted = status === WithdrawalStatus.FAILED || status === WithdrawalStatus.BLOCKED;
  const withdrawal = {
    type: 'withdrawal.broadcast',
    status,
    withdrawalId: readField(context, rules.withdrawalId, wire.withdrawalId),
    clientWithdrawalId: readField(context, rules.clientWithdrawalId, wire.clientWithdrawalId),
    businessId: readField(context, rules.businessId, wire.businessId),
    withdrawCurrency: readField(context, rules.withdrawCurrency, wire.withdrawCurrency),
    estimatedWithdrawAmount: readField(
      context,
      rules.estimatedWithdrawAmount,
      wire.estimatedWithdrawAmount,
    ),
    actualWithdrawAmount: readField(context, rules.actualWithdrawAmount, wire.actualWithdrawAmount),
    withdrawFee: readField(context, rules.withdrawFee, wire.withdrawFee),
    displayCurrency: readField(context, rules.displayCurrency, wire.displayCurrency),
    expectedDisplayAmount: readField(
      context,
      rules.expectedDisplayAmount,
      wire.expectedDisplayAmount,
    ),
    actualDisplayAmount: readField(context, rules.actualDisplayAmount, wire.actualDisplayAmount),
    displayFee: readField(context, rules.displayFee, wire.displayFee),
    settlementCurrency: readField(context, rules.settlementCurrency, wire.settlementCurrency),
    deductedSettlementAmount: readDeductedAmount(context, wire),
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
    toTxAddress: readField(
      context,
      isNotCompleted ? notCompletedRules.toTxAddress : rules.toTxAddress,
      wire.toTxAddress,
    ),
    txAddressOwner: readOwner(context, wire.txAddressOwner),
    transactionId: readField(context, rules.transactionId, wire.transactionId),
    additionalFields: additionalFields(context, rules),
    warnings: context.warnings,
  } as const;
  // Only one that did not complete can be without an address, which the compiler doesn't see.
  return withdrawal as WithdrawalBroadcast;
}

/** The documentation's table spells the name `deduced…`, its sample body `deducted…`. */
function readDeductedAmount(context: ReadContext, wire: Fields): Decimal | null {
  const { deductedSettlementAmount, deducedSettlementAmount } = rules;
  const deducted = readField(context, deductedSettlementAmount, wire.deductedSettlementAmount);
  const deduced = readField(context, deducedSettlementAmount, wire.deducedSettlementAmount);
  if (deducted === null || deduced === null || deducted.equals(deduced)) return deducted ?? deduced;

  const { name } = deductedSettlementAmount;
  const other = `the same amount as in deducedSettlementAmount (${quoteLiteral(deduced.toString())})`;
  const conflict = issue('conflicting_fields', [name], other, quoteLiteral(deducted.toString()));
  context.warnings.push(conflict);
  context.unreadable.push(name, deducedSettlementAmount.name);
  return null;
}

function readOwner(context: ReadContext, value: unknown): TxAddressOwner {
  const wire = readField(context, rules.txAddressOwner, value);
  if (wire === null) return { name: null, category: null, additionalFields: {} };
  const nested = nestContext(context, rules.txAddressOwner.name, wire);
  return {
    name: readField(nested, ownerRules.name, wire.name),
    category: readField(nested, ownerRules.category, wire.category),
    additionalFields: additionalFields(nested, ownerRules),
  };
}

/** Whether every object inherits a field of a withdrawal. A loop would take ten times as long. */
function isInherited(): boolean {
  return (
    EMPTY.status !== undefined ||
    EMPTY.withdrawalId !== undefined ||
    EMPTY.clientWithdrawalId !== undefined ||
    EMPTY.businessId !== undefined ||
    EMPTY.withdrawCurrency !== undefined ||
    EMPTY.estimatedWithdrawAmount !== undefined ||
    EMPTY.actualWithdrawAmount !== undefined ||
    EMPTY.withdrawFee !== undefined ||
    EMPTY.displayCurrency !== undefined ||
    EMPTY.expectedDisplayAmount !== undefined ||
    EMPTY.actualDisplayAmount !== undefined ||
    EMPTY.displayFee !== undefined ||
    EMPTY.settlementCurrency !== undefined ||
    EMPTY.deductedSettlementAmount !== undefined ||
    EMPTY.deducedSettlementAmount !== undefined ||
    EMPTY.displayRateDepegLossAmount !== undefined ||
    EMPTY.settlementRateDepegLossAmount !== undefined ||
    EMPTY.toTxAddress !== undefined ||
    EMPTY.txAddressOwner !== undefined ||
    EMPTY.transactionId !== undefined
  );
}
