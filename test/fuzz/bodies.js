// Hostile bodies as arbitraries of fast-check: a fixture's body with up to three things done to it. They
// shrink to a fixture with as little done to it as shows the fault.
import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { fixtures } from '../fixtures.js';

/**
 * @typedef {[name: string, json: string][]} Fields A JSON object, its values as JSON text.
 * @typedef {(fields: Fields) => void} FieldMutation
 * @typedef {(bytes: Buffer) => Buffer} ByteMutation
 */

/** The fixtures that are JSON objects of a real size, field by field; the samples first. */
const SEEDS = fixtures
  .filter(({ body }) => body.length < 4096)
  .sort((a, b) => Number(b.name.endsWith('/sample')) - Number(a.name.endsWith('/sample')))
  .flatMap(({ body }) => fieldsOf(body.toString()));

const NAMES = [
  ...new Set(SEEDS.flatMap((fields) => fields.map(([name]) => name))),
  'deducedSettlementAmount',
  'type',
  'additionalFields',
  'warnings',
  '__proto__',
  'constructor',
  'toString',
  'then',
  'toJSON',
  'length',
  '',
  '\u202e',
  'a\nb',
];

const STRINGS = [
  '',
  ' ',
  '0',
  '1790000000',
  '2026-09-21T14:34:20.5+02:00',
  '2026-02-30T00:00:00Z',
  '-1',
  '1E-8',
  '1e1000000',
  '0x10',
  'NaN',
  'Infinity',
  '1_000',
  '12,5',
  '__proto__',
  'constructor',
  'toString',
  'CONFIRMED',
  'COMPLETED',
  'FAILED',
  'BLOCKED',
  'FIXED',
  'rAddress?dt=1',
  '?dt=1',
  'rAddress?dt=',
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  '\u0000',
  '\n',
  '\r\n2026-11-21 INFO forged',
  '\u001b[2J',
  '\u0085',
  '\u2028',
  '\u202e\u2066',
  '\ud800',
  '\udc00\ud800',
  '🧾',
  '"',
  '\\',
  'x'.repeat(129),
  '1'.repeat(129),
  '1'.repeat(78),
];

const NUMBERS = [
  ...['0', '-0', '1', '-1', '1e78', '1e79', '1e-78', '1e-79', '1e400', '-1e400', '1e-400'],
  ...['5e-324', '1.7976931348623157e308', '9007199254740993', '1e999999999'],
  ...['0.1234567890123456789', '123456789012345678901234567890', `0.${'1'.repeat(126)}`],
  ...['9'.repeat(78), '9'.repeat(79), `1${'0'.repeat(200)}`],
  ...['99999999999', '100000000000', '99999999999999', '100000000000000', '1790000000.5'],
];

const VALUES = [
  ...STRINGS.map((text) => JSON.stringify(text)),
  ...NUMBERS,
  ...['null', 'true', 'false', '{}', '[]', '[1]', '[[[[]]]]', '{"__proto__":{"x":1}}'],
  ...['{"name":"","category":""}', '{"name":1}', '{"name":null,"category":"x","score":0.5}'],
];

const anyName = fc.constantFrom(...NAMES);
const anyValue = fc.constantFrom(...VALUES);
const anyString = fc.constantFrom(...STRINGS);
const aboutNumbers = ['0', '9', '.', '-', '+', 'e', 'E', 'e5', 'e-90'];
const numberPart = fc.constantFrom(...aboutNumbers, '0'.repeat(20), '7'.repeat(70));
/** A place in a list or a text of whatever length. */
const place = fc.nat({ max: 0xffff });

/**
 * What stands at a place.
 *
 * @template T
 * @param {readonly T[]} list Not empty.
 * @param {number} at
 */
const pick = (list, at) => /** @type {T} */ (list[at % list.length]);

/** @param {string} text @param {number} at @param {string} part */
const insert = (text, at, part) => text.slice(0, at) + part + text.slice(at);

/** @type {fc.Arbitrary<FieldMutation>} */
const fieldMutation = fc.oneof(
  // Dropped.
  place.map((at) => (fields) => void fields.splice(at % fields.length, 1)),
  // Repeated elsewhere.
  fc.tuple(place, place).map(([from, to]) => (fields) => {
    fields.splice(to % fields.length, 0, [...pick(fields, from)]);
  }),
  // Two values exchanged.
  fc.tuple(place, place).map(([from, to]) => (fields) => {
    const [a, b] = [pick(fields, from), pick(fields, to)];
    [a[1], b[1]] = [b[1], a[1]];
  }),
  // Renamed.
  fc.tuple(place, anyName).map(([at, name]) => (fields) => {
    pick(fields, at)[0] = name;
  }),
  // Given another value.
  fc.tuple(place, anyValue).map(([at, value]) => (fields) => {
    pick(fields, at)[1] = value;
  }),
  // Added.
  fc.tuple(anyName, anyValue).map(
    ([name, value]) =>
      (fields) =>
        void fields.push([name, value]),
  ),
  // Wrapped.
  fc.tuple(place, fc.constantFrom('[', '{"name":', '{"x":')).map(([at, start]) => (fields) => {
    const field = pick(fields, at);
    field[1] = start + field[1] + (start === '[' ? ']' : '}');
  }),
  // A string into what it holds, or anything else into a string.
  place.map((at) => (fields) => {
    const field = pick(fields, at);
    field[1] = field[1].startsWith('"') ? field[1].slice(1, -1) : JSON.stringify(field[1]);
  }),
  // A part of a number put in anywhere.
  fc.tuple(place, place, numberPart).map(([at, where, part]) => (fields) => {
    const field = pick(fields, at);
    field[1] = insert(field[1], where % (field[1].length + 1), part);
  }),
  // Hostile text put into a string.
  fc.tuple(place, place, anyString).map(([at, where, text]) => (fields) => {
    const field = pick(fields, at);
    if (!field[1].startsWith('"')) return;
    const part = JSON.stringify(text).slice(1, -1);
    field[1] = insert(field[1], 1 + (where % (field[1].length - 1)), part);
  }),
);

const TOKENS = [...'{}[],:"\\1e.- ', 'null', '"status"'];
const INVALID_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x80], [0xe2, 0x82], [0]];

/** @type {fc.Arbitrary<ByteMutation>} */
const byteMutation = fc.oneof(
  // Cut off.
  place.map((at) => (bytes) => bytes.subarray(0, at % (bytes.length + 1))),
  // Bits flipped.
  fc.array(place, { minLength: 1, maxLength: 3 }).map((places) => (bytes) => {
    const copy = Buffer.from(bytes);
    for (const at of places) {
      const index = (at >> 3) % copy.length;
      copy[index] = (copy[index] ?? 0) ^ (1 << (at & 7));
    }
    return copy;
  }),
  // No UTF-8.
  fc.tuple(place, fc.constantFrom(...INVALID_UTF8)).map(([where, part]) => (bytes) => {
    const at = where % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(part), bytes.subarray(at)]);
  }),
  fc.constant((bytes) => Buffer.from(bytes.toString(), 'utf16le')),
  fc.constant((bytes) => Buffer.concat([bytes, bytes])),
  // Something else.
  fc.uint8Array({ maxLength: 40 }).map((noise) => () => Buffer.from(noise)),
  fc
    .array(fc.constantFrom(...TOKENS), { maxLength: 40 })
    .map((tokens) => () => Buffer.from(tokens.join(''))),
);

const gap = fc.constantFrom('', '', ' ', '\n  ');
/** @type {fc.Arbitrary<ByteMutation | null>} */
const rareByteMutation = fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, byteMutation);

/** A body as bytes, mostly still JSON. */
export const bytesBody = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fieldMutation, { maxLength: 3 }),
    gap,
    rareByteMutation,
  )
  .map(([seed, mutations, space, mutateBytes]) => {
    /** @type {Fields} */
    const fields = seed.map(([name, json]) => [name, json]);
    for (const mutate of mutations) if (fields.length > 0) mutate(fields);
    const members = fields.map(([name, json]) => `${space}${JSON.stringify(name)}:${space}${json}`);
    const bytes = Buffer.from(`{${members.join(',')}}`);
    return mutateBytes === null ? bytes : mutateBytes(bytes);
  });

/** The same as text. */
export const textBody = bytesBody.map((bytes) => bytes.toString());

const throws = () => {
  throw new Error('trapped');
};
/** Throws when it is read, copied or inspected. */
const trap = new Proxy(
  {},
  { get: throws, ownKeys: throws, getPrototypeOf: throws, getOwnPropertyDescriptor: throws },
);

/** What only an object can hold. @type {(() => unknown)[]} */
const HOSTILE_VALUES = [
  () => undefined,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => -0,
  () => 0.1234567890123456,
  () => 10n ** 40n,
  () => Symbol('x'),
  () => () => 1,
  () => new Date(0),
  () => new Date(Number.NaN),
  () => new Map([['status', 'CONFIRMED']]),
  () => Object(1),
  () => Object('1'),
  () => Object.create(null),
  () => ({ toJSON: () => '1', toString: () => '1', valueOf: () => 1 }),
  () => {
    /** @type {Record<string, unknown>} */
    const cycle = {};
    cycle.self = cycle;
    return cycle;
  },
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => ({
    name: 'x',
    get category() {
      return throws();
    },
  }),
  () => trap,
  () => globalThis,
];

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
});

/** @type {fc.Arbitrary<() => unknown>} */
const hostileValue = fc.oneof(
  { arbitrary: fc.constantFrom(...HOSTILE_VALUES), weight: 20 },
  anything.map((value) => () => value),
);

/** @type {fc.Arbitrary<(body: object) => object>} */
const objectMutation = fc.oneof(
  {
    arbitrary: fc.tuple(anyName, hostileValue).map(
      ([name, make]) =>
        (body) =>
          Object.defineProperty(body, name, { ...PLAIN, writable: true, value: make() }),
    ),
    weight: 6,
  },
  {
    arbitrary: anyName.map(
      (name) => (body) => Object.defineProperty(body, name, { ...PLAIN, get: throws }),
    ),
    weight: 2,
  },
  fc.constant((body) => new Proxy(body, {})),
  fc.constant((body) => Object.setPrototypeOf(body, null)),
  fc.constant((body) => Object.setPrototypeOf(body, { network: 'inherited', x: 1 })),
);
const PLAIN = { enumerable: true, configurable: true };

/** A body that was parsed already, or what is passed by mistake. @type {fc.Arbitrary<() => unknown>} */
const objectBody = fc
  .tuple(textBody, fc.array(objectMutation, { maxLength: 3 }), hostileValue)
  .map(([text, mutations, makeOther]) => () => {
    const body = parseObject(text);
    if (body === null) return makeOther();
    return mutations.reduce((object, mutate) => mutate(object), body);
  });

/**
 * Any body: bytes, text or an object. It comes as a function that makes it, afresh for each use: fast-check
 * itself would trip over some of them.
 *
 * @type {fc.Arbitrary<() => unknown>}
 */
export const anyBody = fc.oneof(
  bytesBody.map((bytes) => () => bytes),
  textBody.map((text) => () => text),
  objectBody,
);

/**
 * Hostile bodies without end: bytes, text and objects. The same seed gives the same ones.
 *
 * @param {number} seed A whole number.
 * @returns {Generator<unknown, never>}
 */
export function* bodiesFrom(seed) {
  for (const makeBody of sampleFrom(anyBody, seed)) yield makeBody();
  throw new Error('unreachable');
}

/**
 * Hostile bodies without end, as text that is mostly JSON. The same seed gives the same ones.
 *
 * @param {number} seed A whole number.
 * @returns {Generator<string, never>}
 */
export function textBodiesFrom(seed) {
  return sampleFrom(textBody, seed);
}

/**
 * @template T
 * @param {fc.Arbitrary<T>} arbitrary
 * @param {number} seed
 * @returns {Generator<T, never>}
 */
function* sampleFrom(arbitrary, seed) {
  for (let next = seed; ; next += 1) yield* fc.sample(arbitrary, { seed: next, numRuns: 256 });
}

/** @param {string} text @returns {object | null} */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @returns {Fields[]} One, or none where it is no JSON object.
 */
function fieldsOf(text) {
  try {
    // With every digit of its numbers.
    const value = parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return [Object.entries(value).map(([name, item]) => [name, String(stringify(item))])];
  } catch {
    return [];
  }
}
