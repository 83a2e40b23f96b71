import { parseNotification } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { command } from './terminal.js';

test('sample prints a body and a newline', async () => {
  const out = `${depositReceivedBody()}\n`;
  expect(await command('sample deposit')).toStrictEqual({ exit: 0, out, err: '' });
});

const EXACT = '0.10000000000000000001';

test.each([
  ['withdrawal --set status=FAILED', { status: 'FAILED', transactionId: null }],
  [`deposit --set actualDepositAmount=${EXACT}`, { actualDepositAmount: EXACT }],
  ['deposit --set network=A=B', { network: 'A=B' }],
  ['deposit --set network=5', { network: '5' }],
])('sample %s prints a body that is read as that', async (line, expected) => {
  const { out } = await command(`sample ${line}`);
  expect(JSON.parse(JSON.stringify(parseNotification(out)))).toMatchObject(expected);
});

test.each([
  ['0', '0'],
  ['1790001260.5', '1790001260.5'],
  // More digits than a number has.
  ['1790001260.123456789', '"1790001260.123456789"'],
  ['2026-09-21T14:34:20Z', '"2026-09-21T14:34:20Z"'],
])('sample writes the time %s digit for digit', async (time, json) => {
  const { out } = await command(`sample deposit --set paymentReceivedAt=${time}`);
  expect(out).toContain(`"paymentReceivedAt":${json},`);
});
