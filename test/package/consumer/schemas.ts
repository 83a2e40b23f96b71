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
    : result.output.withdrawalId;
}

/** As a tool that takes any Standard Schema calls them. */
export async function validate(body: unknown): Promise<PaymentNotification | null> {
  const result = await NotificationSchema['~standard'].validate(body);
  return result.issues ? null : result.value;
}

// @ts-expect-error An amount is a Decimal.
export const half: number = v.parse(AmountSchema, '0.5');
