// Random JSON texts and decimal literals, and what must hold for each.
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLosslessly } from 'lossless-json';

/**
 * Has lossless-json read a repeated field as JSON.parse does.
 *
 * @type {Parameters<typeof parseLosslessly>[2]}
 */
export const LAST_ONE_COUNTS = { onDuplicateKey: ({ newValue }) => newValue };

/** @param {number} minLength @param {number} maxLength */
const digits = (minLength, maxLength) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength, size: 'max' });

/** Number literals in JSON's grammar, most of them within the limits of an amount. */
export const decimalLiteral = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.tuple(fc.constantFrom(...'123456789'), digits(0, 7)).map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom(...'123456789'), digits(0, 85)).map((parts) => parts.join('')),
    ),
    fraction: fc.oneof(
      fc.constantFrom('', '.000'),
      digits(1, 9).map((text) => `.${text}`),
      digits(1, 85).map((text) => `.${text}`),
    ),
    exponent: fc.oneof(
      { arbitrary: fc.constant(''), weight: 3 },
      fc
        .tuple(
          fc.constantFrom('e', 'E', 'E+', 'e-'),
          fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 400 })),
        )
        .map((parts) => parts.join('')),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);

/** Numbers at the edges of what a double carries, as JSON text. */
const oddNumber = fc.constantFrom(
  ...'-0 1E400 -1e-400 1e5 0E999 123456789012345 1234567890123456 9007199254740993'.split(' '),
  ...'0.1234567890123456 480.730000000000000000 -1.2345678901234567e-100'.split(' '),
  '9'.repeat(1000),
);

/** A string that looks like other parts of JSON, as JSON text. */
const oddString = fc
  .string({
    unit: fc.constantFrom(...'0123456789"\\:,.-eE{}[] \n', ':-0.1234567890123456789', '://e'),
  })
  .map((text) => JSON.stringify(text));

/** The name of a field, as JSON text. */
const anyName = fc.oneof(
  fc.constantFrom(
    ...'"a" "b" "__proto__" "\\u005f_proto__" "\\u0061" "constructor" "value" ""'.split(' '),
  ),
  oddString,
  fc.string().map((text) => JSON.stringify(text)),
);
const anySpace = fc.constantFrom('', '', ' ', '\n\t', '\r\n  ');

/** @typedef {{ json: string, object: string }} Texts */

const { object } = fc.letrec((/** @type {fc.LetrecTypedTie<Texts>} */ tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    decimalLiteral,
    oddNumber,
    oddString,
    fc.constantFrom('null', 'true', 'false', '"\\u005f\\ud83d\\n\\/"', '"1.0000000000000000"'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc
      .tuple(anySpace, fc.array(tie('json'), { maxLength: 5 }))
      .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
    tie('object'),
  ),
  object: fc
    .tuple(anySpace, fc.array(fc.tuple(anyName, tie('json')), { maxLength: 5 }))
    .map(([space, fields]) => {
      const members = fields.map(
        ([name, value]) => `${space}${name}${space}:${space}${value}${space}`,
      );
      return `{${members.join(',')}}`;
    }),
}));

/** Texts of JSON objects with repeated and hostile names, odd numbers, escapes and white space. */
export const anyText = object;

/**
 * Compares what was read from a text with what lossless-json reads from it, at any depth: each
 * number must be the text of its literal.
 *
 * @param {unknown} read
 * @param {unknown} exact
 * @returns {string | null} What differs.
 */
export function exactnessFault(read, exact) {
  if (isLosslessNumber(exact)) {
    const literal = exact.toString();
    return read === literal ? null : `${literal} is read as ${typeof read} ${read}`;
  }
  if (typeof exact !== 'object' || exact === null || typeof read !== 'object' || read === null) {
    return read === exact ? null : `${exact} is read as ${read}`;
  }
  const parts = Object.entries(exact);
  if (Array.isArray(read) !== Array.isArray(exact) || Object.keys(read).length !== parts.length) {
    return `${Object.keys(exact)} is read as ${Object.keys(read)}`;
  }
  for (const [name, part] of parts) {
    if (!Object.hasOwn(read, name)) return `${name} is lost`;
    const fault = exactnessFault(/** @type {any} */ (read)[name], part);
    if (fault !== null) return `${JSON.stringify(name)}: ${fault}`;
  }
  return null;
}
