import {
  type IssueCode,
  idempotencyKey,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { fixtures } from './fixtures.js';
import { errorOf } from './wire.js';

const PARSERS = {
  parseDepositReceived: { parse: parseDepositReceived, safeParse: safeParseDepositReceived },
  parseWithdrawalBroadcast: {
    parse: parseWithdrawalBroadcast,
    safeParse: safeParseWithdrawalBroadcast,
  },
  parseNotification: { parse: parseNotification, safeParse: safeParseNotification },
};

const CODES: Record<IssueCode, true> = {
  invalid_json: true,
  body_too_large: true,
  not_an_object: true,
  unrecognized_notification: true,
  missing_field: true,
  wrong_type: true,
  invalid_amount: true,
  negative_amount: true,
  invalid_timestamp: true,
  invalid_id: true,
  unknown_value: true,
  invalid_tx_address: true,
  conflicting_fields: true,
};

describe.each(fixtures)('$name', ({ body, expected }) => {
  const { parse, safeParse } = PARSERS[expected.parser];

  if (expected.notification) {
    test('is read as expected', () => {
      const notification = parse(body);
      expect(JSON.parse(JSON.stringify(notification))).toStrictEqual(expected.notification);
      expect(idempotencyKey(notification)).toBe(expected.idempotencyKey);
    });
    test('reads the same from text', () => {
      expect(parse(body.toString('utf8'))).toStrictEqual(parse(body));
    });
  } else {
    test('is refused as expected', () => {
      const { notificationType, issues, reference } = errorOf(safeParse(body));
      expect({
        notificationType,
        issues: issues.map(({ code, path, message }) => ({ code, path, message })),
        reference,
      }).toStrictEqual({
        notificationType: expected.notificationType,
        issues: expected.issues,
        reference: expected.reference,
      });
    });
    test('is thrown by the parse function', () => {
      expect(() => parse(body)).toThrow(errorOf(safeParse(body)).message);
    });
  }
});

test('the fixtures show every issue code', () => {
  const shown = fixtures.flatMap(({ expected }) => expected.issues ?? []).map(({ code }) => code);
  expect([...new Set(shown)].sort()).toStrictEqual(Object.keys(CODES).sort());
});
