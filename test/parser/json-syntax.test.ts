import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSyntaxError, lineAndColumn } from '../../src/parser/json-syntax.js';
import { runs } from '../fuzz/runs.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The ends that a string, a number, a word or a member of an object may lack. */
const TOKEN_ENDS = ['', ...'" n" 0" 00" 000" 0000" 0 rue ue e alse lse se ull ll l'.split(' ')];
const MEMBER_ENDS = ['', '0', ':0', '"":0'];

/** Whether a text is the beginning of JSON, by trying every way to end it. */
function canBeContinued(text: string): boolean {
  const outside = text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '');
  const open: string[] = [];
  for (const mark of outside) {
    if (mark === '{') open.unshift('}');
    if (mark === '[') open.unshift(']');
    if (mark === '}' || mark === ']') open.shift();
  }
  return TOKEN_ENDS.some((token) =>
    MEMBER_ENDS.some((member) => isJson(text + token + member + open.join(''))),
  );
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
  // Valid text with some characters replaced, or cut off.
  fc
    .tuple(valid, fc.nat(200), fc.nat(2), fc.array(piece, { maxLength: 2 }), fc.boolean())
    .map(([text, at, length, pieces, isCut]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + pieces.join('') + (isCut ? '' : text.slice(start + length));
    }),
);

/** A word or number, an escape, or any other character. */
const PIECE = /^(?:[\w.+-]+|\\u?\w{0,4}|.)/s;

test('valid text has no error; up to an error, text can be continued, but not with what is there', () => {
  fc.assert(
    fc.property(broken, (text) => {
      const at = findSyntaxError(text);
      if (isJson(text)) return void expect(at).toBe(-1);
      expect(canBeContinued(text.slice(0, at)), 'in front of it').toBe(true);
      if (canBeContinued(text)) expect(at, 'cut off').toBe(text.length);
      // A word may be right as far as it goes.
      const end = at + `${PIECE.exec(text.slice(at)) ?? ''}`.length + 1;
      if (end <= text.length) expect(canBeContinued(text.slice(0, end)), 'with it').toBe(false);
      expect(at).toBeLessThanOrEqual(text.length);
      const { line, column } = lineAndColumn(text, at);
      const before = text.split('\n').slice(0, line - 1);
      expect(before.reduce((sum, { length }) => sum + length + 1, column - 1)).toBe(at);
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

test.each([
  ['[{"a":[1,{"b":null}],"c":[]},"\\"",-1.5e+3,true] ', -1],
  ['"\\\\"', -1],
  ['{"a":{},"b":"\\u00e9\\uD83D\\n"}', -1],
  ['"\\u00g0"', 1],
  ['"\\u123"', 1],
  ['"\\x"', 1],
  ['1 2', 2],
  ['[]]', 2],
  ['{}}', 2],
  ['[1}', 2],
  ['{"a":1]', 6],
  ['[[1],2', 6],
  ['[1,]', 3],
  ['[,1]', 1],
  ['{"a":1,}', 7],
  ['{,"a":1}', 1],
  ['{"a":[1],2', 9],
  ['{"a" 1}', 5],
  ['{"a",1}', 4],
  ['{1:2}', 1],
  ['["a":1]', 4],
  [':', 0],
  ['"', 1],
  ['"a\\', 3],
  ['"a\\"', 4],
  ['"\n"', 1],
])('the first error in %j is at %i', (text, at) => {
  expect(isJson(text)).toBe(at === -1);
  expect(findSyntaxError(text)).toBe(at);
});
