import { expect, test, vi } from 'vitest';
import { type Fixture, fixtures } from '../../fixtures/index.js';
import { inShort } from '../package/outcomes.js';

// Code that runs at import, such as the tables of rules, has run before the tests of a file begin.
// Stryker applies its change after that, so only a test that loads src itself can notice it.
test('src that a test has loaded reads the fixtures alike', async () => {
  vi.resetModules();
  const loaded = await import('payment-notifications');
  for (const fixture of fixtures) {
    expect(outcomeOf(fixture, loaded)).toStrictEqual(fixture.expected);
  }
  expect(() => loaded.Decimal.set({})).toThrow('Decimal.set and Decimal.config are disabled');
});

function outcomeOf(
  { body, parser }: Fixture,
  { [parser]: parse, NotificationError, ...functions }: typeof import('payment-notifications'),
): unknown {
  try {
    const notification = parse(body);
    const json = JSON.stringify(notification);
    expect(functions.notificationFromJSON(json)).toStrictEqual(notification);
    const idempotencyKey = functions.idempotencyKey(notification);
    return { notification: inShort(JSON.parse(json)), idempotencyKey };
  } catch (error) {
    if (!(error instanceof NotificationError)) throw error;
    return inShort(JSON.parse(JSON.stringify(error)));
  }
}
