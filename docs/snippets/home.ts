import { parseNotification } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const body = depositReceivedBody({
  actualDepositAmount: '0.123456789012345678',
  onChainFee: '0.00000001',
});
const notification = parseNotification(body);
if (notification.type === 'deposit.received') {
  console.log(`${notification.actualDepositAmount}`); // 0.123456789012345678
  console.log(`${notification.onChainFee}`); // 0.00000001
}
