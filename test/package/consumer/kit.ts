import { parseNotification } from 'payment-notifications';
import {
  bodyVariants,
  DEPOSIT_RETRY,
  type Delivery,
  type DeliveryAttempt,
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
    const delivery: Delivery = await deliver(body, {
      url,
      skipWaits: true,
      retry: type === 'deposit.received' ? DEPOSIT_RETRY : null,
      isSuccess: ({ status }) => status === 200,
    });
    if (!delivery.delivered) throw new Error(`${label} was not delivered`);
    attempts.push(...delivery.attempts);
  }
  return attempts;
}
