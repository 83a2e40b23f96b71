import { parseNotification } from 'payment-notifications';
import {
  bodyVariants,
  type DeliveryAttempt,
  type DeliveryResult,
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';

/** Tries a merchant's endpoint with every encoding of a deposit and of a withdrawal. */
export async function tryEndpoint(url: string): Promise<readonly DeliveryAttempt[]> {
  const bodies = [
    depositReceivedBody({ actualDepositAmount: '0.123456789012345678', network: undefined }),
    withdrawalBroadcastBody({ status: 'FAILED', transactionId: null }, { seed: 7 }),
  ];
  const attempts: DeliveryAttempt[] = [];
  for (const { label, body } of bodies.flatMap((sample) => bodyVariants(sample))) {
    const { type } = parseNotification(body);
    const copies = type === 'deposit.received' ? 2 : 1;
    const result: DeliveryResult = await deliver(body, { url, copies, timeoutMs: 5000 });
    if (!result.delivered) throw new Error(`${label} was not delivered`);
    attempts.push(...result.attempts);
  }
  return attempts;
}
