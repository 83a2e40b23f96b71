import { parseWithdrawalBroadcast, WithdrawalStatus } from 'payment-notifications';
import { withdrawalBroadcastBody } from 'payment-notifications/testing';

const withdrawal = parseWithdrawalBroadcast(
  withdrawalBroadcastBody({
    toTxAddress: 'rExampleAddress?dt=00482',
    actualWithdrawAmount: '480.73',
  }),
);

switch (withdrawal.status) {
  case WithdrawalStatus.COMPLETED:
    console.log(`${withdrawal.actualWithdrawAmount} ${withdrawal.withdrawCurrency}`); // 480.73 XRP
    console.log(withdrawal.toTxAddress.address); // rExampleAddress
    console.log(withdrawal.toTxAddress.destinationTag); // 00482
    break;
  case WithdrawalStatus.FAILED:
  case WithdrawalStatus.BLOCKED:
    console.log(`not completed: ${withdrawal.clientWithdrawalId}`);
}
