// Hostile bodies as arbitraries of fast-check: a fixture's body with up to three things done to it.
// They shrink to a fixture with as little done to it as shows the fault.
import fc from 'fast-check';
import { fixtures } from '../../fixtures/index.js';
import { readWire } from '../../src/testing/wire.js';
import { TEXTS, VALUES } from './values.js';

/**
 * @typedef {[name: string, json: string][]} Fields A JSON object, its values as JSON text.
 *
 * @typedef {object} Chosen What a mutation may make use of.
 * @property {number} at A place in a list or a text of whatever length.
 * @property {number} to Another one.
 * @property {string} name
 * @property {string} value JSON text.
 * @property {string} text
 * @property {string} part Of a number.
 */

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
  ...'type additionalFields warnings deducedSettlementAmount'.split(' '),
  ...'__proto__ constructor toString then toJSON length'.split(' '),
  ...['', '\u202e', 'a\nb'],
];

/** What may stand in a field: the hostile values, and those of the other fields. */
const ANY_VALUES = [
  ...new Set(SEEDS.flatMap((fields) => fields.map(([, value]) => value))),
  ...VALUES,
];

const NUMBER_PARTS = [...'0 9 . - + e E e5 e-90'.split(' '), '0'.repeat(20), '7'.repeat(70)];

/**
 * What stands at a place.
 *
 * @template T
 * @param {readonly T[]} list Not empty.
 * @param {number} at
 */
const pick = (list, at) => /** @type {T} */ (list[at % list.length]);

/** @type {((fields: Fields, chosen: Chosen) => void)[]} The fields are never empty. */
const FIELD_MUTATIONS = [
  function drop(fields, { at }) {
    fields.splice(at % fields.length, 1);
  },
  function add(fields, { at, name, value }) {
    fields.splice(at % (fields.length + 1), 0, [name, value]);
  },
  function replace(fields, { at, value }) {
    pick(fields, at)[1] = value;
  },
  function insert(fields, { at, to, text, part }) {
    const field = pick(fields, at);
    const isText = field[1].startsWith('"');
    const cut = isText ? 1 + (to % (field[1].length - 1)) : to % (field[1].length + 1);
    const inserted = isText ? JSON.stringify(text).slice(1, -1) : part;
    field[1] = field[1].slice(0, cut) + inserted + field[1].slice(cut);
  },
];

const TOKENS = [...'{}[],:"\\1e.- ', 'null', '"status"'];

/** @type {((bytes: Buffer, chosen: { at: number, to: number, noise: number[] }) => Buffer)[]} */
const BYTE_MUTATIONS = [
  function truncate(bytes, { at }) {
    return bytes.subarray(0, at % (bytes.length + 1));
  },
  function flip(bytes, { at, to }) {
    const copy = Buffer.from(bytes);
    const index = at % copy.length;
    copy[index] = (copy[index] ?? 0) ^ (1 << (to & 7));
    return copy;
  },
  function replaceByTokens(_bytes, { noise }) {
    return Buffer.from(noise.map((at) => pick(TOKENS, at)).join(''));
  },
];

const place = fc.nat({ max: 0xffff });
const fieldMutation = fc.tuple(
  fc.constantFrom(...FIELD_MUTATIONS),
  fc.record({
    at: place,
    to: place,
    name: fc.constantFrom(...NAMES),
    value: fc.constantFrom(...ANY_VALUES),
    text: fc.constantFrom(...TEXTS, ...NUMBER_PARTS),
    part: fc.constantFrom(...NUMBER_PARTS),
  }),
);
const byteMutation = fc.tuple(
  fc.constantFrom(...BYTE_MUTATIONS),
  fc.record({ at: place, to: place, noise: fc.array(place, { maxLength: 40 }) }),
);

/** A body as bytes, mostly still JSON. */
export const bytesBody = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fieldMutation, { maxLength: 3 }),
    fc.constantFrom('', '', ' ', '\n  '),
    // Three of four bodies stay JSON, unless a field has become none.
    fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, byteMutation),
  )
  .map(([seed, fieldMutations, space, damage]) => {
    /** @type {Fields} */
    const fields = seed.map(([name, json]) => [name, json]);
    for (const [mutate, chosen] of fieldMutations) if (fields.length > 0) mutate(fields, chosen);
    const members = fields.map(([name, json]) => `${space}${JSON.stringify(name)}:${space}${json}`);
    const bytes = Buffer.from(`{${members.join(',')}}`);
    if (damage === null) return bytes;
    const [mutate, chosen] = damage;
    return mutate(bytes, chosen);
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
