import { DEPOSIT_RECEIVED } from '../../src/parser/deposit-received.js';
import { type NamedRule, planOf, type Rules } from '../../src/parser/rules.js';
import {
  NOT_COMPLETED,
  TX_ADDRESS_OWNER,
  WITHDRAWAL_BROADCAST,
} from '../../src/parser/withdrawal-broadcast.js';

/** The fields of a JSON object by name, in the order of the output. */
export type FieldTable = Readonly<Record<string, NamedRule>>;

export const DEPOSIT_RECEIVED_FIELDS: FieldTable = byName(DEPOSIT_RECEIVED);

export const WITHDRAWAL_BROADCAST_FIELDS: FieldTable = byName(WITHDRAWAL_BROADCAST);

/** The rules of a withdrawal that is FAILED or BLOCKED, as far as they differ. */
export const NOT_COMPLETED_WITHDRAWAL_FIELDS: FieldTable = byName(NOT_COMPLETED);

export const TX_ADDRESS_OWNER_FIELDS: FieldTable = byName(TX_ADDRESS_OWNER);

function byName(rules: Rules): FieldTable {
  return Object.fromEntries(planOf(rules).rules.map((rule) => [rule.name, rule]));
}
