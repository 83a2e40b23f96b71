import { readFileSync } from 'node:fs';
import {
  idempotencyKey,
  type NotificationError,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { fixtures, ISSUE_CODES, parsedFixtures } from './fixtures.js';
import { inShort } from './package/outcomes.js';
import { errorOf, issuesOf } from './wire.js';

const PARSERS = {
  parseDepositReceived: { parse: parseDepositReceived, safeParse: safeParseDepositReceived },
  parseWithdrawalBroadcast: {
    parse: parseWithdrawalBroadcast,
    safeParse: safeParseWithdrawalBroadcast,
  },
  parseNotification: { parse: parseNotification, safeParse: safeParseNotification },
};

/** A notification or an error as the fixtures have it: as JSON, its warnings or issues in short. */
function outcomeOf(outcome: PaymentNotification | NotificationError) {
  return inShort(JSON.parse(JSON.stringify(outcome)));
}

describe.each(fixtures)('$name', ({ body, expected }) => {
  const { parse, safeParse } = PARSERS[expected.parser];

  if (expected.notification) {
    test('is read as expected', () => {
      const notification = parse(body);
      expect(outcomeOf(notification)).toStrictEqual(expected.notification);
      expect(idempotencyKey(notification)).toBe(expected.idempotencyKey);
    });
    test('reads the same from text', () => {
      expect(parse(body.toString('utf8'))).toStrictEqual(parse(body));
    });
  } else {
    test('is refused as expected', () => {
      const { parser, ...wanted } = expected;
      expect(outcomeOf(errorOf(safeParse(body)))).toStrictEqual(wanted);
    });
    test('is thrown by the parse function', () => {
      expect(() => parse(body)).toThrow(errorOf(safeParse(body)).message);
    });
  }
});

describe.each(parsedFixtures)('$name', ({ body, expected }) => {
  test('is read as expected, once it is parsed', () => {
    const notification = PARSERS[expected.parser].parse(JSON.parse(body.toString('utf8')));
    expect(outcomeOf(notification)).toStrictEqual(expected.notification);
    expect(idempotencyKey(notification)).toBe(expected.idempotencyKey);
  });
});

test('every message reads as in fixtures/messages.txt, to the letter', () => {
  const messages = [...fixtures, ...parsedFixtures].flatMap(({ name, body, expected }) => {
    const { safeParse } = PARSERS[expected.parser];
    const result = safeParse(name.startsWith('parsed/') ? JSON.parse(`${body}`) : body);
    return issuesOf(result).map(({ message }) => `${name}: ${message}`);
  });
  const pinned = readFileSync(new URL('../fixtures/messages.txt', import.meta.url), 'utf8');
  expect(messages).toStrictEqual(pinned.trimEnd().split('\n'));
});

test('the fixtures show every issue code', () => {
  const shown = [...fixtures, ...parsedFixtures]
    .flatMap(({ expected }) => expected.issues ?? expected.notification?.warnings ?? [])
    .map(({ code }) => code);
  expect([...new Set(shown)].sort()).toStrictEqual([...ISSUE_CODES].sort());
});
