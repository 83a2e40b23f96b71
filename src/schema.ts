import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DepositReceived } from './deposit-received.js';
import type { PaymentNotification } from './notification.js';
import * as valibot from './valibot.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

// The same objects as under payment-notifications/valibot, but without its types: those need DOM or
// Node types and a recent compiler, and whoever imports the root must not need either.

/**
 * `parseDepositReceived` as a Standard Schema: it accepts the same bodies.
 *
 * @remarks Validate the raw text. Middleware usually hands a schema what `JSON.parse` has made of the body, in which
 * amounts are rounded.
 */
export const DepositReceivedSchema: StandardSchemaV1<unknown, DepositReceived> =
  valibot.DepositReceivedSchema;

/**
 * `parseWithdrawalBroadcast` as a Standard Schema: it accepts the same bodies.
 *
 * @remarks Validate the raw text. Middleware usually hands a schema what `JSON.parse` has made of the body, in which
 * amounts are rounded.
 */
export const WithdrawalBroadcastSchema: StandardSchemaV1<unknown, WithdrawalBroadcast> =
  valibot.WithdrawalBroadcastSchema;

/**
 * `parseNotification` as a Standard Schema: it accepts the same bodies.
 *
 * @remarks Validate the raw text. Middleware usually hands a schema what `JSON.parse` has made of the body, in which
 * amounts are rounded.
 */
export const NotificationSchema: StandardSchemaV1<unknown, PaymentNotification> =
  valibot.NotificationSchema;
