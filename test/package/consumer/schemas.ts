// A merchant who composes the schemas with valibot's own.
import type { PaymentNotification } from 'payment-notifications';
import {
  AmountSchema,
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications/valibot';
import * as v from 'valibot';

const Job = v.object({
  queue: v.literal('callbacks'),
  body: v.union([DepositReceivedSchema, WithdrawalBroadcastSchema]),
});

export function take(job: unknown): PaymentNotification {
  return v.parse(Job, job).body;
}

export function amount(body: unknown): string {
  const result = v.safeParse(NotificationSchema, body);
  if (!result.success) return result.issues[0].message;
  return result.output.type === 'deposit.received'
    ? result.output.actualDepositAmount.toString()
    : result.output.estimatedWithdrawAmount.toString();
}

// @ts-expect-error An amount is a Decimal.
export const half: number = v.parse(AmountSchema, '0.5');
