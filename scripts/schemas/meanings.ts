import { readDocblocks } from './docblocks.js';

/** What the fields of a deposit mean, by name. */
export const DEPOSIT_MEANINGS: ReadonlyMap<string, string> = readDocblocks(
  'deposit-received',
  'DepositReceived',
);

const fields = readDocblocks('withdrawal-broadcast', 'WithdrawalFields');

/** What the fields of a withdrawal mean, by name. The last two are not declared as one field. */
export const WITHDRAWAL_MEANINGS: ReadonlyMap<string, string> = new Map([
  ...fields,
  ['status', 'How the withdrawal ended.'],
  ['deducedSettlementAmount', `${fields.get('deductedSettlementAmount')}`],
]);

/** What the fields of an address's owner mean, by name. */
export const OWNER_MEANINGS: ReadonlyMap<string, string> = readDocblocks(
  'withdrawal-broadcast',
  'TxAddressOwner',
);
