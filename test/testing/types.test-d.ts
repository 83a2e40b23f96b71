import {
  type Clock,
  type DeliverOptions,
  type Delivery,
  type DeliveryAttempt,
  deliver,
  depositReceivedBody,
  type EndpointResponse,
  type RetryPolicy,
  virtualClock,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { expectTypeOf, test } from 'vitest';

declare const attempt: DeliveryAttempt;
declare const options: DeliverOptions;

test('overrides that no body could have are errors', () => {
  // @ts-expect-error: an amount is a string, for a number may have lost digits already.
  depositReceivedBody({ actualDepositAmount: 0.5 });
  // @ts-expect-error: a status that does not exist.
  withdrawalBroadcastBody({ status: 'PENDING' });
  // @ts-expect-error: a required field is never null.
  depositReceivedBody({ depositId: null });
  // @ts-expect-error: a time is a UNIX time on the wire.
  depositReceivedBody({ paymentReceivedAt: new Date() });
  // @ts-expect-error: the address is one text on the wire.
  withdrawalBroadcastBody({ toTxAddress: { address: 'rX', destinationTag: null } });
  // @ts-expect-error: an owner has a category, too.
  withdrawalBroadcastBody({ txAddressOwner: { name: '' } });
  // @ts-expect-error: of the output, not of the wire.
  depositReceivedBody({ type: 'deposit.received' });
  // @ts-expect-error: a seed is a number.
  depositReceivedBody({}, { seed: 'a' });
});

test('deliver takes the runtime’s own fetch, signal and timers', () => {
  expectTypeOf(deliver).returns.toEqualTypeOf<Promise<Delivery>>();
  deliver('', { url: '', fetch, signal: new AbortController().signal, clock: virtualClock() });
  deliver(new Uint8Array(), { url: '', fetch: (url, request) => fetch(url, request) });
  expectTypeOf<DeliverOptions['retry']>().toEqualTypeOf<RetryPolicy | null | undefined>();
  expectTypeOf(virtualClock).toEqualTypeOf<(start?: number) => Clock>();
  // @ts-expect-error: whither?
  deliver('', {});
  // @ts-expect-error: a parsed body is no body.
  deliver({}, options);
  // @ts-expect-error: a policy has an end.
  deliver('', { url: '', retry: { intervalMs: 1 } });
});

test('an attempt has an answer or an error', () => {
  if (attempt.answer === null) expectTypeOf(attempt.error).toEqualTypeOf<string>();
  else {
    expectTypeOf(attempt.answer).toEqualTypeOf<EndpointResponse>();
    expectTypeOf(attempt.error).toEqualTypeOf<null>();
  }
  // @ts-expect-error: there may be no answer.
  attempt.answer.status;
  // @ts-expect-error: readonly
  attempt.success = true;
});
