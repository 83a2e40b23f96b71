import { parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const raw = depositReceivedBody({}).replace('1790001260', '"yesterday"');
const deposit = parseDepositReceived(raw);

console.log(deposit.paymentReceivedAt); // null
console.log(deposit.additionalFields); // { paymentReceivedAt: 'yesterday' }
for (const { code, message } of deposit.warnings) {
  console.log(code); // invalid_timestamp
  console.log(message); // paymentReceivedAt: expected a UNIX timestamp or a date-time of RFC 3339, received "yesterday"
}
