import { Decimal as HostDecimal } from 'decimal.js';
import fc from 'fast-check';
import { Decimal } from 'payment-notifications';
import { describe, expect, test, vi } from 'vitest';
import { toAmount } from '../../../src/parser/values/amount.js';
import { runs } from '../../fuzz/runs.js';
import { decimalLiteral } from '../../fuzz/texts.js';
import { FIELDS, issuesOf, parseWith, read } from '../../sample-bodies.js';

const AMOUNT_FIELDS = FIELDS.filter(
  ({ kind, name }) => kind === 'amount' && name !== 'deducedSettlementAmount',
);

/** Decimals enough for any literal below. */
const DECIMALS = 600;

/** The oracle: a decimal literal as an integer. */
function exact(literal: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  return (
    BigInt(sign + whole + fraction) * 10n ** BigInt(DECIMALS + Number(exponent) - fraction.length)
  );
}

/** The value of a Decimal, which must be printed in plain digits. */
function exactOf(value: unknown): bigint {
  expect(JSON.stringify(value)).toMatch(/^"-?\d+(\.\d+)?"$/);
  return exact(String(value));
}

/** Any literal within the limits, which digits.test.ts compares with decimal.js. */
const amount = decimalLiteral.filter((text) => toAmount(text) !== null);
const encoding = fc.constantFrom('number', 'string');
const field = fc.constantFrom(...AMOUNT_FIELDS);
const encode = (text: string, as: string) => (as === 'string' ? JSON.stringify(text) : text);

/** The largest and the smallest amount of 78 digits: their sum has the most digits. */
const EXTREMES: [string, string] = [`${'9'.repeat(78)}e1`, `0.${'9'.repeat(78)}e-78`];

describe('an amount', () => {
  test('equals the literal that was sent, in every field and either encoding', () => {
    fc.assert(
      fc.property(amount, encoding, field, (text, as, where) => {
        const result = parseWith(where, encode(text, as));
        if (where.type.kind === 'amount' && where.type.read(-1) === null && exact(text) < 0n) {
          expect(issuesOf(result)).toMatchObject([{ code: 'negative_amount' }]);
        } else {
          expect(exactOf(Reflect.get(read(result), where.name))).toBe(exact(text));
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  test.each([
    ['at most 78 significant digits', '9'.repeat(78), '9'.repeat(79)],
    ['a magnitude below 1e79', `9.${'9'.repeat(77)}e78`, '1e79'],
    ['a magnitude of at least 1e-78', '1e-78', '9.9e-79'],
    ['at most 160 characters', `1.${'0'.repeat(158)}`, `1.${'0'.repeat(159)}`],
  ])('has %s, in either encoding, and the message says so', (_, longest, longer) => {
    const where = { name: 'actualDepositAmount', of: 'deposit' } as const;
    for (const as of ['number', 'string']) {
      expect(issuesOf(parseWith(where, encode(longest, as)))).toStrictEqual([]);
      expect(issuesOf(parseWith(where, encode(longer, as)))).toMatchObject([
        {
          code: 'invalid_amount',
          expected:
            'a decimal number of at most 160 characters and 78 significant digits, whose magnitude is 0 or from 1e-78 to below 1e79',
        },
      ]);
    }
  });
});

describe('Decimal', () => {
  test('adds and multiplies two amounts exactly, and prints plain digits', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [left, right] = [new Decimal(a), new Decimal(b)];
        expect(exactOf(left.plus(right))).toBe(exact(a) + exact(b));
        expect(exactOf(left.times(right)) * exact('1')).toBe(exact(a) * exact(b));
      }),
      { numRuns: runs(1000), examples: [EXTREMES, ['1e-78', '1e-78']] },
    );
  });

  test('ignores what a host sets on decimal.js, before or after it is loaded', async () => {
    HostDecimal.set({ rounding: HostDecimal.ROUND_UP, modulo: 9, precision: 3, toExpNeg: -2 });
    try {
      const late = await import('../../../src/parser/values/amount.js?late' as string);
      expect(late.Decimal.rounding).toBe(HostDecimal.ROUND_HALF_UP);
      expect(late.Decimal.modulo).toBe(HostDecimal.ROUND_DOWN);
      for (const Own of [late.Decimal, Decimal]) {
        expect(String(new Own(1).div(3))).toBe(`0.${'3'.repeat(256)}`);
      }
    } finally {
      HostDecimal.set({ defaults: true });
    }
  });

  test('is a decimal.js Decimal to instanceof, in either direction', () => {
    expect(new Decimal(1)).toBeInstanceOf(HostDecimal);
    expect(new HostDecimal(1)).toBeInstanceOf(Decimal);
  });

  test.each(['set', 'config'] as const)('cannot be configured with %s', (name) => {
    expect(() => Decimal[name]({ precision: 3 })).toThrow(
      'Decimal.set and Decimal.config are disabled. Use Decimal.clone()',
    );
    expect(new Decimal('1.23456').plus(0).toString()).toBe('1.23456');
    const Coarse = Decimal.clone({ precision: 3 });
    expect(new Coarse('1.23456').plus(0).toString()).toBe('1.23');
  });

  test('prints numbers far beyond any amount with an exponent', () => {
    expect(new Decimal('1e600000000').toString()).toBe('1e+600000000');
    expect(JSON.stringify(new Decimal('1e-600000000'))).toBe('"1e-600000000"');
    expect(new Decimal('1e999').toString()).toBe(`1${'0'.repeat(999)}`);
  });
});

test('a decimal.js that is made of other parts reads the literals itself', async () => {
  vi.doMock('decimal.js', async (importOriginal) => {
    const { Decimal: Original } = await importOriginal<typeof import('decimal.js')>();
    class Other extends Original {
      constructor(value: string | number | HostDecimal) {
        // As if it kept the digits in words of another size: a copy by parts is another number.
        super(value instanceof Original ? 42 : value);
      }
    }
    return { Decimal: Object.assign(Other, { clone: () => Other }) };
  });
  try {
    const other = await import('../../../src/parser/values/amount.js?other' as string);
    expect(`${other.toAmount('-123456789.000000012')}`).toBe('-123456789.000000012');
    expect(`${other.toAmount(0.5)}`).toBe('0.5');
    expect(other.toAmount('1e79')).toBeNull();
  } finally {
    vi.doUnmock('decimal.js');
  }
});
