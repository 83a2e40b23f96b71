import fc from 'fast-check';
import {
  NotificationError,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { deposit, FIELDS, withdrawal } from './wire.js';

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
});

/** An object that throws when it is read, copied or inspected. */
const trap = new Proxy(
  {},
  Object.fromEntries(
    ['get', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'].map((name) => [
      name,
      () => {
        throw new Error('trapped');
      },
    ]),
  ),
);

const hostile = fc.nat().map(() => trap);

/** A parsed body with hostile values in some of its fields. */
const object = fc
  .record({
    sample: fc.constantFrom(JSON.parse(deposit()), JSON.parse(withdrawal())),
    fields: fc.dictionary(
      fc.oneof(fc.constantFrom(...FIELDS.map(({ name }) => name)), fc.string()),
      fc.oneof(
        anything,
        hostile,
        fc.constant(Symbol('x')),
        fc.constant(() => 1),
      ),
      { noNullPrototype: false },
    ),
  })
  .map(({ sample, fields }) => ({ ...sample, ...fields }));

const body = fc.oneof(
  anything,
  object,
  object.map((value) => () => value),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array(),
  hostile,
  fc.constantFrom(Symbol('x'), () => 1, globalThis),
);

const FUNCTIONS = [
  { safeParse: safeParseDepositReceived, parse: parseDepositReceived },
  { safeParse: safeParseWithdrawalBroadcast, parse: parseWithdrawalBroadcast },
  { safeParse: safeParseNotification, parse: parseNotification },
];

describe('whatever comes', () => {
  test('a safeParse function returns, and a parse function throws nothing but NotificationError', () => {
    fc.assert(
      fc.property(body, fc.constantFrom(...FUNCTIONS), (input, { safeParse, parse }) => {
        const result = safeParse(input);
        if (result.success) {
          expect(parse(input).type).toBe(result.notification.type);
        } else {
          expect(result.error.issues.length).toBeGreaterThan(0);
          expect(() => parse(input)).toThrow(NotificationError);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
