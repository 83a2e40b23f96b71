import {
  parseDepositReceived,
  parseWithdrawalBroadcast,
  WithdrawalStatus,
} from 'payment-notifications';
import { depositBody, withdrawalBody } from './bodies.js';

const deposit = parseDepositReceived(depositBody);
console.log(deposit.actualDepositAmount.toString()); // 0.123456789012345678
console.log(deposit.actualDepositAmount.minus('0.1').toString()); // 0.023456789012345678
console.log(deposit.depositCurrency); // ETH
console.log(deposit.paymentReceivedAt?.toISOString()); // 2026-09-21T14:34:20.000Z

const withdrawal = parseWithdrawalBroadcast(withdrawalBody);
console.log(withdrawal.toTxAddress?.address); // rExampleXrpAddress111111111111111
console.log(withdrawal.toTxAddress?.destinationTag); // 00482

switch (withdrawal.status) {
  case WithdrawalStatus.COMPLETED:
    console.log(`sent ${withdrawal.actualWithdrawAmount} ${withdrawal.withdrawCurrency}`); // sent 480.73 XRP
    break;
  case WithdrawalStatus.FAILED:
  case WithdrawalStatus.BLOCKED:
    console.log(`not sent: ${withdrawal.clientWithdrawalId}`);
}
