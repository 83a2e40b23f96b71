import * as valibot from 'payment-notifications/valibot';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { deposit } from './sample-bodies.js';

test('a schema of a body composes with others of valibot', () => {
  const Event = v.object({ source: v.literal('queue'), body: valibot.DepositReceivedSchema });
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
        'Invalid timestamp: Expected a UNIX timestamp or a date-time of RFC 3339 but received a string of length 5',
      ],
      [
        'to',
        'Invalid address: Expected an address, alone or followed by ?dt=<tag> but received a tag without an address',
      ],
    ]);
  });
});
