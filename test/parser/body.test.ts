import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  parseDepositReceived,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
} from 'payment-notifications';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fixture } from '../../fixtures/index.js';
import { deposit, errorOf, FIELDS, read, revoked, withdrawal } from '../sample-bodies.js';

const TEXT = deposit();
const LIMIT = 64 * 1024;

/** A valid deposit of that many bytes. */
function padded(bytes: number, filler = 'x'): string {
  const missing = bytes - Buffer.byteLength(deposit({ filler: '""' }));
  const size = Buffer.byteLength(filler);
  const fill = filler.repeat(Math.floor(missing / size)) + 'x'.repeat(missing % size);
  return deposit({ filler: JSON.stringify(fill) });
}

describe('a body', () => {
  const bytes = Buffer.from(TEXT);
  const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes });
  test.each([
    ['a part of a larger buffer', Buffer.from(`xx${TEXT}xx`).subarray(2, -2)],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer],
    ['bytes of another realm', foreign],
    ['an ArrayBuffer of another realm', foreign.buffer],
  ])('may be %s', (_, body) => {
    expect(parseDepositReceived(body)).toStrictEqual(parseDepositReceived(TEXT));
  });

  test.each([
    ['text', padded],
    ['bytes', (bytes: number) => Buffer.from(padded(bytes))],
    ['text of characters of three bytes', (bytes: number) => padded(bytes, '€')],
  ])('has at most 64 KiB, as %s', (_, bodyOf) => {
    expect(read(safeParseDepositReceived(bodyOf(LIMIT)))).toBeTypeOf('object');
    for (const bytes of [LIMIT + 1, 3 * LIMIT]) {
      const { issues } = errorOf(safeParseDepositReceived(bodyOf(bytes)));
      const message = `body: expected at most 65536 bytes, received ${bytes} bytes`;
      expect(issues).toMatchObject([{ code: 'body_too_large', path: [], message }]);
    }
  });

  test('that is very long is not measured', () => {
    const { issues } = errorOf(safeParseDepositReceived(padded(60 * LIMIT, '€')));
    expect(issues).toMatchObject([{ received: expect.stringMatching(/^at least \d{7} bytes$/) }]);
  });
});

const fails = () => {
  throw new Error('boom');
};

const THROWING = {
  get status() {
    return fails();
  },
};

// The fixtures have the mistakes that arrive over the wire, such as a form or JSON null.
describe('a body that holds no JSON object', () => {
  function expectRefused(body: unknown, code: string, received: string) {
    const { issues, notificationType, reference } = errorOf(
      safeParseDepositReceived(body as RawBody),
    );
    const message = `body: expected a JSON object, received ${received}`;
    expect(issues).toStrictEqual([
      { code, path: [], message, expected: 'a JSON object', received },
    ]);
    expect({ notificationType, reference }).toStrictEqual({
      notificationType: 'deposit.received',
      reference: {},
    });
  }

  const BUFFER = 'a Buffer that was written as JSON. Restore its bytes with Buffer.from(data)';
  const COMPRESSED = 'a compressed body. Decompress it first';
  const DECODED = 'compressed bytes that were decoded as text. Decompress the raw bytes first';
  const UTF_16 = 'text in UTF-16. Encode it in UTF-8';
  const REQUEST = 'a request or response. Pass the result of its text()';
  const UNREADABLE = "an object whose fields can't be read. Pass the raw body";
  const STREAM = 'a stream or a request. Read it first, and pass its text or bytes';

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'undefined. Pass the raw body, before middleware reads it'],
    ['a bigint', 5n, 'a bigint'],
    ['the JSON of a number', '5', '5'],
    ['an array', [{}], 'an array'],
    ['a Map', new Map(), 'a value of type "Map"'],
    ['a promise', Promise.resolve(TEXT), 'a promise. Await it first'],
    ['a stream', Readable.from([TEXT]), STREAM],
    ['a web stream', new Response(TEXT).body, STREAM],
    ['a Request', new Request('http://localhost'), REQUEST],
    ['a throwing getter', THROWING, UNREADABLE],
    ['a revoked proxy', revoked(), UNREADABLE],
    ['the JSON of a Buffer', JSON.stringify(Buffer.from(TEXT)), BUFFER],
  ])('is refused with advice: %s', (_, body, received) =>
    expectRefused(body, 'not_an_object', received),
  );

  const MARKED = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
  const MARK_AFTER_SPACE = 'a byte-order mark after white space. Remove it';

  test.each<[string, string | Buffer | ArrayBuffer, string]>([
    ['white space', ' \r\n', 'an empty body. Check whether something else read it first'],
    ['base64 with a line break', `${btoa(TEXT)}\n`, 'base64 text. Decode it first'],
    ['text with base64 in it', 'is eyJh', '7 characters that are not JSON'],
    ['text that begins like base64', 'eyJh is', '7 characters that are not JSON'],
    ['text with an equals sign', 'is a=b', '6 characters that are not JSON'],
    ['one character', 'x', '1 character that is not JSON'],
    ['white space in front', ' \n x', '4 characters that are not JSON'],
    ['one brace', '{', 'incomplete JSON, which ends at line 1, column 2'],
    ['a line that breaks off', '{"a":\r\n  [1,', 'incomplete JSON, which ends at line 2, column 6'],
    ['a decimal comma', '\ufeff{\n"a": 0,5}', 'JSON with an error at line 2, column 8'],
    ['a zero byte', '{}\0', 'JSON with an error at line 1, column 3'],
    ['NaN', '{"a":\n NaN}', 'JSON with NaN in place of a value at line 2, column 2'],
    ['-Infinity', '[-Infinity]', 'JSON with -Infinity in place of a value at line 1, column 2'],
    ['None', '{"a":None}', 'JSON with None in place of a value at line 1, column 6'],
    ['True', '{"a":True}', 'JSON with True in place of a value at line 1, column 6'],
    ['False', '{"a":False}', 'JSON with False in place of a value at line 1, column 6'],
    ['undefined', 'undefined', 'JSON with undefined in place of a value at line 1, column 1'],
    ['a word that begins alike', '{"a":Nonexistent}', 'JSON with an error at line 1, column 6'],
    ['two byte-order marks', Buffer.from('\ufeff\ufeff{}'), 'a second byte-order mark. Remove it'],
    ['a byte-order mark after a line break', '\r\n\ufeff{}', MARK_AFTER_SPACE],
    ['a byte-order mark inside', '{"a": \ufeff1}', 'JSON with an error at line 1, column 7'],
    ['UTF-16', MARKED.subarray(2), UTF_16],
    ['UTF-16 with a mark', MARKED, UTF_16],
    ['UTF-16 with a mark, the high byte first', Buffer.from(MARKED).swap16(), UTF_16],
    ['gzip', gzipSync(TEXT), COMPRESSED],
    ['gzip that was decoded', `${gzipSync(TEXT)}`, DECODED],
    ...[0, 2, 6, 9].map((level): [string, Buffer, string] => {
      return [`zlib of level ${level}`, deflateSync(TEXT, { level }), COMPRESSED];
    }),
    ...['fdff', '1fff', 'ff8b', '78ff', 'ff9c'].map((bytes): [string, Buffer, string] => {
      return [`the bytes ${bytes}`, Buffer.from(bytes, 'hex'), '2 bytes that are not UTF-8'];
    }),
    ['an ArrayBuffer of one byte', Uint8Array.of(0xff).buffer, '1 byte that is not UTF-8'],
  ])('is refused with advice: %s', (_, body, received) =>
    expectRefused(body, 'invalid_json', received),
  );

  test('is refused if it claims to be an ArrayBuffer with a length that throws', () => {
    const claimed = Object.defineProperty({}, 'byteLength', { get: fails });
    const body = Object.assign(claimed, { [Symbol.toStringTag]: 'ArrayBuffer' });
    expectRefused(body, 'invalid_json', 'bytes that throw when read');
  });
});

test.each(['{"type":"Buffer"}', '{"data":[123]}'])('%s is not taken for a Buffer', (body) => {
  const { issues } = errorOf(safeParseNotification(body));
  expect(issues[0].code).toBe('unrecognized_notification');
});

test('the cause of a refusal is what an object threw while it was read', () => {
  expect(errorOf(safeParseDepositReceived(THROWING)).cause).toStrictEqual(new Error('boom'));
  for (const body of ['{}', '[', Buffer.from([0xff]), [] as unknown as RawBody]) {
    expect(errorOf(safeParseDepositReceived(body))).not.toHaveProperty('cause');
  }
});

const bodyOf = (id: string) => fixture(id).body.toString();

// Each body lacks other fields, so that an inherited one would be seen in its place.
test.each<[of: string, body: string]>([
  ['a deposit without its optional fields', bodyOf('deposit-received/required-only')],
  ['a deposit without its required fields', '{"depositId":"x"}'],
  ['a withdrawal without its required fields', '{"withdrawalId":"x","status":"COMPLETED"}'],
  ['a failed withdrawal', bodyOf('withdrawal-broadcast/failed-with-identifiers-alone')],
  ['an owner', withdrawal({ txAddressOwner: '{"category":"exchange"}' })],
  ['the other spelling', bodyOf('withdrawal-broadcast/deduced-spelling')],
  ['an unknown notification', '{}'],
  ['what is no object', '['],
])('no property of Object.prototype is taken for a field of %s', (_, text) => {
  // A field by its place among the rules, and what the parser knows of a body, as well.
  const places = Array.from({ length: 30 }, (_, at) => `${at}`);
  const names = [...FIELDS.map(({ name }) => name), 'name', 'category', 'fields', ...places];
  const bodies = text === '[' ? [text] : [text, JSON.parse(text)];
  for (const body of bodies) {
    const clean = safeParseNotification(body);
    let polluted: unknown;
    for (const property of [
      { value: 'polluted', enumerable: true },
      { value: 'polluted', enumerable: false },
      { value: null, enumerable: true },
    ]) {
      try {
        for (const name of names) {
          const own = { ...property, configurable: true, writable: true };
          Object.defineProperty(Object.prototype, name, own);
        }
        polluted = safeParseNotification(body);
      } finally {
        for (const name of names) Reflect.deleteProperty(Object.prototype, name);
      }
      expect(polluted).toStrictEqual(clean);
    }
  }
});

test('a fault of the package is thrown as it is, and never becomes a refusal', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const bytes = Buffer.from(TEXT);
  const parse = vi.spyOn(JSON, 'parse').mockThrow(new RangeError('exhausted stack'));
  for (const body of [TEXT, bytes, new Uint8Array(bytes).buffer]) {
    expect(() => safeParseDepositReceived(body)).toThrow('exhausted stack');
  }
  parse.mockRestore();
  // Called for each string.
  vi.spyOn(String.prototype, 'isWellFormed').mockThrow(new TypeError('our bug'));
  expect(() => safeParseDepositReceived(TEXT)).toThrow('our bug');
});
