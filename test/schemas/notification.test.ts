import { notificationFromJSON, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { readWire } from '../../src/wire/members.js';
import { isNotification } from '../fuzz/examine.js';
import { withEachValue } from './judge.js';

test.each([
  ['a deposit', depositReceivedBody()],
  ['a deposit without some fields', depositReceivedBody({ network: '', rateType: undefined })],
  ['a withdrawal', withdrawalBroadcastBody()],
  ['one that failed', withdrawalBroadcastBody({ status: 'FAILED', toTxAddress: undefined })],
])('what the schema takes is read again: %s', (_, body) => {
  const fields = readWire(JSON.stringify(parseNotification(body)));
  const changed = [...fields.keys()].flatMap((name) => withEachValue(fields, name));
  // The schema names this limit.
  const wellFormed = changed.filter((json) => !json.includes('\\ud800'));
  const valid = wellFormed.filter((json) => isNotification(JSON.parse(json)));

  expect(valid.length).toBeGreaterThan(100);
  for (const json of valid) expect(() => notificationFromJSON(json), json).not.toThrow();
});
