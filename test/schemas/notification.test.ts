import { notificationFromJSON, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { readWire, type WireFields, writeWire } from '../../src/wire/members.js';
import { isNotification } from './judge.js';
import { HOSTILE_VALUES } from './values.js';

test.each([
  ['a deposit', depositReceivedBody()],
  ['a deposit without some fields', depositReceivedBody({ network: '', rateType: undefined })],
  ['a withdrawal', withdrawalBroadcastBody()],
  ['one that failed', withdrawalBroadcastBody({ status: 'FAILED', toTxAddress: undefined })],
])('what the schema takes is read again: %s', (_, body) => {
  const fields = readWire(JSON.stringify(parseNotification(body)));
  const changed = [...fields.keys()].flatMap((name) => withEach(fields, name));
  const valid = changed.filter((json) => isNotification(JSON.parse(json)));
  const unread = valid.filter((json) => !isRead(json));

  expect(valid.length).toBeGreaterThan(100);
  expect(unread).toStrictEqual([]);
});

/** With each hostile value in a field, and without the field. */
function withEach(fields: WireFields, name: string): string[] {
  const others = [...fields].filter(([other]) => other !== name);
  const values = HOSTILE_VALUES.map((value) => writeWire(new Map([...fields, [name, value]])));
  return [...values, writeWire(new Map(others))];
}

function isRead(json: string): boolean {
  try {
    return notificationFromJSON(json) !== null;
  } catch {
    return false;
  }
}
