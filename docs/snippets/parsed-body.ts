import { parseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const raw = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });
const parsed = JSON.parse(raw); // what express.json() does before your handler sees it

const deposit = parseDepositReceived(parsed);
console.log(deposit.actualDepositAmount.toString()); // 0.12345678901234568
console.log(deposit.warnings[0]?.code); // inexact_number
