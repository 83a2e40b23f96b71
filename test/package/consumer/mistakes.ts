import * as pn from 'payment-notifications';
import { createReceiver, NeedsReview, type ReceiverOptions } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import * as kit from 'payment-notifications/testing';

const deposit = pn.parseDepositReceived('');
const withdrawal = pn.parseWithdrawalBroadcast('');
const notification = pn.parseNotification('');
const result = pn.safeParseDepositReceived('');
declare const attempt: kit.DeliveryAttempt;
declare const response: { text(): Promise<string> },
  stream: { pipe(): void },
  web: { getReader(): void };
const hooks = { secret: null, store: null };
// Each line below is a mistake that every compiler must report, with the code at its end.
deposit.status = 'CONFIRMED'; // TS2540
deposit.additionalFields.extra = 1; // TS2542
withdrawal.txAddressOwner.name; // TS18047
deposit.withdrawalId; // TS2339
notification.depositId; // TS2339
result.notification.status; // TS18048
deposit.onChainFee.plus(1); // TS18047
deposit.actualDepositAmount + 1; // TS2365
deposit.actualDepositAmount * 2; // TS2362
export const asNumber: number = deposit.settlementAmount; // TS2322
export const tag = withdrawal.toTxAddress.destinationTag; // TS18047
export const pending = withdrawal.status === 'PENDING'; // TS2367
export const rate: pn.RateType = 'VARIABLE'; // TS2322
export const code: pn.IssueCode = 'invalid_date'; // TS2820
export const wire = withdrawal.deducedSettlementAmount; // TS2551
pn.parseDepositReceived(Promise.resolve('')); // TS2769
pn.parseDepositReceived(response); // TS2769
pn.parseDepositReceived(stream); // TS2769
pn.parseDepositReceived(web); // TS2769
pn.parseDepositReceived([]); // TS2769
pn.parseDepositReceived(new Map()); // TS2769
pn.parseDepositReceived(new Date()); // TS2769
export const raw: pn.RawBody = deposit; // TS2322
export const parse = (body: unknown) => pn.parseNotification(body); // TS2769
export const texts: Record<pn.WithdrawalStatus, string> = { FAILED: '', BLOCKED: '' }; // TS2741
createReceiver({ ...hooks, onDepositReceived: async () => ({ rows: [] }) }); // TS2322
new NeedsReview(); // TS2554
export const open: ReceiverOptions = { store: null }; // TS2322
export const lost: ReceiverOptions = { secret: null }; // TS2322
createReceiver(hooks); // TS2345
createReceiver({ ...hooks, async onDepositReceived() {} }).receive(''); // TS2345
createStore(5); // TS2345
kit.depositReceivedBody({ actualDepositAmount: 0.5 }); // TS2322
kit.depositReceivedBody({ depositId: null }); // TS2322
kit.deliver(''); // TS2554
attempt.answer.status; // TS18047
