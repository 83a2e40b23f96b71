import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLiterals } from '../src/internal/json.js';
import { runs } from './fuzz/random.js';
import { anyText, literalsFault } from './fuzz/texts.js';

/** A literal that makes the text be searched. */
const LONG = '0.1234567890123456789';

describe('the literals of a text', () => {
  // For many more texts: RUNS=200000.
  test('are those of its outermost numbers, to the digit', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isSearched) => {
        const searched = text.replace(/^\{\s*(\})?/, (_, end) => `{"long":${LONG}${end ?? ','}`);
        expect(literalsFault(findLiterals, isSearched ? searched : text)).toBeNull();
      }),
      { numRuns: runs(3000) },
    );
  });

  test('are found after names and strings that look like something else', () => {
    const text = String.raw`{"\"a\":1\\":${LONG},"\u0062":1,"x":"}]{[\\\"","y":[{"z":${LONG}}],"c":2}`;
    expect(findLiterals(text)).toStrictEqual(
      new Map([
        ['"a":1\\', LONG],
        ['b', '1'],
        ['c', '2'],
      ]),
    );
  });

  test.each([
    '{"a":0.12345678,"b":1790000000,"c":"0.1234567890123456789","d":[1],"e":true,"E":null}',
    '{"a":123456789012345}',
    '{"a":-12345678901234}',
    '{"transactionId":"e1234567890123456789012345678901234567890","x":"1e400"}',
  ])('are not looked up for %s', (text) => {
    expect(findLiterals(text)).toBeNull();
  });

  test.each(['1234567890123456', '-0.12345678901234', '9007199254740.993', '1E400'])(
    'are looked up for %s',
    (literal) => {
      expect(findLiterals(`{"a":\n${literal}}`)).toStrictEqual(new Map([['a', literal]]));
    },
  );
});
