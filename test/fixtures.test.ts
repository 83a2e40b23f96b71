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
import { expect, test } from 'vitest';
import { fixtures, ISSUE_CODES, parsedFixtures } from './fixtures.js';
import { inShort } from './package/outcomes.js';
import { issuesOf, refusalOf } from './sample-bodies.js';

const PARSERS = {
  parseDepositReceived: { parse: parseDepositReceived, safeParse: safeParseDepositReceived },
  parseWithdrawalBroadcast: {
    parse: parseWithdrawalBroadcast,
    safeParse: safeParseWithdrawalBroadcast,
  },
  parseNotification: { parse: parseNotification, safeParse: safeParseNotification },
};

const ALL = [
  ...fixtures,
  ...parsedFixtures.map((fixture) => ({ ...fixture, body: JSON.parse(`${fixture.body}`) })),
].map((fixture) => ({ ...fixture, ...PARSERS[fixture.expected.parser] }));

/** A notification or an error as the fixtures have it: as JSON, its warnings or issues in short. */
function outcomeOf(outcome: PaymentNotification | NotificationError) {
  return inShort(JSON.parse(JSON.stringify(outcome)));
}

test.each(ALL)('$name has the expected outcome', ({ body, expected, parse, safeParse }) => {
  const { parser, ...wanted } = expected;
  if (wanted.notification === undefined) {
    const error = refusalOf(() => parse(body));
    expect(outcomeOf(error)).toStrictEqual(wanted);
    expect(safeParse(body)).toStrictEqual({ success: false, error });
    return;
  }
  const notification = parse(body);
  expect(outcomeOf(notification)).toStrictEqual(wanted.notification);
  expect(idempotencyKey(notification)).toBe(wanted.idempotencyKey);
  expect(safeParse(body)).toStrictEqual({ success: true, notification });
  if (Buffer.isBuffer(body)) expect(parse(body.toString('utf8'))).toStrictEqual(notification);
});

test('every message reads as in fixtures/messages.txt, to the letter', () => {
  const messages = ALL.flatMap(({ name, body, safeParse }) =>
    issuesOf(safeParse(body)).map(({ message }) => `${name}: ${message}`),
  );
  const pinned = readFileSync(new URL('../fixtures/messages.txt', import.meta.url), 'utf8');
  expect(messages).toStrictEqual(pinned.trimEnd().split('\n'));
});

test('the fixtures show every issue code', () => {
  const shown = ALL.flatMap(
    ({ expected }) => expected.issues ?? expected.notification?.warnings ?? [],
  ).map(({ code }) => code);
  expect([...new Set(shown)].sort()).toStrictEqual([...ISSUE_CODES].sort());
});
