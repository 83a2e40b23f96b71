import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSyntaxError } from '../../src/parser/json-syntax.js';
import { runs } from '../fuzz/runs.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const valid = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, null, 1)),
);
/** Pieces of which JSON is made, and some that it never has. */
const piece = fc.constantFrom(
  ...'{}[],:"\\/ \n\t-+.0123456789eEtruefalsnx\u0000\u00e9\ufeff'.split(''),
  ...['true', 'false', 'null', '\\u', '\\n', '\\u00', '"a"', '1.5e-7', '🎉', '\r\n'],
);
const broken = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  // Valid text with some characters replaced.
  fc
    .tuple(valid, fc.nat(200), fc.nat(2), fc.array(piece, { maxLength: 2 }))
    .map(([text, at, length, pieces]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + pieces.join('') + text.slice(start + length);
    }),
);

test('only what JSON.parse accepts has no error, and the text up to an error is a beginning of it', () => {
  fc.assert(
    fc.property(broken, (text) => {
      const at = findSyntaxError(text);
      if (isJson(text)) return void expect(at).toBe(-1);
      expect(at).toBeGreaterThanOrEqual(0);
      const before = text.slice(0, at);
      expect(findSyntaxError(before)).toBe(isJson(before) ? -1 : at);
    }),
    { numRuns: runs(3000) },
  );
});

test('each value has no error, wherever it stands, and ends too early if it is cut off', () => {
  const escapes = String.raw`"\"\\\/\b\f\n\r\t\u09aF"`;
  const numbers = ['-0', '1.5', '1.25e+7', '1E-70', '2e3', ...'0123456789'];
  const values = [escapes, '""', ...numbers, 'true', 'false', 'null', '[]', '{}'];
  const text = `[${values.map((one) => `${one},[${one}],{"a":${one}}`)}]`;
  expect(findSyntaxError(text)).toBe(-1);
  for (let end = 0; end < text.length; end += 1)
    expect(findSyntaxError(text.slice(0, end))).toBe(end);
});

test.each([
  ['nested deeply', '['.repeat(60_000)],
  ['one long string', `"${'x'.repeat(1_000_000)}`],
  ['one long string of escapes', `"${'\\"'.repeat(500_000)}`],
  ['many lines', '\n'.repeat(1_000_000)],
])('text that is %s is read to its error', (_, text) => {
  expect(findSyntaxError(text)).toBe(text.length);
  expect(findSyntaxError(`${text}\u0000`)).toBe(text.length);
});
