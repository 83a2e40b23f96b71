import { isNotificationError, parseDepositReceived } from 'payment-notifications';
import { faultyBody } from './bodies.js';

try {
  parseDepositReceived(faultyBody);
} catch (error) {
  if (!isNotificationError(error)) throw error;
  console.log(error.issues.length); // 2
  console.log(error.issues[0]?.message); // clientPaymentId: expected a non-empty string, received null
  console.log(error.issues[1]?.path); // [ 'actualDepositAmount' ]
  console.log(error.issues[1]?.code); // missing_field
  console.log(error.reference.depositId); // 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11
}
