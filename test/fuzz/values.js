// Hostile values of a field, for the fuzz.
import { DepositStatus, RateType, WithdrawalStatus } from 'payment-notifications';

/** @param {number} count */
const ones = (count) => '1'.repeat(count);
/** @param {number} count */
const zeros = (count) => '0'.repeat(count);
/** The words of a text, none of which has a space in it. @param {string} text */
const words = (text) => text.trim().split(/\s+/);

/**
 * Amounts, most of them at a limit: each stands for itself as a JSON number where it is one, and as
 * a string.
 */
const AMOUNTS = [
  ...words('0 -0 0.0 -0.000 0e5 -0E-999999 0.0e1000 1 -1 0.5 -0.00000001'),
  ...words('1E-8 1e+8 1e0 12.50e3 1.e5 .5 5. 01 -01 +1 --1 1e 1e+ e5'),
  ...['1,5', '1 ', ' 1', '1\n', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '١'],
  ...words('1e78 -1e78 9.99e78 1e79 -1e79 10e77 10e78 0.1e79 0.1e80 1e400 1e1000'),
  ...words('1e-78 -1e-78 9e-79 1e-79 10e-79 0.1e-77 0.1e-78 1e-400 5e-324 1e-1000'),
  ...words('1e0078 1e0000000079 1e999999999 1e-999999999'),
  ...words('1e99999999999999999999 1e-99999999999999999999 1.7976931348623157e308'),
  ...words(`${ones(78)} ${ones(79)} -${ones(78)} ${ones(78)}0 ${ones(78)}00 ${ones(79)}0`),
  ...words(`1${zeros(78)} 1${zeros(79)} ${ones(40)}.${ones(38)} ${ones(40)}.${ones(39)}`),
  ...words(`${ones(40)}.${ones(38)}000 ${ones(40)}.${ones(38)}001 1.${zeros(76)}1 1.${zeros(77)}1`),
  ...words(`1.${zeros(126)} 1.${zeros(127)} 0.${zeros(126)} 0.${zeros(127)}`),
  ...words(`0.${zeros(77)}1 0.${zeros(78)}1 0.${zeros(77)}${ones(48)}`),
  ...words(`0.${zeros(48)}${ones(78)} 0.${zeros(48)}${ones(79)} ${ones(77)}.5e1 ${ones(78)}.5e1`),
  ...words(`0.${zeros(100)}1e100 1${zeros(100)}e-100 1.${ones(77)}e-78 9007199254740993`),
  ...words('0.1234567890123456789 123456789012345678901234567890 9.9999999999999999999e78'),
];

const TIMES = [
  ...words('1790000000 1790000000.5 1790000000000 99999999999 99999999999.9999 100000000000'),
  ...words(
    '99999999999999 99999999999999.5 99999999999999.999 100000000000000 -1 -0.0001 8.64e15 1e-400',
  ),
  ...['00000000000000001790000000', '000', '', ' ', '1790000000 ', '１'],
  ...words('2026-09-21T14:34:20Z 2026-09-21t14:34:20z'),
  ...['2026-09-21T14:34:20.123456789+05:30', '2026-09-21T14:34:20-00:00', '2026-09-21 14:34:20Z'],
  ...words('2026-09-21T14:34:20 2026-09-21T14:34Z 2026-09-21 2026-09-21T14:34:20.Z'),
  ...words('2026-09-21T24:00:00Z 2026-09-21T23:60:00Z 2026-09-21T23:59:60Z'),
  ...words('2026-09-21T14:34:20+24:00 2026-09-21T14:34:20+0530 2026-00-10T00:00:00Z'),
  ...words('2026-13-10T00:00:00Z 2026-01-00T00:00:00Z 2026-01-32T00:00:00Z 2026-04-31T00:00:00Z'),
  ...words('2026-02-29T00:00:00Z 2028-02-29T00:00:00Z 2000-02-29T00:00:00Z 2100-02-29T00:00:00Z'),
  ...words('2400-02-29T00:00:00Z 2028-02-30T00:00:00Z 1972-02-29T00:00:00Z 1970-02-29T00:00:00Z'),
  ...words('3600-02-29T00:00:00Z 9996-02-29T00:00:00Z 1970-01-01T00:00:00Z 1969-12-31T23:59:59Z'),
  ...words('0000-01-01T00:00:00Z 9999-12-31T23:59:59Z +010000-01-01T00:00:00Z'),
  ...words('1969-12-31T23:59:59-01:00 1970-01-01T00:59:59+01:00'),
  ...words('9999-12-31T23:59:59-01:00 1971-01-01T00:00:00+23:59'),
];

export const TEXTS = [
  ...[DepositStatus, WithdrawalStatus, RateType].flatMap((values) => Object.values(values)),
  ...words('x confirmed fixed'),
  ...[' FIXED', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '6F9619FF-8B86-4D01-B42D-00CF4FC964FF'],
  ...words('00000000-0000-0000-0000-000000000000 6f9619ff8b864d01b42d00cf4fc964ff'),
  ...['{6f9619ff-8b86-4d01-b42d-00cf4fc964ff}', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff\n'],
  ...words('urn:uuid:6f9619ff-8b86-4d01-b42d-00cf4fc964ff 6g9619ff-8b86-4d01-b42d-00cf4fc964ff'),
  ...words('６f9619ff-8b86-4d01-b42d-00cf4fc964ff rAddress?dt=1 rAddress?dt='),
  ...['?dt=1', '?dt=', '?dt=1?dt=2', '?DT=1', 'a?dt=1?dt=2', ' ?dt=1', '\n?dt=1'],
  ...['\u0000', '\n', '\u2028', '\u202e', '\u2066', '\ud800', '\udc00\ud800', '🧾', '"', '\\'],
  ...['\r\n2026-11-21 INFO forged', '\u001b[2J', 'x'.repeat(129), 'x'.repeat(2000)],
  ...words('__proto__ constructor toString'),
];

const OTHERS = [
  ...words('null true false {} [] [1] ["x"] {"name":"","category":""} {"name":"x"}'),
  ...words('{"name":null,"category":"x"} {"name":1,"category":"x"}'),
  ...words('{"category":{},"name":"x","more":1} {"__proto__":{"x":1}} [[[[]]]]'),
];

/** Each as JSON text: a number where it is one, and a string. */
export const VALUES = [
  ...new Set([
    ...OTHERS,
    ...[...AMOUNTS, ...TIMES].filter((text) =>
      /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text),
    ),
    ...[...AMOUNTS, ...TIMES, ...TEXTS].map((text) => JSON.stringify(text)),
  ]),
];
