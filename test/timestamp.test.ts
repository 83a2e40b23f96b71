import { expect, test } from 'vitest';
import { toDate } from '../src/timestamp.js';

test.each([
  ['0', '1970-01-01T00:00:00.000Z'],
  [99_999_999_999.9999, '5138-11-16T09:46:40.000Z'],
  ['1969-12-31T23:59:59-01:00', '1970-01-01T00:59:59.000Z'],
  ['9999-12-31T23:59:59+00:00', '9999-12-31T23:59:59.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['2026-09-05T23:00:00+23:00', '2026-09-05T00:00:00.000Z'],
])('%s is %s', (value, written) => {
  expect(toDate(value)?.toISOString()).toBe(written);
});

test.each([
  '1970-01-01T00:59:59+01:00',
  // In UTC, that is the year 10000.
  '9999-12-31T23:59:59-01:00',
])('%s is no time', (value) => {
  expect(toDate(value)).toBeNull();
});
