import { parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { command } from './terminal.js';

test.each([
  ['deposit', depositReceivedBody()],
  ['withdrawal --status FAILED', withdrawalBroadcastBody({ status: 'FAILED' })],
  ['deposit --seed 7 --omit network', depositReceivedBody({ network: undefined }, { seed: 7 })],
])('sample %s prints that body and a newline', async (line, body) => {
  const ran = await command(['sample', ...line.split(' ')]);
  expect(ran).toStrictEqual({ exit: 0, out: `${body}\n`, err: '' });
});

test.each([
  ['withdrawal --set status=FAILED', { status: 'FAILED', transactionId: null }],
  [
    'deposit --set actualDepositAmount=0.10000000000000000001 --set network=A=B',
    { actualDepositAmount: '0.10000000000000000001', network: 'A=B' },
  ],
  ['deposit --set paymentReceivedAt=0', { paymentReceivedAt: '1970-01-01T00:00:00.000Z' }],
  ['deposit --set onChainFee=null', { onChainFee: null }],
  [
    'withdrawal --set txAddressOwner.name=Me --set txAddressOwner.category=',
    { txAddressOwner: { name: 'Me', category: '', additionalFields: {} } },
  ],
  [
    'deposit --add fee=0.10 --add n={"a":1.0}',
    { additionalFields: { fee: '0.10', n: { a: '1.0' } } },
  ],
])('sample %s prints a body that is read as that', async (line, expected) => {
  const { out } = await command(['sample', ...line.split(' ')]);
  expect(JSON.parse(JSON.stringify(parseNotification(out)))).toMatchObject(expected);
});

test.each([
  ['1790001260.5', '1790001260.5'], // as the service sends it
  ['1790001260.123456789', '"1790001260.123456789"'], // more digits than a number has
  ['2026-09-21T14:34:20Z', '"2026-09-21T14:34:20Z"'],
])('the time %s stands in the body as %s', async (time, json) => {
  const { out } = await command(['sample', 'deposit', '--set', `paymentReceivedAt=${time}`]);
  expect(out).toContain(`"paymentReceivedAt":${json},`);
});

test('what is added stands in the body as it was written', async () => {
  const line = ['sample', 'deposit', '--add', 'networkFeeAmount=0.10', '--add', '__proto__=[ 1 ]'];
  const { out } = await command(line);
  expect(out.endsWith(',"networkFeeAmount":0.10,"__proto__":[ 1 ]}\n')).toBe(true);
});
