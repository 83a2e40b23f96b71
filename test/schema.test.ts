import {
  DepositReceivedSchema,
  NotificationSchema,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  WithdrawalBroadcastSchema,
} from 'payment-notifications';
import * as valibot from 'payment-notifications/valibot';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { deposit, refusalOf, withdrawal } from './sample-bodies.js';

describe.each([
  ['deposit', DepositReceivedSchema, parseDepositReceived, deposit()],
  ['withdrawal', WithdrawalBroadcastSchema, parseWithdrawalBroadcast, withdrawal()],
  ['notification', NotificationSchema, parseNotification, withdrawal()],
] as const)('the schema of a %s', (_, schema, parse, body) => {
  const { validate, vendor, version } = schema['~standard'];

  test('is a Standard Schema that takes what the parse function takes', async () => {
    expect({ vendor, version }).toStrictEqual({ vendor: 'valibot', version: 1 });
    expect(await validate(body)).toStrictEqual({ typed: true, value: parse(body) });
  });

  test('refuses with the same messages and paths', async () => {
    const faulty = `${body.slice(0, -1)},"status":"X","txAddressOwner":{"name":1}}`;
    const { issues = [] } = await validate(faulty);
    expect(issues.map((issue) => ({ ...issue, path: issue.path?.map(keyOf) }))).toMatchObject(
      refusalOf(() => parse(faulty)).issues.map(({ code, ...rest }) => rest),
    );
  });
});

test('the schemas are the same objects under payment-notifications/valibot', () => {
  expect(valibot.DepositReceivedSchema).toBe(DepositReceivedSchema);
  expect(valibot.WithdrawalBroadcastSchema).toBe(WithdrawalBroadcastSchema);
  expect(valibot.NotificationSchema).toBe(NotificationSchema);
});

test('an issue has no path if the body itself is refused', async () => {
  const { issues = [] } = await NotificationSchema['~standard'].validate('');
  expect(issues.map(({ message, path }) => ({ message, path }))).toStrictEqual([
    {
      message: 'body: expected a JSON object, received an empty body: was it read already?',
      path: undefined,
    },
  ]);
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

describe('a schema of one field', () => {
  const Payout = v.object({
    amount: valibot.AmountSchema,
    at: valibot.TimestampSchema,
    to: valibot.TxAddressSchema,
  });

  test('composes into a schema of the merchant', () => {
    const payout = v.parse(Payout, { amount: '0.10', at: 1_790_000_000, to: 'rAddress?dt=007' });
    expect(JSON.parse(JSON.stringify(payout))).toStrictEqual({
      amount: '0.1',
      at: '2026-09-21T14:13:20.000Z',
      to: { raw: 'rAddress?dt=007', address: 'rAddress', destinationTag: '007' },
    });
    expect(v.parse(valibot.AmountSchema, '-1').isNegative()).toBe(true);
  });

  test("reports faults in valibot's words", () => {
    const { issues = [] } = v.safeParse(Payout, { amount: '12,5', at: 'today', to: '?dt=1' });
    expect(issues.map((issue) => [v.getDotPath(issue), issue.message])).toStrictEqual([
      ['amount', 'Invalid amount: Expected a decimal number but received "12,5"'],
      [
        'at',
        'Invalid timestamp: Expected a UNIX timestamp or a date-time of RFC 3339 but received "today"',
      ],
      [
        'to',
        'Invalid address: Expected an address, alone or followed by ?dt=<tag> but received a tag without an address',
      ],
    ]);
  });

  test('takes a message of the merchant', () => {
    const Amount = v.message(valibot.AmountSchema, 'no amount');
    expect(v.safeParse(Amount, true).issues?.map(({ message }) => message)).toStrictEqual([
      'no amount',
    ]);
  });
});

function keyOf(item: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof item === 'object' ? item.key : item;
}
