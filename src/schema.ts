import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DepositReceived } from './deposit-received.js';
import type { PaymentNotification } from './notification.js';
import * as valibot from './valibot.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

// The same objects as in payment-notifications/valibot, but without valibot's types, which need DOM
// or Node.js types and a recent compiler.

/**
 * `parseDepositReceived` as a Standard Schema. Give it the raw body. Most tools pass a parsed one,
 * whose numbers `JSON.parse` has rounded.
 */
export const DepositReceivedSchema: StandardSchemaV1<unknown, DepositReceived> =
  valibot.DepositReceivedSchema;

/**
 * `parseWithdrawalBroadcast` as a Standard Schema. Give it the raw body, as {@link
 * DepositReceivedSchema}.
 */
export const WithdrawalBroadcastSchema: StandardSchemaV1<unknown, WithdrawalBroadcast> =
  valibot.WithdrawalBroadcastSchema;

/**
 * `parseNotification` as a Standard Schema. Give it the raw body, as {@link DepositReceivedSchema}.
 */
export const NotificationSchema: StandardSchemaV1<unknown, PaymentNotification> =
  valibot.NotificationSchema;
