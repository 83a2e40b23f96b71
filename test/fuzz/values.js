// Hostile values of a field, for the fuzz.
import { DepositStatus, RateType, WithdrawalStatus } from 'payment-notifications';

/** @param {number} count */
const ones = (count) => '1'.repeat(count);
/** @param {number} count */
const zeros = (count) => '0'.repeat(count);

/**
 * Amounts and times, most of them at a limit: each stands for itself as a JSON number where it is
 * one, and as a string.
 */
const LITERALS = [
  ...'0 -0 -0.000 0e5 -0E-999999 1 -1 0.5 1E-8 1e+8 1.e5 .5 5. 01 +1 --1 1e 1e+ e5'.split(' '),
  ...['1,5', '1 ', ' 1', '1\n', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '١', '１', ' '],
  ...'9.99e78 -1e79 10e77 0.1e80 1e400 1e-78 9e-79 10e-79 1e-400 5e-324 1e0000000079'.split(' '),
  ...'1e999999999 1e-999999999 1e99999999999999999999 1e-99999999999999999999'.split(' '),
  ...[ones(78), ones(79), `-${ones(78)}`, `${ones(78)}0`, `1${zeros(78)}`, `1${zeros(79)}`],
  ...[`${ones(40)}.${ones(38)}000`, `${ones(40)}.${ones(39)}`, `1.${zeros(157)}`],
  ...[`1.${zeros(158)}`, `1.${zeros(159)}`, `0.${zeros(77)}1`, `0.${zeros(78)}1`],
  ...'1790000000 1790000000.5 1790000000000 99999999999.9999 100000000000'.split(' '),
  ...'99999999999999.5 100000000000000 -0.0001 8.64e15 00000000000000001790000000'.split(' '),
  ...'2026-09-21T14:34:20Z 2026-09-21T14:34:20 2026-09-21 2026-09-21T24:00:00Z'.split(' '),
  ...'2026-02-29T00:00:00Z 2028-02-29T00:00:00Z 2026-04-31T00:00:00Z'.split(' '),
  ...'1969-12-31T23:59:59Z 9999-12-31T23:59:59-01:00 +010000-01-01T00:00:00Z'.split(' '),
  ...['2026-09-21t14:34:20.123456789+05:30', '2026-09-21 14:34:20Z', '2026-09-21T14:34:20.Z'],
];

export const TEXTS = [
  ...[DepositStatus, WithdrawalStatus, RateType].flatMap((values) => Object.values(values)),
  ...['', 'x', 'confirmed', ' FIXED', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
  ...['6F9619FF-8B86-4D01-B42D-00CF4FC964FF', '6f9619ff8b864d01b42d00cf4fc964ff'],
  ...['6g9619ff-8b86-4d01-b42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff\n'],
  ...['rAddress?dt=1', 'rAddress?dt=', '?dt=1', '?dt=1?dt=2', '?DT=1', 'a?dt=1?dt=2', ' ?dt=1'],
  ...['\u0000', '\n', '\u2028', '\u202e', '\u2066', '\ud800', '\udc00\ud800', '🧾', '"', '\\'],
  ...['\r\n2026-11-21 INFO forged', '\u001b[2J', 'x'.repeat(129), 'x'.repeat(2000)],
  ...['__proto__', 'constructor', 'toString'],
];

const OTHERS = [
  ...'null true false {} [] [1] ["x"] [[[[]]]] {"name":"","category":""} {"name":"x"}'.split(' '),
  ...'{"name":null,"category":"x"} {"name":1,"category":"x"} {"__proto__":{"x":1}}'.split(' '),
  '{"category":{},"name":"x","more":1}',
];

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Each as JSON text. */
export const VALUES = [
  ...OTHERS,
  ...LITERALS.filter((text) => JSON_NUMBER.test(text)),
  ...[...LITERALS, ...TEXTS].map((text) => JSON.stringify(text)),
];
