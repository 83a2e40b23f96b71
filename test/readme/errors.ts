import { isNotificationError, parseDepositReceived } from 'payment-notifications';

const body = `{
  "depositId": "0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11",
  "status": "NEW"
}`;
try {
  parseDepositReceived(body);
} catch (error) {
  if (!isNotificationError(error)) throw error;
  const [first, second] = error.issues;
  console.log(first.message); // status: expected "CONFIRMED", received "NEW"
  console.log(second?.code); // missing_field
  console.log(error.issues.length); // 9
  console.log(error.reference.depositId); // 0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11
}
