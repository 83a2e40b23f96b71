import { readDepositReceived } from '../../src/deposit-received.js';
import type { FieldType } from '../../src/internal/field-types.js';
import { type Fields, type Reader, type Rule, rulesOf } from '../../src/internal/fields.js';
import {
  readOwnerFields,
  readWithdrawalBroadcast,
  WithdrawalStatus,
} from '../../src/withdrawal-broadcast.js';

/** A rule, with the kind of its type at hand. */
export interface Field extends Rule {
  readonly kind: FieldType<unknown>['kind'];
}

/** The fields of a JSON object by name, in the order of the output. */
export type FieldTable = Readonly<Record<string, Field>>;

export const DEPOSIT_RECEIVED_FIELDS: FieldTable = tableOf(readDepositReceived);

export const WITHDRAWAL_BROADCAST_FIELDS: FieldTable = tableOf(readWithdrawalBroadcast);

/** The rules of a withdrawal that is FAILED or BLOCKED, as far as they differ. */
export const NOT_COMPLETED_WITHDRAWAL_FIELDS: FieldTable = Object.fromEntries(
  Object.entries(tableOf(readWithdrawalBroadcast, { status: WithdrawalStatus.FAILED })).filter(
    ([name, { need }]) => need !== WITHDRAWAL_BROADCAST_FIELDS[name]?.need,
  ),
);

export const TX_ADDRESS_OWNER_FIELDS: FieldTable = tableOf(readOwnerFields);

function tableOf(reader: Reader, fields?: Fields): FieldTable {
  const rules = rulesOf(reader, fields);
  return Object.fromEntries(rules.map((rule) => [rule.name, { kind: rule.type.kind, ...rule }]));
}
