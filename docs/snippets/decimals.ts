import { parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

/** From your own list of currencies, never from a body. */
const DECIMALS = new Map([
  ['BTC', 8],
  ['ETH', 18],
]);

const { depositCurrency, actualDepositAmount } = parseDepositReceived(
  depositReceivedBody({ depositCurrency: 'BTC', actualDepositAmount: '0.123456789012345678' }),
);
const decimals = actualDepositAmount.decimalPlaces();
console.log(decimals); // 18
console.log(decimals > (DECIMALS.get(depositCurrency) ?? 0)); // true
