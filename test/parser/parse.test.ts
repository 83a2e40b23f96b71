import type { IncomingMessage } from 'node:http';
import {
  idempotencyKey,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import {
  DepositReceivedSchema,
  NotificationSchema,
  WithdrawalBroadcastSchema,
} from 'payment-notifications/valibot';
import { expect, test } from 'vitest';
import { fixtures, parsedFixtures } from '../../fixtures/index.js';
import { ISSUE_CODES } from '../fuzz/examine.js';
import { inShort } from '../package/outcomes.js';
import { deposit, errorOf, refusalOf } from '../sample-bodies.js';

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

// The fixtures have a refused withdrawal, and bodies of an unknown type.
test('a shared endpoint says that a deposit was refused', () => {
  const { notificationType } = errorOf(safeParseNotification(deposit({ status: '"X"' })));
  expect(notificationType).toBe('deposit.received');
});

test('the types refuse what can be no parsed body', () => {
  const body: { depositId: string; [name: string]: unknown } = JSON.parse(deposit());
  const parse = safeParseDepositReceived;
  expect(parse(body).success).toBe(true);
  expect(parse(body as object).success).toBe(true);
  expect(parse(body as Record<string, unknown>).success).toBe(true);
  const notBodies = [
    // @ts-expect-error
    () => parse([body]),
    // @ts-expect-error
    () => parse(new Map(Object.entries(body))),
    // @ts-expect-error
    () => parse(new Set([body])),
    // @ts-expect-error
    () => parse(new Date()),
    // @ts-expect-error
    () => parse(Promise.resolve(body)),
    // @ts-expect-error
    () => parse(new Request('http://127.0.0.1')),
    // @ts-expect-error
    () => parse(Response.json(body)),
    // @ts-expect-error
    () => parse(new Blob([deposit()])),
    // @ts-expect-error
    () => parse(new ReadableStream()),
    // @ts-expect-error
    () => parse(process.stdin as unknown as IncomingMessage),
    // @ts-expect-error
    () => parse(() => body),
  ];
  for (const call of notBodies) expect(call().success).toBe(false);
});

/** A rebate or a gain is negative. The compiler can't see the sign of an amount. */
const SIGNED = [
  ['deposit', 'displayServiceFee'],
  ['deposit', 'settlementServiceFee'],
  ['deposit', 'onChainFee'],
  ['deposit', 'displayRateDepegLossAmount'],
  ['deposit', 'settlementRateDepegLossAmount'],
  ['deposit', 'displayDistributedUserServiceFee'],
  ['deposit', 'settlementDistributedUserServiceFee'],
  ['withdrawal', 'withdrawFee'],
  ['withdrawal', 'displayFee'],
  ['withdrawal', 'displayRateDepegLossAmount'],
  ['withdrawal', 'settlementRateDepegLossAmount'],
] as const;

test.each(SIGNED)('a %s keeps the sign of %s', (kind, name) => {
  const makeBody = kind === 'deposit' ? depositReceivedBody : withdrawalBroadcastBody;
  const { warnings, ...notification } = parseNotification(makeBody({ [name]: '-1.5' }));
  expect(warnings).toStrictEqual([]);
  expect(Reflect.get(notification, name).toString()).toBe('-1.5');
});
