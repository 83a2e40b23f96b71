import { Decimal as HostDecimal } from 'decimal.js';
import fc from 'fast-check';
import { Decimal } from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { FIELDS, messagesOf, parseWith, read } from './wire.js';

const AMOUNT_FIELDS = FIELDS.filter(({ kind }) => kind === 'quantity' || kind === 'signed amount');

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

const digitsOf = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

/** Decimal literals in JSON's grammar. */
const literal = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.tuple(fc.constantFrom(...'123456789'), digitsOf(0, 85)).map((parts) => parts.join('')),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digitsOf(1, 85).map((text) => `.${text}`),
    ),
    exponent: fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat({ max: 90 }))
        .map((parts) => parts.join('')),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent)
  .filter((text) => text.length <= 128);

const isWithinLimits = (text: string) => {
  const value = exact(text);
  return digits(value) <= 78 && Math.abs(magnitude(value)) <= 78;
};
const amount = literal.filter(isWithinLimits);
const isNegative = (text: string) => exact(text).coefficient < 0n;
const encoding = fc.constantFrom('number', 'string');
const field = fc.constantFrom(...AMOUNT_FIELDS);
const encode = (text: string, as: string) => (as === 'string' ? JSON.stringify(text) : text);

function amountOf(result: ReturnType<typeof parseWith>, name: string): Decimal {
  return (read(result) as Record<string, unknown>)[name] as Decimal;
}

describe('an amount', () => {
  test('equals the literal that was sent, in every field and either encoding', () => {
    fc.assert(
      fc.property(amount, encoding, field, (text, as, where) => {
        const result = parseWith(where, encode(text, as));
        if (where.kind === 'quantity' && isNegative(text)) {
          expect(messagesOf(result)).toHaveLength(1);
        } else {
          expect(exact(amountOf(result, where.name).toString())).toStrictEqual(exact(text));
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('beyond the limits is refused, in every field and either encoding', () => {
    const beyond = literal.filter((text) => !isWithinLimits(text));
    fc.assert(
      fc.property(beyond, encoding, field, (text, as, where) => {
        const [message, ...others] = messagesOf(parseWith(where, encode(text, as)));
        expect(message).toContain('expected a decimal number of at most 128 characters');
        expect(others).toStrictEqual([]);
      }),
    );
  });

  test.each([
    ['78 digits', '9'.repeat(78)],
    ['78 digits and trailing zeros', `0.${'1'.repeat(78)}${'0'.repeat(20)}`],
    ['the largest magnitude', '1e78'],
    ['the smallest magnitude', '1e-78'],
    ['128 characters', `1.${'0'.repeat(126)}`],
  ])('of %s is read', (_, text) => {
    const where = { name: 'actualDepositAmount', of: 'deposit' } as const;
    for (const as of ['number', 'string']) {
      expect(
        exact(amountOf(parseWith(where, encode(text, as)), where.name).toFixed()),
      ).toStrictEqual(exact(text));
    }
  });

  test.each([
    ['79 digits', '9'.repeat(79)],
    ['too large a magnitude', '1e79'],
    ['too small a magnitude', '1e-79'],
    ['129 characters', `1.${'0'.repeat(127)}`],
  ])('of %s is refused', (_, text) => {
    const where = { name: 'actualDepositAmount', of: 'deposit' } as const;
    for (const as of ['number', 'string']) {
      expect(messagesOf(parseWith(where, encode(text, as)))).toHaveLength(1);
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
      { numRuns: 1000 },
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

  test('can be cloned with another configuration', () => {
    const Coarse = Decimal.clone({ precision: 3 });
    expect(new Coarse('1.23456').plus(0).toString()).toBe('1.23');
  });
});
