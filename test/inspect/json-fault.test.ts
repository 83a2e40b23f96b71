import fc from 'fast-check';
import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { findJsonFault } from '../../src/inspect/json-fault.js';
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

test('valid text has no fault; up to a fault, text can be continued, but not with what is there', () => {
  fc.assert(
    fc.property(broken, (text) => {
      fc.pre(!text.startsWith('\uFEFF'));
      const fault = findJsonFault(text);
      if (isJson(text)) return void expect(fault).toBeNull();
      const { line = 0, column = 0 } = fault ?? {};
      const lines = text.split('\n').slice(0, line - 1);
      const at = lines.reduce((sum, { length }) => sum + length + 1, column - 1);
      expect(canBeContinued(text.slice(0, at)), 'in front of it').toBe(true);
      // A word may be right as far as it goes.
      const end = at + `${PIECE.exec(text.slice(at)) ?? ''}`.length + 1;
      if (end <= text.length) expect(canBeContinued(text.slice(0, end)), 'with it').toBe(false);
      expect(at).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: runs(3000) },
  );
});

test.each([
  ['', 1, 1, '', ''],
  ['hello, world', 1, 1, '', 'hello, world'],
  ['hello, worlds', 1, 1, '', 'hello, world…'],
  ['{"a":1,}', 1, 8, '{"a":1,', '}'],
  ['{\n  "amount": 0,5\n}', 2, 15, '{\\u000a  "amount": 0,', '5\\u000a}'],
  ['{"a":tru', 1, 6, '{"a":', 'tru'],
  ['{"a":"tru', 1, 10, '{"a":"tru', ''],
  ['["\\u00e9",1e5x', 1, 14, '["\\u00e9",1e5', 'x'],
  ['{"a":1.}', 1, 7, '{"a":1', '.}'],
  ['{"a":"\u202e\n"}', 1, 8, '{"a":"\\u202e', '\\u000a"}'],
  [
    `{"name":"${'x'.repeat(30)}',"b":2}`.replace("'", '"x'),
    1,
    41,
    `…${'x'.repeat(19)}"`,
    'x,"b":2}',
  ],
])('%j breaks in line %i, column %i', (text, line, column, before, after) => {
  const { jsonFault } = inspectBody(text);
  expect(jsonFault).toStrictEqual({ line, column, before, after });
});

test('a body that is JSON, too large or not text has no such fault', () => {
  for (const body of ['[]', '{}', Buffer.from([0x7b, 0xff]), ' '.repeat(70_000)]) {
    expect(inspectBody(body).jsonFault).toBeNull();
  }
});

test('text that is nested deeply is read to its fault', () => {
  const text = '['.repeat(60_000);
  expect(findJsonFault(`${text}}`)).toMatchObject({ line: 1, column: 60_001, after: '}' });
});
