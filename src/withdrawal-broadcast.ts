import type { Decimal } from './amount.js';
import {
  additionalFields,
  isObject,
  type Kind,
  optional,
  refuseField,
  required,
  type Source,
} from './internal/fields.js';
import { describe, quoteLiteral } from './internal/issues.js';
import { id, label, oneOf, quantity, signedAmount, text } from './internal/kinds.js';
import { type TxAddress, txAddress } from './tx-address.js';

/**
 * How a withdrawal ended.
 *
 * Service document, "States and transitions"; on what FAILED and BLOCKED depend is not shown there.
 */
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

/** Who owns the address of a withdrawal, by AML screening (service document, `txAddressOwner`). */
export interface TxAddressOwner {
  /** Name of the entity that owns the address; may be empty. */
  readonly name: string;
  /** Category of the owning entity; may be empty. */
  readonly category: string;
  /** The object's fields that this version doesn't know, as `JSON.parse` gives them. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

/**
 * A withdrawal finished. Its `status` tells how, and which member of the union it is.
 *
 * Amounts are exact. Null means that the service sent no value: the field was absent or JSON null.
 * What is required is what the service document requires ("Withdrawal broadcast notification body"),
 * whatever the status.
 */
export type WithdrawalBroadcast = WithdrawalCompleted | WithdrawalFailed | WithdrawalBlocked;

/** A withdrawal that completed. */
export interface WithdrawalCompleted extends WithdrawalFields {
  /** `'COMPLETED'`: tells this member of the union. */
  readonly status: typeof WithdrawalStatus.COMPLETED;
}

/** A withdrawal that failed; on what conditions, the service document doesn't show. */
export interface WithdrawalFailed extends WithdrawalFields {
  /** `'FAILED'`: tells this member of the union. */
  readonly status: typeof WithdrawalStatus.FAILED;
}

/** A withdrawal that was blocked; on what conditions, the service document doesn't show. */
export interface WithdrawalBlocked extends WithdrawalFields {
  /** `'BLOCKED'`: tells this member of the union. */
  readonly status: typeof WithdrawalStatus.BLOCKED;
}

interface WithdrawalFields {
  /** Tells a withdrawal from a deposit. */
  readonly type: 'withdrawal.broadcast';
  /** Unique withdrawal identifier assigned by the service: a UUID, as sent. */
  readonly withdrawalId: string;
  /** Unique withdrawal identifier that the merchant gave when requesting the withdrawal. */
  readonly clientWithdrawalId: string;
  /** Unique business identifier assigned by the service: a UUID, as sent. */
  readonly businessId: string;
  /** Code of the cryptocurrency to be withdrawn. */
  readonly withdrawCurrency: string;
  /** Estimated amount, in `withdrawCurrency`; it may differ from the actual one. */
  readonly estimatedWithdrawAmount: Decimal;
  /** Amount that was withdrawn, in `withdrawCurrency`. */
  readonly actualWithdrawAmount: Decimal | null;
  /** Blockchain cost of the withdrawal, in `withdrawCurrency`. */
  readonly withdrawFee: Decimal | null;
  /** Code of the fiat currency chosen for display. */
  readonly displayCurrency: string;
  /** Amount requested, in `displayCurrency`. */
  readonly expectedDisplayAmount: Decimal;
  /** Amount that was withdrawn, in `displayCurrency`; it may differ from the expected one. */
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
   * Loss from pegging the market rate of withdrawal and display currency, in `displayCurrency`.
   * Below zero it is a gain.
   */
  readonly displayRateDepegLossAmount: Decimal | null;
  /** The same loss, in `settlementCurrency`. */
  readonly settlementRateDepegLossAmount: Decimal | null;
  /** Where `actualWithdrawAmount` was sent, split into address and destination tag. */
  readonly toTxAddress: TxAddress;
  /** Who owns that address, by AML screening. */
  readonly txAddressOwner: TxAddressOwner;
  /** Unique identifier of the withdrawal's transaction on the blockchain. */
  readonly transactionId: string | null;
  /** The body's fields that this version doesn't know, as `JSON.parse` gives them. */
  readonly additionalFields: Readonly<Record<string, unknown>>;
}

const status = /* @__PURE__ */ oneOf(WithdrawalStatus);

/** Reads a withdrawal, one line a field. What is faulty goes into the source's issues. */
export function readWithdrawalBroadcast(source: Source): WithdrawalBroadcast {
  return {
    type: 'withdrawal.broadcast',
    status: required(source, 'status', status),
    withdrawalId: required(source, 'withdrawalId', id),
    clientWithdrawalId: required(source, 'clientWithdrawalId', text),
    businessId: required(source, 'businessId', id),
    withdrawCurrency: required(source, 'withdrawCurrency', text),
    estimatedWithdrawAmount: required(source, 'estimatedWithdrawAmount', quantity),
    actualWithdrawAmount: optional(source, 'actualWithdrawAmount', quantity),
    withdrawFee: optional(source, 'withdrawFee', signedAmount),
    displayCurrency: required(source, 'displayCurrency', text),
    expectedDisplayAmount: required(source, 'expectedDisplayAmount', quantity),
    actualDisplayAmount: optional(source, 'actualDisplayAmount', quantity),
    displayFee: optional(source, 'displayFee', signedAmount),
    settlementCurrency: required(source, 'settlementCurrency', text),
    deductedSettlementAmount: deductedSettlementAmount(source),
    displayRateDepegLossAmount: optional(source, 'displayRateDepegLossAmount', signedAmount),
    settlementRateDepegLossAmount: optional(source, 'settlementRateDepegLossAmount', signedAmount),
    toTxAddress: required(source, 'toTxAddress', txAddress),
    txAddressOwner: required(source, 'txAddressOwner', txAddressOwner),
    transactionId: optional(source, 'transactionId', text),
    additionalFields: additionalFields(source),
  };
}

/** The document's field table spells the name `deduced…`, its sample body `deducted…`. */
function deductedSettlementAmount(source: Source): Decimal | null {
  const deducted = optional(source, 'deductedSettlementAmount', quantity);
  const deduced = optional(source, 'deducedSettlementAmount', quantity);
  if (deducted !== null && deduced !== null && !deducted.equals(deduced)) {
    return refuseField(
      source,
      'deductedSettlementAmount',
      'conflicting_fields',
      `the same amount as in deducedSettlementAmount (${quoteLiteral(deduced.toString())})`,
      quoteLiteral(deducted.toString()),
    );
  }
  return deducted ?? deduced;
}

const txAddressOwner: Kind<TxAddressOwner> = {
  expected: 'an object with name and category',
  read(value, field, source) {
    if (!isObject(value)) {
      return refuseField(source, field, 'wrong_type', txAddressOwner.expected, describe(value));
    }
    const owner: Source = {
      fields: { ...value },
      literals: null,
      path: [...source.path, field],
      taken: [],
      issues: source.issues,
    };
    return {
      name: required(owner, 'name', label),
      category: required(owner, 'category', label),
      additionalFields: additionalFields(owner),
    };
  },
};
