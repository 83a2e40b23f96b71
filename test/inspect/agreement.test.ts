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

/** Inspects a body as an endpoint would, and compares the outcome with the parser's. */
function inspectAndParse(bytes: Buffer, { as, parse }: (typeof ENDPOINTS)[keyof typeof ENDPOINTS]) {
  const inspection = inspectBody(bytes, { as });
  // Not toStrictEqual, which trips over a field named constructor.
  deepStrictEqual(JSON.parse(JSON.stringify(inspection)), inspection);
  const { notification, error } = parse(bytes);
  expect(inspection.issues).toStrictEqual(error?.issues ?? []);
  if (notification === undefined) {
    expect(inspection.outcome).toBe('refused');
    expect(inspection.type).toBe(error.notificationType);
    expect(inspection.reference).toStrictEqual(error.reference);
  } else {
    expect(inspection.outcome).not.toBe('refused');
    expect(inspection.type).toBe(notification.type);
    expect(inspection.warnings).toStrictEqual(notification.warnings);
    expect(inspection.idempotencyKey).toBe(idempotencyKey(notification));
  }
  return { inspection, notification };
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

test.each(fixtures)('on $id, the inspection agrees with the parser', ({ body, endpoint }) => {
  const { inspection, notification } = inspectAndParse(body, ENDPOINTS[endpoint]);
  if (notification === undefined) return;
  const json = JSON.parse(JSON.stringify(notification));
  for (const { name, raw, parsed } of inspection.fields) {
    if (name === 'deducedSettlementAmount' || name === 'deductedSettlementAmount') continue;
    expect(parsed, name).toStrictEqual(
      name in SAMPLES[notification.type] ? json[name] : (json.additionalFields[name] ?? null),
    );
    if ((notification[name as 'type'] as unknown) instanceof Decimal) {
      expect(new Decimal(raw.replaceAll('"', '')).equals(String(parsed)), name).toBe(true);
    }
  }
});

test(`on ${RUNS} hostile bodies, the inspection agrees with the parser, to the digit`, () => {
  const endpoints = fc.constantFrom(...Object.values(ENDPOINTS));
  fc.assert(
    fc.property(bytesBody, endpoints, (bytes, endpoint) => {
      const { inspection } = inspectAndParse(bytes, endpoint);
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
    { numRuns: RUNS },
  );
});

test('the hostile bodies have every outcome', () => {
  // By a seed, since a few random bodies may lack one.
  const bodies = fc.sample(bytesBody, { seed: 1, numRuns: 300 });
  const outcomes = bodies.map((bytes) => inspectBody(bytes).outcome);
  expect(new Set(outcomes)).toStrictEqual(new Set(['good', 'check', 'refused']));
});
