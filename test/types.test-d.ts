import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Decimal as HostDecimal } from 'decimal.js';
import {
  type BodyParser,
  Decimal,
  type DepositReceived,
  DepositReceivedSchema,
  type DepositStatus,
  type IssueCode,
  idempotencyKey,
  isNotificationError,
  joinToTxAddress,
  type NotificationError,
  type NotificationIssue,
  type NotificationReference,
  NotificationSchema,
  type NotificationType,
  notificationFromJSON,
  type ParseResult,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  type RateType,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
  splitToTxAddress,
  type TxAddress,
  type TxAddressOwner,
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

// What must not compile is in test/package/consumer/mistakes.ts, for every compiler that is supported.
declare const notification: PaymentNotification;
declare const deposit: DepositReceived;
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

test('a switch that forgets a member is an error', () => {
  // @ts-expect-error: FAILED and BLOCKED return nothing.
  (): string => {
    switch (withdrawal.status) {
      case 'COMPLETED':
        return 'completed';
    }
  };
});

test('fields have their documented types', () => {
  expectTypeOf(deposit.status).toEqualTypeOf<'CONFIRMED'>();
  expectTypeOf(deposit.actualDepositAmount).toEqualTypeOf<Decimal>();
  expectTypeOf(deposit.onChainFee).toEqualTypeOf<Decimal | null>();
  expectTypeOf(deposit.rateType).toEqualTypeOf<'FIXED' | 'FLOATING' | null>();
  expectTypeOf(deposit.paymentReceivedAt).toEqualTypeOf<Date | null>();
  expectTypeOf(deposit.additionalFields).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf(withdrawal.status).toEqualTypeOf<'COMPLETED' | 'FAILED' | 'BLOCKED'>();
  expectTypeOf<WithdrawalCompleted['toTxAddress']>().toEqualTypeOf<TxAddress>();
  expectTypeOf<WithdrawalFailed['toTxAddress']>().toEqualTypeOf<TxAddress | null>();
  expectTypeOf<WithdrawalBlocked['toTxAddress']>().toEqualTypeOf<TxAddress | null>();
  expectTypeOf<TxAddress['destinationTag']>().toEqualTypeOf<string | null>();
  expectTypeOf<TxAddressOwner['name']>().toEqualTypeOf<string | null>();
  expectTypeOf<TxAddressOwner['category']>().toEqualTypeOf<string | null>();
  expectTypeOf(notification.warnings).toEqualTypeOf<readonly NotificationIssue[]>();
  expectTypeOf(withdrawal.txAddressOwner).toEqualTypeOf<TxAddressOwner>();
  expectTypeOf(withdrawal.deductedSettlementAmount).toEqualTypeOf<Decimal | null>();
});

test('the functions take a raw body and return what they say', () => {
  expectTypeOf(parseDepositReceived).toEqualTypeOf<BodyParser<DepositReceived>>();
  expectTypeOf(parseWithdrawalBroadcast).toEqualTypeOf<BodyParser<WithdrawalBroadcast>>();
  expectTypeOf(parseNotification).toEqualTypeOf<BodyParser<PaymentNotification>>();
  expectTypeOf(safeParseDepositReceived).toEqualTypeOf<BodyParser<ParseResult<DepositReceived>>>();
  expectTypeOf(safeParseWithdrawalBroadcast).toEqualTypeOf<
    BodyParser<ParseResult<WithdrawalBroadcast>>
  >();
  expectTypeOf(safeParseNotification).toEqualTypeOf<BodyParser<ParseResult<PaymentNotification>>>();
  for (const body of ['', Buffer.of(), new Uint8Array(), new ArrayBuffer(0)]) {
    expectTypeOf(parseNotification(body)).toEqualTypeOf<PaymentNotification>();
  }
  expectTypeOf(notificationFromJSON).toEqualTypeOf<(json: unknown) => PaymentNotification>();
  expectTypeOf(splitToTxAddress).toEqualTypeOf<(value: string) => TxAddress>();
  expectTypeOf(joinToTxAddress).returns.toEqualTypeOf<string>();
  expectTypeOf(idempotencyKey).toEqualTypeOf<(notification: PaymentNotification) => string>();
});

test('a result is narrowed by its success', () => {
  const result = safeParseDepositReceived('');
  if (result.success) {
    expectTypeOf(result.notification).toEqualTypeOf<DepositReceived>();
    expectTypeOf(result.error).toEqualTypeOf<undefined>();
  } else {
    expectTypeOf(result.error).toEqualTypeOf<NotificationError>();
  }
});

test('a result may be destructured', () => {
  const { success, notification, error } = safeParseDepositReceived('');
  if (success) {
    expectTypeOf(notification).toEqualTypeOf<DepositReceived>();
  } else {
    expectTypeOf(error).toEqualTypeOf<NotificationError>();
    expectTypeOf(notification).toEqualTypeOf<undefined>();
  }
});

test('the address of a withdrawal is there once it is known to be completed', () => {
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
    expectTypeOf(caught.issues).toEqualTypeOf<
      readonly [NotificationIssue, ...NotificationIssue[]]
    >();
    expectTypeOf(caught.notificationType).toEqualTypeOf<NotificationType | null>();
    expectTypeOf(caught.reference).toEqualTypeOf<NotificationReference>();
    expectTypeOf(caught.issues[0].code).toEqualTypeOf<IssueCode>();
  }
});

test('the enums are values and types', () => {
  expectTypeOf<DepositStatus>().toEqualTypeOf<'CONFIRMED'>();
  expectTypeOf<RateType>().toEqualTypeOf<'FIXED' | 'FLOATING'>();
  expectTypeOf<WithdrawalStatus>().toEqualTypeOf<'COMPLETED' | 'FAILED' | 'BLOCKED'>();
  expectTypeOf(WithdrawalStatus.FAILED).toEqualTypeOf<'FAILED'>();
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
