import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLossless, stringify } from 'lossless-json';
import {
  idempotencyKey,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { type Inspection, inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { SAMPLES } from '../../src/testing/sample.js';
import { bytesBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';
import { LAST_ONE_COUNTS } from '../fuzz/texts.js';

/** Enough for a change of the code; RUNS=100000 for more. */
const RUNS = runs(1000);

const ENDPOINTS = [
  { as: undefined, parse: safeParseNotification },
  { as: 'deposit.received', parse: safeParseDepositReceived },
  { as: 'withdrawal.broadcast', parse: safeParseWithdrawalBroadcast },
] as const;

/** Compares an inspection with what the parser of the same endpoint says. */
function expectAsParsed(
  { outcome, type, issues, warnings, reference, fields, ...inspection }: Inspection,
  { notification, error }: ReturnType<(typeof ENDPOINTS)[number]['parse']>,
): void {
  expect(issues).toStrictEqual(error?.issues ?? []);
  expect(outcome === 'refused').toBe(notification === undefined);
  if (notification === undefined) {
    expect({ type, reference }).toStrictEqual({
      ...{ type: error.notificationType, reference: error.reference },
    });
    return;
  }
  expect({ type, warnings, key: inspection.idempotencyKey }).toStrictEqual({
    ...{ type: notification.type, warnings: notification.warnings },
    key: idempotencyKey(notification),
  });
  const json = JSON.parse(JSON.stringify(notification));
  const { additionalFields } = json;
  for (const { name, parsed } of fields) {
    // Two spellings of one field.
    if (/^deduc(?:t?ed)SettlementAmount$/.test(name)) continue;
    const isDocumented = Object.hasOwn(SAMPLES[notification.type], name);
    const own = Object.hasOwn(additionalFields, name) ? additionalFields[name] : null;
    deepStrictEqual(parsed, isDocumented ? json[name] : own);
  }
}

/** Compares the fields of an inspection with those that lossless-json reads. */
function expectAsSent({ fields }: Inspection, text: string): void {
  const exact = parseLossless(text, undefined, LAST_ONE_COUNTS) as Record<string, unknown>;
  const names = fields.map(({ name }) => name);
  expect(names.sort()).toStrictEqual(Object.keys(exact).sort());
  for (const { name, raw } of fields) {
    const value = exact[name];
    expect(stringify(parseLossless(raw)), name).toBe(stringify(value));
    if (isLosslessNumber(value)) expect(raw).toBe(value.toString());
    if (/^["\w.+-]/.test(raw)) expect(text).toContain(raw);
  }
}

test(`of ${RUNS} hostile bodies, an inspection says what was sent, and what the parser says`, () => {
  fc.assert(
    fc.property(bytesBody, fc.constantFrom(...ENDPOINTS), (bytes, { as, parse }) => {
      const inspection = inspectBody(bytes, { as });
      expectAsParsed(inspection, parse(bytes));
      if (inspection.fields.length > 0) expectAsSent(inspection, bytes.toString());
      // Not toStrictEqual, which trips over a field named constructor.
      deepStrictEqual(JSON.parse(JSON.stringify(inspection)), inspection);
      const { summary } = inspection;
      expect(summary).toMatch(/^(?:Order|Withdrawal|The body) [^\p{C}\p{Zl}\p{Zp}]+\.$/u);
      expect(summary).not.toContain('undefined');
    }),
    { numRuns: RUNS },
  );
});
