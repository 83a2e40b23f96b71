import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DepositReceived } from './deposit-received.js';
import type { PaymentNotification } from './notification.js';
import * as valibot from './valibot.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

// The same objects as under payment-notifications/valibot, but without its types: those need DOM or
// Node types and a recent compiler. The root needs neither.

/**
 * `parseDepositReceived` as a Standard Schema. It accepts the same bodies, so give it the raw one: tools that
 * take a schema usually hand it a parsed body, whose numbers `JSON.parse` has rounded to 15 to 17 digits.
 */
export const DepositReceivedSchema: StandardSchemaV1<unknown, DepositReceived> =
  valibot.DepositReceivedSchema;

/** `parseWithdrawalBroadcast` as a Standard Schema; give it the raw body, see {@link DepositReceivedSchema}. */
export const WithdrawalBroadcastSchema: StandardSchemaV1<unknown, WithdrawalBroadcast> =
  valibot.WithdrawalBroadcastSchema;

/** `parseNotification` as a Standard Schema; give it the raw body, see {@link DepositReceivedSchema}. */
export const NotificationSchema: StandardSchemaV1<unknown, PaymentNotification> =
  valibot.NotificationSchema;
