import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLossless, stringify } from 'lossless-json';
import {
  idempotencyKey,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { bytesBody } from '../fuzz/bodies.js';
import { runs } from '../runs.js';

/** Enough for a change of the code; RUNS=100000 for more. */
const RUNS = runs(1000);

const ENDPOINTS = [
  { as: undefined, parse: safeParseNotification },
  { as: 'deposit.received', parse: safeParseDepositReceived },
  { as: 'withdrawal.broadcast', parse: safeParseWithdrawalBroadcast },
] as const;

/** The fields of a body, by somebody else's exact parser; null for what it can't read, because it recurses. */
function readLossless(text: string): Record<string, unknown> | null {
  try {
    return parseLossless(text, undefined, { onDuplicateKey: ({ newValue }) => newValue }) as Record<
      string,
      unknown
    >;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

test(`on ${RUNS} hostile bodies, the inspection agrees with the parser, to the digit`, () => {
  const seen = { valid: 0, warnings: 0, refused: 0 };
  fc.assert(
    fc.property(bytesBody, fc.constantFrom(...ENDPOINTS), (bytes, { as, parse }) => {
      const inspection = inspectBody(bytes, { as });
      seen[inspection.verdict] += 1;
      // Not toStrictEqual, which trips over a field named constructor.
      deepStrictEqual(JSON.parse(JSON.stringify(inspection)), inspection);
      deepStrictEqual(inspectBody(new Uint8Array(bytes).buffer, { as }), inspection);

      const { notification, error } = parse(bytes);
      expect(inspection.issues).toStrictEqual(error?.issues ?? []);
      if (notification === undefined) {
        expect(inspection.verdict).toBe('refused');
        expect(inspection.type).toBe(error.notificationType);
        expect(inspection.reference).toStrictEqual(error.reference);
      } else {
        expect(inspection.verdict).toBe(notification.warnings.length > 0 ? 'warnings' : 'valid');
        expect(inspection.type).toBe(notification.type);
        expect(inspection.warnings).toStrictEqual(notification.warnings);
        expect(inspection.idempotencyKey).toBe(idempotencyKey(notification));
      }

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
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(RUNS / 100);
});
