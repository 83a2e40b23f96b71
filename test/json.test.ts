import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLosslessly } from 'lossless-json';
import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { findLiterals } from '../src/internal/json.js';
import { deposit, read } from './wire.js';

/** A literal that makes the text be searched. */
const LONG = '0.1234567890123456789';

/** The literals of an object's numbers, by a reader that is not ours. */
function expectedLiterals(text: string): Map<string, string> {
  const fields = parseLosslessly(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  return new Map(
    Object.entries(fields as object).flatMap(([name, value]) =>
      isLosslessNumber(value) ? [[name, value.toString()]] : [],
    ),
  );
}

/** Number literals of all shapes. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 20n }).map(String)),
    fc.oneof(
      fc.constant(''),
      fc.nat().map((n) => `.${n}`),
      fc.constant('.000'),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -400, max: 400 }).map((n) => `e${n}`),
    ),
  )
  .map((parts) => parts.join(''));

const name = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', 'value', ''),
  fc.string(),
);
const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n  ');

/** JSON texts with repeated and hostile names, odd numbers, escapes and white space. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    fc.constantFrom(
      'null',
      'true',
      'false',
      '"\\u005f\\ud83d\\n\\/"',
      '""',
      '"1.0000000000000000"',
    ),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc
      .tuple(space, fc.array(tie('json')))
      .map(([gap, items]) => `[${gap}${items.join(`${gap},`)}]`),
    fc
      .tuple(space, fc.array(fc.tuple(name, tie('json'))))
      .map(
        ([gap, fields]) =>
          `{${fields.map(([key, item]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${item}`)}${gap}}`,
      ),
  ),
}));

describe('the literals of a text', () => {
  test('are those of its outermost numbers, to the digit', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, json)), space, (members, gap) => {
        const rest = members.map(
          ([key, item]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${item}`,
        );
        const text = `{"long":${[LONG, ...rest].join(',')}}`;
        const fields = new Map(Object.entries(JSON.parse(text)));
        const found = [...(findLiterals(text) ?? [])].filter(
          ([key]) => typeof fields.get(key) === 'number',
        );
        // Not toStrictEqual, which trips over a field named constructor.
        deepStrictEqual(new Map(found), expectedLiterals(text));
      }),
      { numRuns: 3000 },
    );
  });

  test('are those of the last one of a repeated field', () => {
    const text = `{"a":1,"b":${LONG},"a":2,"a":"2","a":2}`;
    expect(findLiterals(text)).toStrictEqual(
      new Map([
        ['a', '2'],
        ['b', LONG],
      ]),
    );
  });

  test('are found behind names and strings that look like something else', () => {
    const text = String.raw`{"\"a\":1\\":${LONG},"\u0062":1,"x":"}]{[\\\"","y":[{"z":${LONG}}],"c":2}`;
    expect(findLiterals(text)).toStrictEqual(
      new Map([
        ['"a":1\\', LONG],
        ['b', '1'],
        ['c', '2'],
      ]),
    );
  });

  test('are looked up for every field that a double would change', () => {
    fc.assert(
      fc.property(number, space, space, (literal, before, after) => {
        const literals = findLiterals(`{"a"${before}:${after}${literal}}`);
        if (literals === null) expect(isSameDecimal(literal, String(Number(literal)))).toBe(true);
        else expect(literals).toStrictEqual(new Map([['a', literal]]));
      }),
      { numRuns: 3000 },
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

  test.each(['1234567890123456', '1e400', '-0.12345678901234567', '1E5', '9007199254740993'])(
    'are looked up for %s',
    (literal) => {
      expect(findLiterals(`{"a":\n${literal}}`)).toStrictEqual(new Map([['a', literal]]));
    },
  );
});

describe('an unknown field', () => {
  test('named __proto__ is a field like any other', () => {
    const text = deposit({ __proto: '1' }).replace('__proto', '__proto__');
    const { additionalFields } = read(safeParseDepositReceived(text));
    expect(Object.entries(additionalFields)).toStrictEqual([['__proto__', 1]]);
    expect(Object.getPrototypeOf(additionalFields)).toBe(Object.prototype);
  });

  test('is left as JSON.parse gives it', () => {
    const text = deposit({ settlementAmount: LONG, extra: `{"n":${LONG},"list":[1,${LONG}]}` });
    expect(read(safeParseDepositReceived(text)).additionalFields).toStrictEqual({
      extra: { n: 0.12345678901234568, list: [1, 0.12345678901234568] },
    });
  });
});

function isSameDecimal(a: string, b: string): boolean {
  const canonical = (text: string) => {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? ['', text];
    const coefficient = (whole + fraction).replace(/^0+/, '');
    const digits = coefficient.replace(/0+$/, '');
    if (digits === '') return '0';
    const scale = Number(exponent) - fraction.length + coefficient.length - digits.length;
    return `${sign}${digits}e${scale}`;
  };
  return canonical(a) === canonical(b);
}
