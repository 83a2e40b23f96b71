import {
  DepositReceivedSchema,
  isNotificationError,
  NotificationSchema,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  WithdrawalBroadcastSchema,
} from 'payment-notifications';
import * as valibot from 'payment-notifications/valibot';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { deposit, withdrawal } from './wire.js';

describe.each([
  {
    name: 'DepositReceivedSchema',
    schema: DepositReceivedSchema,
    alias: valibot.DepositReceivedSchema,
    parse: parseDepositReceived,
    body: deposit(),
  },
  {
    name: 'WithdrawalBroadcastSchema',
    schema: WithdrawalBroadcastSchema,
    alias: valibot.WithdrawalBroadcastSchema,
    parse: parseWithdrawalBroadcast,
    body: withdrawal(),
  },
  {
    name: 'NotificationSchema',
    schema: NotificationSchema,
    alias: valibot.NotificationSchema,
    parse: parseNotification,
    body: withdrawal(),
  },
])('$name', ({ schema, alias, parse, body }) => {
  const { validate, vendor, version } = schema['~standard'];

  test('is a Standard Schema that takes what the parse function takes', async () => {
    expect({ vendor, version }).toStrictEqual({ vendor: 'valibot', version: 1 });
    for (const input of [body, Buffer.from(body), JSON.parse(body)]) {
      expect(await validate(input)).toStrictEqual({ typed: true, value: parse(input) });
    }
  });

  test('refuses with the same messages and paths', async () => {
    const faulty = `${body.slice(0, -1)},"status":"X","txAddressOwner":{"name":1}}`;
    const { issues = [] } = await validate(faulty);
    const expected = issuesOf(() => parse(faulty));
    const texts = (issue: object) => {
      const { message, expected, received } = issue as Record<string, unknown>;
      return { message, expected, received };
    };
    expect(issues.map(texts)).toStrictEqual(expected.map(texts));
    expect(issues.map(({ path }) => path?.map((item) => keyOf(item)))).toStrictEqual(
      expected.map(({ path }) => path),
    );
  });

  test('has no path where the body itself is refused', async () => {
    const { issues = [] } = await validate('');
    expect(issues.map(({ message, path }) => ({ message, path }))).toStrictEqual([
      {
        message: 'body: expected a JSON object, received an empty body: was it read already?',
        path: undefined,
      },
    ]);
  });

  test('is the same object under payment-notifications/valibot', () => {
    expect(alias).toBe(schema);
  });
});

test('a schema composes with others of valibot', () => {
  const Event = v.object({
    source: v.literal('queue'),
    body: v.pipe(
      valibot.DepositReceivedSchema,
      v.check(({ depositCurrency }) => depositCurrency === 'BTC', 'bitcoin only'),
    ),
  });
  const parsed = v.parse(Event, { source: 'queue', body: deposit() });
  expect(parsed.body.actualDepositAmount.toString()).toBe('0.01523');

  const refused = v.safeParse(Event, { source: 'queue', body: deposit({ depositId: '"x"' }) });
  expect(refused.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toStrictEqual([
    ['body.depositId', 'depositId: expected a UUID, received a string of length 1'],
  ]);
});

function issuesOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (isNotificationError(error)) return error.issues;
    throw error;
  }
  throw new Error('not refused');
}

function keyOf(item: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof item === 'object' ? item.key : item;
}
