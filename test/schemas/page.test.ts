import { readFileSync } from 'node:fs';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { LIMITS } from '../../scripts/schemas/limits.js';
import { judge } from './gateway.js';

const page = readFileSync(new URL('../../docs/schemas.md', import.meta.url), 'utf8');

test('the page lists the limits in the words of the schemas', () => {
  const rows = Object.values(LIMITS).map(
    ({ name, description }) => `| \`${name}\` | ${description} |`,
  );
  expect(page).toContain(`| name | difference |\n| --- | --- |\n${rows.join('\n')}\n`);
});

test('the gateway on the page is the one that is run here', () => {
  const [, code] = /^```ts\n(import \{ Ajv2020.*?)^```$/ms.exec(page) ?? [];
  expect(code).toBe(readFileSync(new URL('gateway.ts', import.meta.url), 'utf8'));
});

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
