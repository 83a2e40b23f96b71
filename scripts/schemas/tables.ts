import { readDepositReceived } from '../../src/deposit-received.js';
import { type Fields, type Reader, type Rule, rulesOf } from '../../src/internal/fields.js';
import {
  readOwnerFields,
  readWithdrawalBroadcast,
  WithdrawalStatus,
} from '../../src/withdrawal-broadcast.js';

/** The fields of a JSON object by name, in the order of the output. */
export type FieldTable = Readonly<Record<string, Rule>>;

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
  return Object.fromEntries(rulesOf(reader, fields).map((rule) => [rule.name, rule]));
}
