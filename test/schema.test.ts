import {
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications';
import * as valibot from 'payment-notifications/valibot';
import { expect, test } from 'vitest';

// That they read what the parsers read, the fixtures show.
test.each([DepositReceivedSchema, WithdrawalBroadcastSchema, NotificationSchema])(
  'each is a Standard Schema',
  ({ '~standard': { vendor, version } }) => {
    expect({ vendor, version }).toStrictEqual({ vendor: 'valibot', version: 1 });
  },
);

test('the schemas are the same objects under payment-notifications/valibot', () => {
  expect(valibot.DepositReceivedSchema).toBe(DepositReceivedSchema);
  expect(valibot.WithdrawalBroadcastSchema).toBe(WithdrawalBroadcastSchema);
  expect(valibot.NotificationSchema).toBe(NotificationSchema);
});
