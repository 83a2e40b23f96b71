import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../src/internal/json.js';
import { deposit, read } from './wire.js';

/** A literal that makes the exact reader read the text, too. */
const LONG = '0.1234567890123456789';

/** The exact reading with its literals as doubles: what JSON.parse must have given. */
function rounded(literals: unknown, value: unknown): unknown {
  if (typeof value === 'number') return Number(literals);
  if (Array.isArray(value)) {
    expect(literals).toHaveLength(value.length);
    return value.map((item, index) => rounded((literals as unknown[])[index], item));
  }
  if (typeof value === 'object' && value !== null) {
    expect(Object.keys(literals as object)).toStrictEqual(Object.keys(value));
    expect(Object.getPrototypeOf(literals)).toBe(Object.prototype);
    const fields = literals as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, rounded(fields[name], item)]),
    );
  }
  return literals;
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

describe('both readers', () => {
  test('agree on any JSON text but for the digits', () => {
    fc.assert(
      fc.property(json, (text) => {
        const { value, literals } = parseJson(`{"long":${LONG},"x":${text}}`);
        // Not toStrictEqual, which trips over a field named constructor.
        deepStrictEqual(rounded(literals, value), value);
      }),
      { numRuns: 3000 },
    );
  });

  test('agree that the last one of repeated fields counts, in the place of the first', () => {
    const text = `{"a":1,"b":${LONG},"a":2,"a":"2","a":2}`;
    expect(parseJson(text)).toStrictEqual({
      value: { a: 2, b: 0.12345678901234568 },
      literals: { a: '2', b: LONG },
    });
  });

  test('take __proto__ for a field like any other', () => {
    const { value, literals } = parseJson(`{"__proto__":{"polluted":${LONG}}}`);
    for (const reading of [value, literals] as object[]) {
      expect(Object.getPrototypeOf(reading)).toBe(Object.prototype);
      expect(Object.keys(reading)).toStrictEqual(['__proto__']);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the exact reader', () => {
  test('is called for every field that a double would change', () => {
    fc.assert(
      fc.property(number, space, space, (literal, before, after) => {
        const { literals } = parseJson(`{"a"${before}:${after}${literal}}`);
        if (literals === null) expect(isSameDecimal(literal, String(Number(literal)))).toBe(true);
        else expect(literals).toStrictEqual({ a: literal });
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    '{"a":0.12345678,"b":1790000000,"c":"0.1234567890123456789","d":[1],"e":true,"E":null}',
    '{"a":123456789012345}',
    '{"a":-12345678901234}',
    '{"transactionId":"e1234567890123456789012345678901234567890","x":"1e400"}',
  ])('is not called for %s', (text) => {
    expect(parseJson(text).literals).toBeNull();
  });

  test.each(['1234567890123456', '1e400', '-0.12345678901234567', '1E5', '9007199254740993'])(
    'is called for %s',
    (literal) => {
      expect(parseJson(`{"a":\n${literal}}`).literals).toStrictEqual({ a: literal });
    },
  );

  test('keeps an unknown field named __proto__ a field', () => {
    const text = deposit({ __proto: '1' }).replace('__proto', '__proto__');
    const { additionalFields } = read(safeParseDepositReceived(text));
    expect(Object.entries(additionalFields)).toStrictEqual([['__proto__', 1]]);
    expect(Object.getPrototypeOf(additionalFields)).toBe(Object.prototype);
  });

  test('leaves unknown fields as JSON.parse gives them', () => {
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
