import {
  DepositReceivedSchema,
  idempotencyKey,
  NotificationSchema,
  notificationFromJSON,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
  WithdrawalBroadcastSchema,
} from 'payment-notifications';
import { expect, test } from 'vitest';
import { fixtures, parsedFixtures } from '../fixtures/index.js';
import { ISSUE_CODES } from './fuzz/examine.js';
import { inShort } from './package/outcomes.js';
import { refusalOf } from './sample-bodies.js';

const ENDPOINTS = {
  deposit: {
    parse: parseDepositReceived,
    safeParse: safeParseDepositReceived,
    schema: DepositReceivedSchema,
  },
  withdrawal: {
    parse: parseWithdrawalBroadcast,
    safeParse: safeParseWithdrawalBroadcast,
    schema: WithdrawalBroadcastSchema,
  },
  either: {
    parse: parseNotification,
    safeParse: safeParseNotification,
    schema: NotificationSchema,
  },
};

const ALL = [
  ...fixtures,
  ...parsedFixtures.map((fixture) => ({ ...fixture, body: JSON.parse(`${fixture.body}`) })),
];

test.each(ALL)('$id', async ({ body, endpoint, expected }) => {
  const { parse, safeParse, schema } = ENDPOINTS[endpoint];
  const { success, notification, error } = safeParse(body);
  const outcome = inShort(JSON.parse(JSON.stringify(notification ?? error)));
  const judged = await schema['~standard'].validate(body);
  if (!success) {
    expect(outcome).toStrictEqual(expected);
    expect(refusalOf(() => parse(body))).toStrictEqual(error);
    // A fault of the body itself has no path.
    const issues = error.issues.map(({ message, path }) => [
      message,
      path.length ? path : undefined,
    ]);
    expect(judged.issues?.map(({ message, path }) => [message, path?.map(keyOf)])).toStrictEqual(
      issues,
    );
    return;
  }
  expect({ notification: outcome, idempotencyKey: idempotencyKey(notification) }).toStrictEqual(
    expected,
  );
  expect(parse(body)).toStrictEqual(notification);
  if (Buffer.isBuffer(body)) expect(parse(body.toString())).toStrictEqual(notification);
  expect(judged).toStrictEqual({ typed: true, value: notification });
  expect(notificationFromJSON(JSON.stringify(notification))).toStrictEqual(notification);
});

test('the fixtures show every issue code', () => {
  const issues = ALL.flatMap(
    ({ expected }) => expected.issues ?? expected.notification?.warnings ?? [],
  );
  expect([...new Set(issues.map(({ code }) => code))].sort()).toStrictEqual(
    [...ISSUE_CODES].sort(),
  );
});

function keyOf(item: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof item === 'object' ? item.key : item;
}
