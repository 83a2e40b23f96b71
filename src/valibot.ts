import { type GenericSchema, pipe, rawTransform, unknown } from 'valibot';
import type { DepositReceived } from './deposit-received.js';
import type { PaymentNotification } from './notification.js';
import {
  type ParseResult,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from './parse.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

export { AmountSchema, TimestampSchema } from './internal/schemas.js';
export { TxAddressSchema } from './tx-address-schema.js';

/** `parseDepositReceived` as a valibot schema: it accepts the same bodies, raw text included. */
export const DepositReceivedSchema: GenericSchema<unknown, DepositReceived> =
  /* @__PURE__ */ toSchema(safeParseDepositReceived);

/** `parseWithdrawalBroadcast` as a valibot schema: it accepts the same bodies, raw text included. */
export const WithdrawalBroadcastSchema: GenericSchema<unknown, WithdrawalBroadcast> =
  /* @__PURE__ */ toSchema(safeParseWithdrawalBroadcast);

/** `parseNotification` as a valibot schema: it accepts the same bodies, raw text included. */
export const NotificationSchema: GenericSchema<unknown, PaymentNotification> =
  /* @__PURE__ */ toSchema(safeParseNotification);

function toSchema<T>(safeParse: (body: unknown) => ParseResult<T>): GenericSchema<unknown, T> {
  return pipe(
    unknown(),
    rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
      const result = safeParse(input);
      if (result.success) return result.notification;
      for (const { message, expected, received, path } of result.error.issues) {
        const [first, ...rest] = path.map(
          (key) => ({ type: 'unknown', origin: 'value', input, key, value: undefined }) as const,
        );
        addIssue({ message, expected, received, ...(first && { path: [first, ...rest] }) });
      }
      return NEVER;
    }),
  );
}
