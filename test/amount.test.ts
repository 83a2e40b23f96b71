import { Decimal as HostDecimal } from 'decimal.js';
import fc from 'fast-check';
import { Decimal, safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test, vi } from 'vitest';
import { HAS_KNOWN_PARTS, toAmount } from '../src/amount.js';
import { digitsOfDouble } from '../src/internal/digits.js';
import { nonNegativeAmount } from '../src/internal/field-types.js';
import { runs } from './fuzz/random.js';
import { amountFault, decimalLiteral } from './fuzz/texts.js';
import { deposit, FIELDS, issuesOf, messagesOf, parseWith, read } from './wire.js';

const AMOUNT_FIELDS = FIELDS.filter(
  ({ kind, name }) => kind === 'amount' && name !== 'deducedSettlementAmount',
);

/** A decimal number as a BigInt oracle sees it: coefficient × 10^exponent, without trailing zeros. */
interface Exact {
  coefficient: bigint;
  exponent: number;
}

function exact(literal: string): Exact {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  return normalize(BigInt(`${sign}${whole}${fraction}`), Number(exponent) - fraction.length);
}

function normalize(coefficient: bigint, exponent: number): Exact {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  let [shorter, moved] = [coefficient, exponent];
  while (shorter % 10n === 0n) {
    shorter /= 10n;
    moved += 1;
  }
  // The sum turns -0 into 0.
  return { coefficient: shorter, exponent: moved + 0 };
}

function add(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ coefficient, exponent: own }: Exact) =>
    coefficient * 10n ** BigInt(own - exponent);
  return normalize(scaled(a) + scaled(b), exponent);
}

function multiply(a: Exact, b: Exact): Exact {
  return normalize(a.coefficient * b.coefficient, a.exponent + b.exponent);
}

function digits({ coefficient }: Exact): number {
  return String(coefficient).replace('-', '').length;
}

/** The exponent of the first digit: 0 for 5, -8 for a satoshi. */
function magnitude(value: Exact): number {
  return value.coefficient === 0n ? 0 : value.exponent + digits(value) - 1;
}

const literal = decimalLiteral.filter((text) => text.length <= 160);

const isWithinLimits = (text: string) => {
  const value = exact(text);
  return digits(value) <= 78 && Math.abs(magnitude(value)) <= 78;
};
const amount = literal.filter(isWithinLimits);
const isNegative = (text: string) => exact(text).coefficient < 0n;
const encoding = fc.constantFrom('number', 'string');
const field = fc.constantFrom(...AMOUNT_FIELDS);
const encode = (text: string, as: string) => (as === 'string' ? JSON.stringify(text) : text);

function amountOf(result: ReturnType<typeof parseWith>, name: string): unknown {
  return Object.entries(read(result)).find(([field]) => field === name)?.[1];
}

describe('an amount', () => {
  test('equals the literal that was sent, in every field and either encoding', () => {
    fc.assert(
      fc.property(amount, encoding, field, (text, as, where) => {
        const result = parseWith(where, encode(text, as));
        if (where.type === nonNegativeAmount && isNegative(text)) {
          expect(issuesOf(result)).toMatchObject([{ code: 'negative_amount' }]);
        } else {
          expect(exact(`${amountOf(result, where.name)}`)).toStrictEqual(exact(text));
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  // For a million literals: RUNS=1000000.
  test('consists of the very parts that decimal.js would give it', () => {
    fc.assert(
      fc.property(decimalLiteral, (text) => {
        expect(amountFault(toAmount, text)).toBeNull();
      }),
      { numRuns: runs(3000) },
    );
  });

  test('beyond the limits is refused, in every field and either encoding', () => {
    const beyond = literal.filter((text) => !isWithinLimits(text));
    fc.assert(
      fc.property(beyond, encoding, field, (text, as, where) => {
        const [issue, ...others] = issuesOf(parseWith(where, encode(text, as)));
        expect(issue?.message).toContain('expected a decimal number of at most 160 characters');
        expect(others).toStrictEqual([]);
      }),
    );
  });

  const where = { name: 'actualDepositAmount', of: 'deposit' } as const;
  test.each([
    ['78 digits', '9'.repeat(78)],
    ['78 digits and trailing zeros', `0.${'1'.repeat(78)}${'0'.repeat(20)}`],
    ['the largest magnitude', '1e78'],
    ['the smallest magnitude', '1e-78'],
    ['160 characters', `1.${'0'.repeat(158)}`],
  ])('of %s is read', (_, text) => {
    for (const as of ['number', 'string']) {
      expect(exact(`${amountOf(parseWith(where, encode(text, as)), where.name)}`)).toStrictEqual(
        exact(text),
      );
    }
  });

  test.each([
    ['79 digits', '9'.repeat(79)],
    ['too large a magnitude', '1e79'],
    ['too small a magnitude', '1e-79'],
    ['161 characters', `1.${'0'.repeat(159)}`],
  ])('of %s is refused', (_, text) => {
    for (const as of ['number', 'string']) {
      expect(issuesOf(parseWith(where, encode(text, as)))).toHaveLength(1);
    }
  });

  test('prints plain digits everywhere', () => {
    fc.assert(
      fc.property(amount, (text) => {
        const value = new Decimal(text);
        for (const printed of [
          value.toString(),
          `${value}`,
          value.valueOf(),
          value.toJSON(),
          value.toFixed(),
          JSON.stringify({ value }),
        ]) {
          expect(printed).not.toMatch(/\de/i);
        }
      }),
    );
  });

  test('prints a satoshi as people write it', () => {
    expect(String(new Decimal('1e-8'))).toBe('0.00000001');
    expect(JSON.stringify(new Decimal(0.00000001))).toBe('"0.00000001"');
  });
});

describe('Decimal', () => {
  test('adds and multiplies two amounts exactly', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [left, right] = [new Decimal(a), new Decimal(b)];
        expect(exact(left.plus(right).toString())).toStrictEqual(add(exact(a), exact(b)));
        expect(exact(left.times(right).toString())).toStrictEqual(multiply(exact(a), exact(b)));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('prints the smallest product in plain digits', () => {
    const smallest = new Decimal('1e-78');
    expect(smallest.times(smallest).toString()).toBe(`0.${'0'.repeat(155)}1`);
  });

  test('starts from the defaults, whatever the host set on decimal.js before', async () => {
    HostDecimal.set({ rounding: HostDecimal.ROUND_UP, modulo: 9, toExpPos: 3 });
    try {
      const late = await import('../src/amount.js?late' as string);
      expect(new late.Decimal(1).div(3).toFixed(3)).toBe('0.333');
      expect(late.Decimal.rounding).toBe(HostDecimal.ROUND_HALF_UP);
      expect(late.Decimal.modulo).toBe(HostDecimal.ROUND_DOWN);
    } finally {
      HostDecimal.set({ defaults: true });
    }
  });

  test('adds the largest and the smallest amount exactly', () => {
    const [a, b] = [`${'9'.repeat(78)}e1`, `0.${'9'.repeat(78)}e-78`];
    expect(exact(new Decimal(a).plus(b).toString())).toStrictEqual(add(exact(a), exact(b)));
  });

  test('is a decimal.js Decimal to instanceof, in either direction', () => {
    expect(new Decimal(1)).toBeInstanceOf(HostDecimal);
    expect(new HostDecimal(1)).toBeInstanceOf(Decimal);
  });

  test('is untouched by what a host sets on decimal.js', () => {
    HostDecimal.set({ precision: 3, toExpNeg: -2 });
    try {
      expect(new Decimal('0.123456789').plus('0.000000001').toString()).toBe('0.12345679');
      expect(new Decimal('1e-8').toString()).toBe('0.00000001');
    } finally {
      HostDecimal.set({ defaults: true });
    }
  });

  test.each(['set', 'config'] as const)(
    'can not be changed for the whole process by %s',
    (name) => {
      expect(() => Decimal[name]({ precision: 3 })).toThrow(
        'payment-notifications shares its Decimal with the whole process; configure a Decimal.clone() instead',
      );
      expect(new Decimal('1.23456').plus(0).toString()).toBe('1.23456');
    },
  );

  test('keeps sums exact after an operation that decimal.js gave up in the middle', () => {
    const Own = Decimal.clone({});
    expect(() => new Own('1e800').sin()).toThrow(/precision/i);
    expect(Own.precision).toBeGreaterThan(Decimal.precision);
    expect(Own.rounding).toBe(Decimal.ROUND_DOWN);
    const [a, b] = [`${'9'.repeat(78)}e1`, `0.${'9'.repeat(78)}e-78`];
    expect(new Own(a).plus(b).toString()).toBe(new Decimal(a).plus(b).toString());
  });

  test('is a number of its own for every zero', () => {
    const deposit = read(
      parseWith({ of: 'deposit', name: 'onChainFee' }, '0', { displayServiceFee: '0' }),
    );
    expect(deposit).toMatchObject({ type: 'deposit.received' });
    if (deposit.type === 'deposit.received') {
      expect(deposit.onChainFee).not.toBe(deposit.displayServiceFee);
    }
  });

  test('computes what needs more digits meanwhile as decimal.js does', () => {
    const Plain = HostDecimal.clone({ precision: 256, defaults: true });
    for (const operation of ['exp', 'ln', 'sqrt', 'cbrt', 'sin', 'cos', 'tanh', 'atan'] as const) {
      expect(new Decimal('1.7')[operation]().toString()).toBe(
        new Plain('1.7')[operation]().toString(),
      );
    }
    expect(new Decimal('1.7').pow('0.3').toString()).toBe(new Plain('1.7').pow('0.3').toString());
    expect(Decimal.atan2(-1, -2).toString()).toBe(Plain.atan2(-1, -2).toString());
    expect(new Decimal('0.75').toFraction().toString()).toBe('3,4');
    expect(new Decimal(1).div(3).toString()).toBe(`0.${'3'.repeat(256)}`);
  });

  test('prints what no amount comes near with an exponent', () => {
    expect(new Decimal('1e600000000').toString()).toBe('1e+600000000');
    expect(JSON.stringify(new Decimal('1e-600000000'))).toBe('"1e-600000000"');
    expect(new Decimal('1e999').toString()).toBe(`1${'0'.repeat(999)}`);
  });

  test('can be cloned with another configuration', () => {
    const Coarse = Decimal.clone({ precision: 3 });
    expect(new Coarse('1.23456').plus(0).toString()).toBe('1.23');
  });
});

describe('a decimal.js that consists of other parts', () => {
  test('reads the literals itself', async () => {
    vi.doMock('decimal.js', async (importOriginal) => {
      const { Decimal: Original } = await importOriginal<typeof import('decimal.js')>();
      class Other extends Original {
        constructor(value: string | number | HostDecimal) {
          // As if it kept the digits in words of another size: what is copied by parts is something else.
          super(value instanceof Original ? 42 : value);
        }
      }
      return { Decimal: Object.assign(Other, { clone: () => Other }) };
    });
    try {
      const { toAmount } = await import('../src/amount.js?other' as string);
      expect(`${toAmount('-123456789.000000012')}`).toBe('-123456789.000000012');
      expect(`${toAmount(0.5)}`).toBe('0.5');
      expect(toAmount('1e79')).toBeNull();
    } finally {
      vi.doUnmock('decimal.js');
    }
  });
});

describe('a double', () => {
  test('is read by arithmetic, since decimal.js consists of the parts that it should', () => {
    expect(HAS_KNOWN_PARTS).toBe(true);
  });

  test.each([
    [0, '0'],
    [0.1, '0.1'],
    [-12345678.9, '-12345678.9'],
    [0.01523, '0.01523'],
    [999_999_999_999_999, '999999999999999'],
    [0.123456789012345, '0.123456789012345'],
    [1e-22, '0.0000000000000000000001'],
  ])('of up to 15 digits and 22 decimals: %d', (value, digits) => {
    expect(toAmount(value)?.toString()).toBe(digits);
  });

  test.each([0.1 + 0.2, 1e15, 1e-23, 2 ** 53])('beyond that is left to its text: %d', (value) => {
    expect(digitsOfDouble(value)).toBeNull();
    expect(toAmount(value)?.toString()).toBe(new Decimal(String(value)).toString());
  });
});

test('an amount of a parsed body that no JSON can hold is quoted as it is', () => {
  const body = { ...JSON.parse(deposit()), actualDepositAmount: Number.POSITIVE_INFINITY };
  expect(messagesOf(safeParseDepositReceived(body))).toStrictEqual([
    'actualDepositAmount: expected a decimal number, received Infinity',
  ]);
});

test.each([
  ['"0.1234567890123456789"', []],
  ['123456789.012345', []],
  ['1234567890.123456', ['inexact_number']],
])('a parsed body with %s has the warnings %j', (literal, codes) => {
  const body = JSON.parse(deposit({ actualDepositAmount: literal }));
  expect(read(safeParseDepositReceived(body)).warnings.map(({ code }) => code)).toStrictEqual(
    codes,
  );
});
