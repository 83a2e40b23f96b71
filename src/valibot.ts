import { type GenericSchema, pipe, rawTransform, unknown } from 'valibot';
import type { DepositReceived } from './parser/deposit-received.js';
import type { PaymentNotification } from './parser/notification.js';
import {
  type ParseResult,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from './parser/parse.js';
import { amount, type Decimal } from './parser/values/amount.js';
import type { PlainType } from './parser/values/plain-type.js';
import { timestamp } from './parser/values/timestamp.js';
import { type TxAddress, txAddress } from './parser/values/tx-address.js';
import type { WithdrawalBroadcast } from './parser/withdrawal-broadcast.js';

/**
 * An amount, for your own schemas: turns a number, or a string in JSON's number syntax, into a
 * `Decimal`. It may be negative. A string is read exactly; a number was rounded by `JSON.parse` to
 * 15 to 17 digits.
 *
 * @example
 * ```ts
 * const Refund = v.object({ orderId: v.string(), amount: AmountSchema });
 * v.parse(Refund, { orderId: 'order-10042', amount: '950.25' }).amount.toString(); // '950.25'
 * ```
 */
export const AmountSchema: GenericSchema<unknown, Decimal> = /* @__PURE__ */ toFieldSchema(
  amount('string'),
);

/**
 * A time, for your own schemas: turns a UNIX time in seconds or milliseconds, or an RFC 3339
 * date-time, into a `Date`.
 *
 * @example
 * ```ts
 * const Expiry = v.object({ expiresAt: TimestampSchema });
 * v.parse(Expiry, { expiresAt: 1790003600 }).expiresAt.toISOString(); // '2026-09-21T15:13:20.000Z'
 * ```
 */
export const TimestampSchema: GenericSchema<unknown, Date> =
  /* @__PURE__ */ toFieldSchema(timestamp);

/**
 * An address, for your own schemas: splits `<address>` or `<address>?dt=<tag>`.
 *
 * @example
 * ```ts
 * const Payee = v.object({ to: TxAddressSchema });
 * v.parse(Payee, { to: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=007' }).to.destinationTag; // '007'
 * ```
 */
export const TxAddressSchema: GenericSchema<unknown, TxAddress> =
  /* @__PURE__ */ toFieldSchema(txAddress);

/**
 * `parseDepositReceived` as a valibot schema. Give it the raw body, because `JSON.parse` has
 * rounded the numbers of a parsed one.
 */
export const DepositReceivedSchema: GenericSchema<unknown, DepositReceived> =
  /* @__PURE__ */ toSchema(safeParseDepositReceived);

/**
 * `parseWithdrawalBroadcast` as a valibot schema. Give it the raw body, as for {@link
 * DepositReceivedSchema}.
 */
export const WithdrawalBroadcastSchema: GenericSchema<unknown, WithdrawalBroadcast> =
  /* @__PURE__ */ toSchema(safeParseWithdrawalBroadcast);

/**
 * `parseNotification` as a valibot schema. Give it the raw body, as for {@link
 * DepositReceivedSchema}.
 */
export const NotificationSchema: GenericSchema<unknown, PaymentNotification> =
  /* @__PURE__ */ toSchema(safeParseNotification);

function toSchema<T>(safeParse: (body: RawBody) => ParseResult<T>): GenericSchema<unknown, T> {
  return pipe(
    unknown(),
    rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
      const result = safeParse(input as RawBody);
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

function toFieldSchema<T>({ kind, read, explain }: PlainType<T>): GenericSchema<unknown, T> {
  return pipe(
    unknown(),
    rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const output = read(value);
      if (output !== null) return output;
      const { expected, received } = explain(value);
      addIssue({ label: kind, expected, received });
      return NEVER;
    }),
  );
}
