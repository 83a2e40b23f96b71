import * as package_ from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { fixtures } from './fixtures.js';

const CODES: Record<package_.IssueCode, true> = {
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
  const parse = package_[expected.parser];

  if (expected.notification) {
    test('is read as expected', () => {
      const notification = parse(body);
      expect(JSON.parse(JSON.stringify(notification))).toStrictEqual(expected.notification);
      expect(package_.idempotencyKey(notification)).toBe(expected.idempotencyKey);
    });
    test('reads the same from text', () => {
      expect(parse(body.toString('utf8'))).toStrictEqual(parse(body));
    });
  } else {
    test('is refused as expected', () => {
      const { notificationType, issues, reference } = refusalOf(parse, body);
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
  }
});

test('the fixtures show every issue code', () => {
  const shown = fixtures.flatMap(({ expected }) => expected.issues ?? []).map(({ code }) => code);
  expect([...new Set(shown)].sort()).toStrictEqual(Object.keys(CODES).sort());
});

function refusalOf(parse: (body: unknown) => unknown, body: unknown): package_.NotificationError {
  try {
    parse(body);
  } catch (error) {
    if (package_.isNotificationError(error)) return error;
    throw error;
  }
  throw new Error('the body was not refused');
}
