// The tables of rules, for the page that shows them: they are no entry of the package.
export { DEPOSIT_RECEIVED_FIELDS } from '../../src/deposit-received.js';
export { NonNegativeAmountSchema } from '../../src/internal/schemas.js';
export {
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../src/withdrawal-broadcast.js';
