import { isNotificationError, parseDepositReceived } from 'payment-notifications';

try {
  parseDepositReceived('{"depositId": "0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11", "status": "NEW"}');
} catch (error) {
  if (!isNotificationError(error)) throw error;
  console.log(error.issues.length); // 9
  console.log(error.issues[0].message); // status: expected "CONFIRMED", received "NEW"
  console.log(error.issues[1]?.code); // missing_field
  console.log(error.reference); // { depositId: '0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11' }
}
