import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Decimal as HostDecimal } from 'decimal.js';
import {
  Decimal,
  type DepositReceived,
  DepositReceivedSchema,
  type IssueCode,
  isNotificationError,
  type NotificationError,
  NotificationSchema,
  type PaymentNotification,
  safeParseDepositReceived,
  type TxAddress,
  type WithdrawalBlocked,
  type WithdrawalBroadcast,
  WithdrawalBroadcastSchema,
  type WithdrawalCompleted,
  type WithdrawalFailed,
  WithdrawalStatus,
} from 'payment-notifications';
import type * as schemas from 'payment-notifications/valibot';
import type { InferInput, InferOutput } from 'valibot';
import { expectTypeOf, test } from 'vitest';

// Every declaration is in test/package/declarations.txt, and mistakes that must not compile in
// test/package/consumer/mistakes.ts.
declare const notification: PaymentNotification;
declare const withdrawal: WithdrawalBroadcast;

function unreachable(value: never): never {
  throw new Error(String(value));
}

test('a switch over the type of a notification is exhaustive', () => {
  (): string => {
    switch (notification.type) {
      case 'deposit.received':
        expectTypeOf(notification).toEqualTypeOf<DepositReceived>();
        return notification.depositId;
      case 'withdrawal.broadcast':
        expectTypeOf(notification).toEqualTypeOf<WithdrawalBroadcast>();
        return notification.withdrawalId;
      default:
        return unreachable(notification);
    }
  };
});

test('a switch over the status of a withdrawal is exhaustive', () => {
  (): string => {
    switch (withdrawal.status) {
      case WithdrawalStatus.COMPLETED:
        expectTypeOf(withdrawal).toEqualTypeOf<WithdrawalCompleted>();
        return 'completed';
      case 'FAILED':
        expectTypeOf(withdrawal).toEqualTypeOf<WithdrawalFailed>();
        return 'failed';
      case 'BLOCKED':
        expectTypeOf(withdrawal).toEqualTypeOf<WithdrawalBlocked>();
        return 'blocked';
      default:
        return unreachable(withdrawal);
    }
  };
});

test('a result is narrowed by its success, destructured or not', () => {
  const result = safeParseDepositReceived('');
  if (!result.success) expectTypeOf(result.error).toEqualTypeOf<NotificationError>();
  const { success, notification, error } = result;
  if (success) {
    expectTypeOf(notification).toEqualTypeOf<DepositReceived>();
  } else {
    expectTypeOf(error).toEqualTypeOf<NotificationError>();
    expectTypeOf(notification).toEqualTypeOf<undefined>();
  }
});

test('a completed withdrawal has an address', () => {
  if (withdrawal.status === 'COMPLETED') {
    expectTypeOf(withdrawal.toTxAddress.address).toEqualTypeOf<string>();
  } else {
    // @ts-expect-error: it may be null.
    withdrawal.toTxAddress.address;
  }
});

test('a caught error is narrowed by the guard', () => {
  const caught: unknown = null;
  if (isNotificationError(caught)) {
    expectTypeOf(caught).toEqualTypeOf<NotificationError>();
    expectTypeOf(caught.issues[0].code).toEqualTypeOf<IssueCode>();
  }
});

test('Decimal is a value and a type, interchangeable with decimal.js', () => {
  expectTypeOf(new Decimal('1')).toEqualTypeOf<Decimal>();
  expectTypeOf<Decimal>().toEqualTypeOf<HostDecimal>();
});

test('the schemas are Standard Schemas at the root and valibot schemas under /valibot', () => {
  expectTypeOf(DepositReceivedSchema).toEqualTypeOf<StandardSchemaV1<unknown, DepositReceived>>();
  expectTypeOf(WithdrawalBroadcastSchema).toEqualTypeOf<
    StandardSchemaV1<unknown, WithdrawalBroadcast>
  >();
  expectTypeOf(NotificationSchema).toEqualTypeOf<StandardSchemaV1<unknown, PaymentNotification>>();
  expectTypeOf<InferInput<typeof schemas.DepositReceivedSchema>>().toEqualTypeOf<unknown>();
  expectTypeOf<
    InferOutput<typeof schemas.WithdrawalBroadcastSchema>
  >().toEqualTypeOf<WithdrawalBroadcast>();
  expectTypeOf<
    InferOutput<typeof schemas.NotificationSchema>
  >().toEqualTypeOf<PaymentNotification>();
  expectTypeOf<InferOutput<typeof schemas.AmountSchema>>().toEqualTypeOf<Decimal>();
  expectTypeOf<InferOutput<typeof schemas.TimestampSchema>>().toEqualTypeOf<Date>();
  expectTypeOf<InferOutput<typeof schemas.TxAddressSchema>>().toEqualTypeOf<TxAddress>();
});
