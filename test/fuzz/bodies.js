// Hostile bodies as arbitraries of fast-check: a fixture's body with up to three fields changed,
// and perhaps damaged. They shrink to a fixture with as little done to it as shows the fault.
import fc from 'fast-check';
import { fixtures } from '../../fixtures/index.js';
import { readWire } from '../../src/testing/wire.js';
import { decimalLiteral } from './texts.js';

/** @typedef {[name: string, json: string][]} Fields A JSON object, its values as JSON text. */

/**
 * The fixtures that are JSON objects of a real size, field by field; the samples first.
 *
 * @type {Fields[]}
 */
const SEEDS = fixtures
  .filter(({ body }) => body.length < 4096)
  .sort((a, b) => Number(b.id.endsWith('/sample')) - Number(a.id.endsWith('/sample')))
  .map(({ body }) => body.toString())
  .filter((text) => parseObject(text) !== null)
  .map((text) => [...readWire(text)]);

const NAMES = [
  ...new Set(SEEDS.flatMap((fields) => fields.map(([name]) => name))),
  ...'type additionalFields warnings __proto__ constructor toString then toJSON length'.split(' '),
  ...['', '\u202e', 'a\nb'],
];

/** Texts, amounts and times, most of them at a limit. */
const TEXTS = [
  ...'1. .5 +1 1e 1,5 0x10 1_000 NaN Infinity ١ 1e0000000079 1e-99999999999999999999'.split(' '),
  ...[' 1', '1\n', '1'.repeat(79), `1.${'0'.repeat(158)}`, `1.${'0'.repeat(159)}`],
  ...'1790000000.5 99999999999.9999 100000000000 100000000000000 -0.0001 8.64e15'.split(' '),
  ...'2026-09-21 2026-09-21T24:00:00Z 2026-02-29T00:00:00Z 2028-02-29T00:00:00Z'.split(' '),
  ...'2026-09-21t14:34:20.123456789+05:30 9999-12-31T23:59:59-01:00'.split(' '),
  ...['', 'x', 'confirmed', ' FIXED', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff\n', '?dt=1'],
  ...['rAddress?dt=', 'rAddress?DT=1', 'a?dt=1?dt=2', 'constructor', 'x'.repeat(129)],
  ...['\u0000', '\n', '\u2028', '\u202e', '\ud800', '🧾', '"', '\\', '\u001b[2J'],
];

const value = fc.oneof(
  fc.constantFrom(...new Set(SEEDS.flatMap((fields) => fields.map(([, json]) => json)))),
  fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)),
  decimalLiteral,
  fc.constantFrom(
    ...'true false {} [] ["x"] {"name":"","category":""} {"name":1,"category":"x"}'.split(' '),
    ...'{"__proto__":{"x":1}} {"category":{},"name":"x","more":1}'.split(' '),
  ),
);

const place = fc.nat({ max: 0xffff });

/**
 * What is done to a body: with a name, a field is inserted; without one, a field gets another
 * value, or is left out.
 */
const change = fc.record({
  at: place,
  name: fc.option(fc.constantFrom(...NAMES), { freq: 2 }),
  json: fc.option(value),
});

/** One in four bodies is cut short, or has one bit flipped. */
const damage = fc.oneof(
  { arbitrary: fc.constant(null), weight: 3 },
  fc.record({ at: place, bit: fc.option(fc.nat(7), { freq: 2 }) }),
);

/** A body as bytes, mostly still JSON. */
export const bytesBody = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(change, { maxLength: 3 }),
    fc.constantFrom('', '', ' ', '\n  '),
    damage,
  )
  .map(([seed, changes, space, damaged]) => {
    const fields = [...seed];
    for (const { at, name, json } of changes) {
      const index = at % (fields.length + 1);
      const [own = ''] = fields[index] ?? [];
      /** @type {Fields} */
      const others = json === null ? [] : [[name ?? own, json]];
      fields.splice(index, name === null ? 1 : 0, ...others);
    }
    const members = fields.map(([name, json]) => `${space}${JSON.stringify(name)}:${space}${json}`);
    const bytes = Buffer.from(`{${members.join(',')}}`);
    if (damaged === null) return bytes;
    const { at, bit } = damaged;
    if (bit === null) return bytes.subarray(0, at % (bytes.length + 1));
    const index = at % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
    return bytes;
  });

const textBody = bytesBody.map((bytes) => bytes.toString());

/** Any body: bytes, text, or an object that was parsed already. */
export const anyBody = fc.oneof(
  bytesBody,
  textBody,
  textBody.map((text) => parseObject(text) ?? []),
);

/** @param {string} text @returns {object | null} */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
