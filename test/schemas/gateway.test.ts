import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { judge } from './gateway.js';

test('the gateway lets through what the parser reads, and warns of what is undocumented', () => {
  const body = JSON.parse(depositReceivedBody());
  expect(judge(JSON.stringify(body))).toBe('pass');
  expect(judge(JSON.stringify({ ...body, rateType: 'VARIABLE' }))).toBe(
    'pass, warn: data/rateType must be equal to one of the allowed values',
  );
  expect(judge(JSON.stringify({ ...body, depositId: undefined }))).toBe(
    "400: data must have required property 'depositId'",
  );
});
