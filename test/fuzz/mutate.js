import { fixtures } from '../fixtures.js';

/** @import { Random } from './random.js' */

/** @typedef {[name: string, json: string][]} Fields A JSON object, its values as JSON text. */

/** The fixtures that are JSON objects of a real size, field by field. */
const SEEDS = fixtures
  .filter(({ body }) => body.length < 4096)
  .flatMap(({ body }) => {
    const fields = fieldsOf(body.toString('utf8'));
    return fields === null ? [] : [fields];
  });

const NAMES = [
  ...new Set(SEEDS.flatMap((fields) => fields.map(([name]) => name))),
  'deducedSettlementAmount',
  'type',
  'additionalFields',
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

const VALUES = [
  ...STRINGS.map((text) => JSON.stringify(text)),
  ...['null', 'true', 'false', '{}', '[]', '[1]', '[[[[]]]]', '{"name":"","category":""}'],
  ...[
    '{"__proto__":{"x":1}}',
    '{"name":1}',
    '0',
    '-0',
    '1',
    '-1',
    '1e78',
    '1e79',
    '1e-78',
    '1e-79',
  ],
  ...[
    '1e400',
    '-1e400',
    '1e-400',
    '5e-324',
    '1.7976931348623157e308',
    '9007199254740993',
    '1e999999999',
  ],
  ...['0.1234567890123456789', '123456789012345678901234567890', `0.${'1'.repeat(126)}`],
  ...[
    '9'.repeat(78),
    '9'.repeat(79),
    `1${'0'.repeat(200)}`,
    '99999999999',
    '100000000000',
    '8.64e15',
  ],
  ...['8640000000000001', '1790000000.5'],
];

/** @type {((fields: Fields, random: Random) => void)[]} */
const FIELD_MUTATIONS = [
  function drop(fields, random) {
    fields.splice(random.below(fields.length), 1);
  },
  function duplicate(fields, random) {
    fields.splice(random.below(fields.length), 0, [...random.pick(fields)]);
  },
  function swap(fields, random) {
    const [a, b] = [random.pick(fields), random.pick(fields)];
    [a[1], b[1]] = [b[1], a[1]];
  },
  function rename(fields, random) {
    random.pick(fields)[0] = random.pick(NAMES);
  },
  function replace(fields, random) {
    random.pick(fields)[1] = random.pick(VALUES);
  },
  function add(fields, random) {
    fields.push([random.pick(NAMES), random.pick(VALUES)]);
  },
  function nest(fields, random) {
    const field = random.pick(fields);
    field[1] = random.oneIn(2) ? `[${field[1]}]` : `{"${random.pick(['name', 'x'])}":${field[1]}}`;
  },
  function retype(fields, random) {
    const field = random.pick(fields);
    field[1] = field[1].startsWith('"') ? field[1].slice(1, -1) : JSON.stringify(field[1]);
  },
  function mutateNumber(fields, random) {
    const field = random.pick(fields);
    const part = random.pick([
      '0',
      '9',
      '.',
      '-',
      '+',
      'e',
      'E',
      'e5',
      'e-90',
      '0'.repeat(20),
      '7'.repeat(70),
    ]);
    const at = random.below(field[1].length + 1);
    field[1] = field[1].slice(0, at) + part + field[1].slice(at);
  },
  function spliceString(fields, random) {
    const field = random.pick(fields);
    if (!field[1].startsWith('"')) return;
    const part = JSON.stringify(random.pick(STRINGS)).slice(1, -1);
    const at = 1 + random.below(field[1].length - 1);
    field[1] = field[1].slice(0, at) + part + field[1].slice(at);
  },
];

/** @type {((bytes: Buffer, random: Random) => Buffer)[]} */
const BYTE_MUTATIONS = [
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1));
  },
  function flip(bytes, random) {
    const copy = Buffer.from(bytes);
    for (let count = 1 + random.below(3); count > 0 && copy.length > 0; count -= 1) {
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    }
    return copy;
  },
  function breakEncoding(bytes, random) {
    const at = random.below(bytes.length + 1);
    const part = random.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x80], [0xe2, 0x82], [0]]);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(part), bytes.subarray(at)]);
  },
  function toUtf16(bytes) {
    return Buffer.from(bytes.toString('utf8'), 'utf16le');
  },
  function twice(bytes) {
    return Buffer.concat([bytes, bytes]);
  },
  function noise(bytes, random) {
    return Buffer.from(
      Array.from({ length: random.below(bytes.length + 1) }, () => random.below(256)),
    );
  },
  function jsonNoise(_bytes, random) {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '1',
      'e',
      '.',
      '-',
      'null',
      '"status"',
      ' ',
    ];
    return Buffer.from(Array.from({ length: random.below(40) }, () => random.pick(parts)).join(''));
  },
];

/** What only an object can hold. @type {(() => unknown)[]} */
const HOSTILE_VALUES = [
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => -0,
  () => 10n ** 40n,
  () => Symbol('x'),
  () => () => 1,
  () => undefined,
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
    get name() {
      throw new Error('trapped');
    },
  }),
];

/**
 * The next hostile body: text, bytes or an object, made from a fixture.
 *
 * @param {Random} random
 * @returns {unknown}
 */
export function nextBody(random) {
  const fields = random.pick(SEEDS).map((field) => /** @type {[string, string]} */ ([...field]));
  for (let count = random.below(4); count > 0 && fields.length > 0; count -= 1) {
    random.pick(FIELD_MUTATIONS)(fields, random);
  }
  const gap = random.pick(['', '', ' ', '\n  ']);
  const members = fields.map(([name, json]) => `${gap}${JSON.stringify(name)}:${gap}${json}`);
  /** @type {Buffer} */
  let bytes = Buffer.from(`{${members.join(',')}}`);
  if (random.oneIn(4)) bytes = random.pick(BYTE_MUTATIONS)(bytes, random);

  switch (random.below(3)) {
    case 0:
      return bytes;
    case 1:
      return bytes.toString('utf8');
    default:
      return nextObject(bytes.toString('utf8'), random);
  }
}

/**
 * @param {string} text
 * @param {Random} random
 */
function nextObject(text, random) {
  /** @type {any} */
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return random.pick(HOSTILE_VALUES)();
  }
  if (typeof body !== 'object' || body === null) return body;
  for (let count = random.below(3); count > 0; count -= 1) {
    const name = random.pick(NAMES);
    const make = random.pick(HOSTILE_VALUES);
    const property = { enumerable: true, configurable: true };
    if (random.oneIn(4)) {
      Object.defineProperty(body, name, {
        ...property,
        get() {
          throw new Error('trapped');
        },
      });
    } else {
      Object.defineProperty(body, name, { ...property, writable: true, value: make() });
    }
  }
  if (random.oneIn(8)) return Object.assign(Object.create(null), { ...safely(body) });
  return random.oneIn(8) ? new Proxy(body, {}) : body;
}

/** @param {object} body */
function safely(body) {
  try {
    return { ...body };
  } catch {
    return {};
  }
}

/**
 * @param {string} text
 * @returns {Fields | null}
 */
function fieldsOf(text) {
  try {
    const value = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, item]) => [name, JSON.stringify(item)]);
  } catch {
    return null;
  }
}
