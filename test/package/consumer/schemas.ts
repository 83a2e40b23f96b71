// A merchant who composes the schemas with valibot's own.
import type { PaymentNotification } from 'payment-notifications';
import {
  AmountSchema,
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications/valibot';
import * as v from 'valibot';

const Job = v.object({ body: v.union([DepositReceivedSchema, WithdrawalBroadcastSchema]) });

export const take = (job: unknown): PaymentNotification => v.parse(Job, job).body;

/** As a tool that takes any Standard Schema calls them. */
export async function validate(body: unknown): Promise<PaymentNotification | null> {
  const result = await NotificationSchema['~standard'].validate(body);
  return result.issues ? null : result.value;
}

// @ts-expect-error An amount is a Decimal.
export const half: number = v.parse(AmountSchema, '0.5');
