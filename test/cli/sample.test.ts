import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { command } from './terminal.js';

const EXACT = '0.10000000000000000001';

test.each([
  ['deposit', depositReceivedBody()],
  ['deposit --seed 7', depositReceivedBody({}, { seed: 7 })],
  [
    `deposit --set actualDepositAmount=${EXACT}`,
    depositReceivedBody({ actualDepositAmount: EXACT }),
  ],
  ['deposit --set network=A=B', depositReceivedBody({ network: 'A=B' })],
  ['deposit --set network=5', depositReceivedBody({ network: '5' })],
  ['deposit --set network=null', depositReceivedBody({ network: null })],
  ['withdrawal --set status=FAILED', withdrawalBroadcastBody({ status: 'FAILED' })],
  ['withdrawal --status BLOCKED', withdrawalBroadcastBody({ status: 'BLOCKED' })],
])('sample %s prints a body and a newline', async (line, body) => {
  expect(await command(`sample ${line}`)).toStrictEqual({ exit: 0, out: `${body}\n`, err: '' });
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
