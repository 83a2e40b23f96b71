import { Decimal, parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const { actualDepositAmount, expectedDepositAmount } = parseDepositReceived(
  depositReceivedBody({
    actualDepositAmount: '0.123456789012345678',
    expectedDepositAmount: '0.2',
  }),
);

// Compare by method: >= and === compare Decimals as text or by identity.
console.log(expectedDepositAmount && actualDepositAmount.gte(expectedDepositAmount)); // false
console.log(new Decimal('9') >= new Decimal('10')); // true

// Start a sum with this Decimal: decimal.js's own would round it to 20 digits.
const total = new Decimal(1_000_000).plus(actualDepositAmount);
console.log(total.toString()); // 1000000.123456789012345678

// Round where you display, and nowhere else.
console.log(actualDepositAmount.toFixed(8)); // 0.12345679
