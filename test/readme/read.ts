import { parseNotification } from 'payment-notifications';

const body = `{
  "status": "CONFIRMED",
  "depositId": "0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11",
  "paymentId": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  "clientPaymentId": "order-10042",
  "depositCurrency": "ETH",
  "actualDepositAmount": 0.123456789012345678,
  "displayCurrency": "EUR",
  "actualDisplayAmount": 401.85,
  "settlementCurrency": "EUR",
  "settlementAmount": "401.85",
  "onChainFee": 0.00000001,
  "paymentReceivedAt": 1790001260
}`;

const notification = parseNotification(body);
if (notification.type === 'deposit.received') {
  const { actualDepositAmount, onChainFee, paymentReceivedAt } = notification;
  console.log(`${actualDepositAmount}`); // 0.123456789012345678
  console.log(`${onChainFee}`); // 0.00000001
  console.log(paymentReceivedAt?.toISOString()); // 2026-09-21T14:34:20.000Z
}
