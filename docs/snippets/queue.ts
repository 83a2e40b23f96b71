import { notificationFromJSON, parseNotification } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const body = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });

// The endpoint puts it onto the queue: amounts as strings, dates in ISO 8601.
const message = JSON.stringify(parseNotification(body));

// The consumer takes it off again, as text or as what its library has parsed.
const notification = notificationFromJSON(message);
if (notification.type === 'deposit.received') {
  console.log(notification.actualDepositAmount.toString()); // 0.123456789012345678
  console.log(notification.paymentReceivedAt instanceof Date); // true
}
