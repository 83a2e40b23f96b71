import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLossless, stringify } from 'lossless-json';
import {
  Decimal,
  idempotencyKey,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { SAMPLES } from '../../src/testing/sample.js';
import { bytesBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';
import { LAST_ONE_COUNTS } from '../fuzz/texts.js';

/** Enough for a change of the code; RUNS=100000 for more. */
const RUNS = runs(1000);

const ENDPOINTS = {
  either: { as: undefined, parse: safeParseNotification },
  deposit: { as: 'deposit.received', parse: safeParseDepositReceived },
  withdrawal: { as: 'withdrawal.broadcast', parse: safeParseWithdrawalBroadcast },
} as const;

/** Inspects a body as an endpoint would, and compares the inspection with what the parser says. */
function inspectAndParse(bytes: Buffer, { as, parse }: (typeof ENDPOINTS)[keyof typeof ENDPOINTS]) {
  const inspection = inspectBody(bytes, { as });
  const { outcome, type, issues, warnings, reference, fields } = inspection;
  const { notification, error } = parse(bytes);
  expect(issues).toStrictEqual(error?.issues ?? []);
  expect(outcome === 'refused').toBe(notification === undefined);
  if (notification === undefined) {
    expect({ type, reference }).toStrictEqual({
      ...{ type: error.notificationType, reference: error.reference },
    });
    return inspection;
  }
  expect({ type, warnings, key: inspection.idempotencyKey }).toStrictEqual({
    ...{ type: notification.type, warnings: notification.warnings },
    key: idempotencyKey(notification),
  });
  const json = JSON.parse(JSON.stringify(notification));
  const { additionalFields } = json;
  for (const { name, raw, parsed } of fields) {
    // Two spellings of one field.
    if (/^deduc(?:t?ed)SettlementAmount$/.test(name)) continue;
    const isDocumented = Object.hasOwn(SAMPLES[notification.type], name);
    const own = Object.hasOwn(additionalFields, name) ? additionalFields[name] : null;
    deepStrictEqual(parsed, isDocumented ? json[name] : own);
    if (isDocumented && (notification[name as 'type'] as unknown) instanceof Decimal) {
      expect(new Decimal(raw.replaceAll('"', '')).equals(String(parsed)), name).toBe(true);
    }
  }
  return inspection;
}

/** The fields of a body, by lossless-json; null if they are nested too deep for it. */
function readLossless(text: string): Record<string, unknown> | null {
  try {
    return parseLossless(text, undefined, LAST_ONE_COUNTS) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

test(`on fixtures and ${RUNS} hostile bodies, the inspection is what the parser says`, () => {
  const endpoints = fc.constantFrom(...Object.values(ENDPOINTS));
  const examples = fixtures.map(({ body, endpoint }): [Buffer, (typeof ENDPOINTS)['either']] => {
    return [body, ENDPOINTS[endpoint] as (typeof ENDPOINTS)['either']];
  });
  fc.assert(
    fc.property(bytesBody, endpoints, (bytes, endpoint) => {
      const inspection = inspectAndParse(bytes, endpoint);
      // Not toStrictEqual, which trips over a field named constructor.
      deepStrictEqual(JSON.parse(JSON.stringify(inspection)), inspection);
      deepStrictEqual(inspectBody(new Uint8Array(bytes).buffer, endpoint), inspection);

      if (inspection.fields.length === 0) return;
      const text = bytes.toString().replace(/^\uFEFF/, '');
      const exact = readLossless(text);
      expect(inspection.fields.map(({ name }) => name).sort()).toStrictEqual(
        Object.keys(JSON.parse(text)).sort(),
      );
      for (const { name, raw } of exact === null ? [] : inspection.fields) {
        const value = exact?.[name];
        expect(stringify(parseLossless(raw)), name).toBe(stringify(value));
        if (isLosslessNumber(value)) expect(raw).toBe(value.toString());
        if (/^["\w.+-]/.test(raw)) expect(text).toContain(raw);
      }
    }),
    { numRuns: RUNS + examples.length, examples },
  );
});
