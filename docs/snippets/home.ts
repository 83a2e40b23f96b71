import { parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const body = depositReceivedBody({
  actualDepositAmount: '0.123456789012345678',
  onChainFee: '0.00000001',
});
const deposit = parseDepositReceived(body);
console.log(`${deposit.actualDepositAmount}`); // 0.123456789012345678
console.log(`${deposit.onChainFee}`); // 0.00000001
