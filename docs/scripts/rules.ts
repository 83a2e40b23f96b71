// The tables of rules, for the page that shows them: they are no entry of the package.
export { DEPOSIT_RECEIVED_FIELDS } from '../../src/deposit-received.js';
export { NonNegativeAmountSchema } from '../../src/internal/schemas.js';
export {
  TX_ADDRESS_OWNER_FIELDS,
  UNSENT_WITHDRAWAL_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../src/withdrawal-broadcast.js';
