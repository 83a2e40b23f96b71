import {
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications';
import * as valibot from 'payment-notifications/valibot';
import { expect, test } from 'vitest';

test('the schemas are the same objects under payment-notifications/valibot', () => {
  expect(valibot.DepositReceivedSchema).toBe(DepositReceivedSchema);
  expect(valibot.WithdrawalBroadcastSchema).toBe(WithdrawalBroadcastSchema);
  expect(valibot.NotificationSchema).toBe(NotificationSchema);
});
