import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import * as esm from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { NotificationSchema } from 'payment-notifications/valibot';
import * as valibot from 'valibot';
import { expect, test } from 'vitest';

// One dependency imports the package, and another one requires it.
const require = createRequire(import.meta.url);
const cjs: typeof esm = require('payment-notifications');

test('an imported and a required copy know each other’s errors', () => {
  expect(esm.NotificationError).not.toBe(cjs.NotificationError);
  for (const [one, other] of [
    [esm, cjs],
    [cjs, esm],
  ] as const) {
    const { error } = one.safeParseNotification('{}');
    expect(other.isNotificationError(error)).toBe(true);
    expect(inspect(error)).toMatch(/^NotificationError: /);
  }
});

test('amounts of both are added and multiplied exactly, and each works with its own valibot', () => {
  // As many digits as an amount may have.
  const body = depositReceivedBody({ actualDepositAmount: `${'9'.repeat(39)}.${'9'.repeat(39)}` });
  const imported = esm.parseDepositReceived(body).actualDepositAmount;
  const required = cjs.parseDepositReceived(body).actualDepositAmount;
  const sum = `1${'9'.repeat(39)}.${'9'.repeat(38)}8`;
  expect([imported.plus(required), required.plus(imported)].map(String)).toStrictEqual([sum, sum]);
  expect(`${imported.times(required)}`).toBe(`${'9'.repeat(77)}8.${'0'.repeat(77)}1`);
  const Required = require('payment-notifications/valibot').NotificationSchema;
  expect(valibot.parse(NotificationSchema, body).type).toBe('deposit.received');
  expect(require('valibot').parse(Required, body).type).toBe('deposit.received');
});
