import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import {
  type NotificationError,
  notificationFromJSON,
  parseDepositReceived,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fixture } from './fixtures.js';
import {
  deposit,
  errorOf,
  FIELDS,
  issuesOf,
  messagesOf,
  read,
  revoked,
  withdrawal,
} from './wire.js';

const TEXT = deposit();
const LIMIT = 64 * 1024;

/** A valid deposit of so many bytes. */
function padded(bytes: number, filler = 'x'): string {
  const start = deposit({ filler: '""' });
  const missing = bytes - Buffer.byteLength(start);
  const size = Buffer.byteLength(filler);
  const fill = filler.repeat(Math.floor(missing / size)) + 'x'.repeat(missing % size);
  return deposit({ filler: JSON.stringify(fill) });
}

describe('a body', () => {
  const bytes = Buffer.from(TEXT);
  test.each([
    ['text', TEXT],
    ['text with a byte-order mark', `\uFEFF${TEXT}`],
    ['a Buffer', bytes],
    ['a Buffer with a byte-order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    ['a Uint8Array', new Uint8Array(bytes)],
    ['a part of a larger buffer', Buffer.from(`xx${TEXT}xx`).subarray(2, -2)],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer],
    ['bytes of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes })],
    [
      'an ArrayBuffer of another realm',
      runInNewContext('Uint8Array.from(bytes).buffer', { bytes }),
    ],
    ['a parsed object', JSON.parse(TEXT)],
    ['a parsed object without a prototype', Object.assign(Object.create(null), JSON.parse(TEXT))],
  ])('may be %s', (_, body) => {
    expect(parseDepositReceived(body)).toStrictEqual(parseDepositReceived(TEXT));
  });

  test('that was parsed already gives its numbers by their shortest decimal form', () => {
    const body = JSON.parse(deposit({ actualDepositAmount: '0.123456789012345678' }));
    expect(parseDepositReceived(body).actualDepositAmount.toString()).toBe('0.12345678901234568');
  });

  test('that was parsed already has no field where it holds undefined', () => {
    const body = { ...JSON.parse(TEXT), network: undefined, extra: undefined };
    expect(parseDepositReceived(body)).toMatchObject({ network: null, additionalFields: {} });
    expect(parseDepositReceived(body).additionalFields).not.toHaveProperty('network');
  });

  test('is not changed by reading it', () => {
    const body = JSON.parse(fixture('deposit-received/unknown-fields').body.toString());
    const before = JSON.stringify(body);
    parseDepositReceived(body);
    expect(JSON.stringify(body)).toBe(before);
  });

  test('that was parsed already counts only with its own fields', () => {
    const { depositId, ...own } = JSON.parse(TEXT);
    const body = Object.assign(Object.create({ depositId }), own);
    expect(messagesOf(safeParseDepositReceived(body))).toStrictEqual([
      'depositId: expected a UUID, received nothing',
    ]);
  });

  test.each([
    ['text', (text: string) => text, 'characters'],
    ['bytes', (text: string) => Buffer.from(text), 'bytes'],
  ])('of 64 KiB is read, and of one byte more refused, as %s', (_, encode, unit) => {
    expect(read(safeParseDepositReceived(encode(padded(LIMIT))))).toBeTypeOf('object');
    expect(errorOf(safeParseDepositReceived(encode(padded(LIMIT + 1)))).issues).toMatchObject([
      {
        code: 'body_too_large',
        path: [],
        message: `body: expected at most 65536 bytes, received 65537 ${unit}`,
      },
    ]);
  });

  test('is measured in bytes, as text too', () => {
    expect(read(safeParseDepositReceived(padded(LIMIT, '€')))).toBeTypeOf('object');
    expect(errorOf(safeParseDepositReceived(padded(LIMIT + 1, '€'))).issues).toMatchObject([
      {
        code: 'body_too_large',
        message: 'body: expected at most 65536 bytes, received 65537 bytes',
      },
    ]);
  });
});

/** Passes what the types refuse. */
const parseAnything = (body: unknown) => safeParseDepositReceived(body as RawBody);

const fails = () => {
  throw new Error('boom');
};

const THROWING = {
  get status() {
    return fails();
  },
};

// What an endpoint receives over the wire, e.g. a form or JSON null, is among the fixtures.
test.each<[string, unknown, string, string]>([
  [
    'undefined',
    undefined,
    'not_an_object',
    'nothing: pass the raw body, before anything else reads it',
  ],
  ['null', null, 'not_an_object', 'null'],
  ['a number', 5, 'not_an_object', '5'],
  ['a boolean', true, 'not_an_object', 'true'],
  ['a bigint', 5n, 'not_an_object', 'a bigint'],
  ['a symbol', Symbol('x'), 'not_an_object', 'a symbol'],
  ['a function', () => {}, 'not_an_object', 'a function'],
  ['an array', [{}], 'not_an_object', 'an array'],
  ['a Map', new Map(), 'not_an_object', 'a value of type "Map"'],
  ['a Date', new Date(), 'not_an_object', 'a value of type "Date"'],
  ['a promise', Promise.resolve(TEXT), 'not_an_object', 'a promise: await it first'],
  [
    'a stream',
    Readable.from([TEXT]),
    'not_an_object',
    'a stream or a request: read it first, and pass its text or bytes',
  ],
  [
    'a web stream',
    new Response(TEXT).body,
    'not_an_object',
    'a stream or a request: read it first, and pass its text or bytes',
  ],
  [
    'a Request',
    new Request('http://localhost', { method: 'POST', body: TEXT }),
    'not_an_object',
    'a request or response: pass what its text() resolves to',
  ],
  ['a form', new URLSearchParams('a=b'), 'not_an_object', 'a value of type "URLSearchParams"'],
  ['an object with throwing getters', THROWING, 'not_an_object', 'a value that fails to be read'],
  ['a revoked proxy', revoked(), 'not_an_object', 'a value that fails to be read'],
  [
    'what says that it is an ArrayBuffer, and has a length that throws',
    {
      [Symbol.toStringTag]: 'ArrayBuffer',
      get byteLength() {
        return fails();
      },
    },
    'invalid_json',
    'bytes that fail to be read',
  ],
  ['no text', '', 'invalid_json', 'an empty body: was it read already?'],
  ['white space', ' \r\n', 'invalid_json', 'an empty body: was it read already?'],
  ['base64', `${btoa(TEXT)}\n`, 'invalid_json', 'base64 text: decode it first'],
  ['a JSON number', '1', 'not_an_object', '1'],
  ['JSON cut off', TEXT.slice(0, 50), 'invalid_json', 'JSON that breaks off after 50 characters'],
  ['two bodies', TEXT + TEXT, 'invalid_json', `${TEXT.length * 2} characters that are not JSON`],
  ['text with an equals sign', 'is a=b', 'invalid_json', '6 characters that are not JSON'],
  ['text with base64 in it', 'is eyJh', 'invalid_json', '7 characters that are not JSON'],
  ['text that begins like base64', 'eyJh is', 'invalid_json', '7 characters that are not JSON'],
  ['other text', 'hello', 'invalid_json', '5 characters that are not JSON'],
  ['UTF-16', Buffer.from(TEXT, 'utf16le'), 'invalid_json', 'text in UTF-16: send it in UTF-8'],
])('%s is refused with advice', (_, body, code, received) => {
  const { issues, notificationType, reference } = errorOf(parseAnything(body));
  expect(issues).toStrictEqual([
    {
      code,
      path: [],
      message: `body: expected a JSON object, received ${received}`,
      expected: 'a JSON object',
      received,
    },
  ]);
  expect(notificationType).toBe('deposit.received');
  expect(reference).toStrictEqual({});
});

describe('the cause of a refusal', () => {
  test('is the reason that JSON.parse gave, on one line', () => {
    const { cause } = errorOf(safeParseDepositReceived('{"a":\n\u202ex}')) as NotificationError;
    expect(cause).toBeInstanceOf(SyntaxError);
    expect((cause as Error).message).toMatch(/JSON/);
    expect((cause as Error).message).not.toMatch(/[\p{C}]/u);
  });

  test('is short, however long the engine makes it', () => {
    const { cause } = errorOf(safeParseDepositReceived(`{"a":${'x'.repeat(5000)}}`));
    expect((cause as Error).message.length).toBeLessThanOrEqual(200);
  });

  test('is what an object threw while it was read', () => {
    const { cause } = errorOf(safeParseDepositReceived(THROWING));
    expect(cause).toStrictEqual(new Error('boom'));
  });

  test('is not there without one', () => {
    expect(errorOf(safeParseDepositReceived('{}'))).not.toHaveProperty('cause');
    expect(errorOf(parseAnything(undefined))).not.toHaveProperty('cause');
  });
});

describe('a body nested very deeply', () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;

  test('is read where a double holds all its digits', () => {
    expect(read(safeParseDepositReceived(deposit({ deep }))).additionalFields).toHaveProperty(
      'deep',
    );
  });

  test('is read where the digits have to be looked up', () => {
    const body = deposit({ deep, actualDepositAmount: '0.123456789012345678' });
    const { actualDepositAmount } = read(safeParseDepositReceived(body));
    expect(actualDepositAmount.toString()).toBe('0.123456789012345678');
  });
});

describe('a hostile value in a field', () => {
  test.each([
    ['a revoked proxy', revoked(), 'an object'],
    ['an array', [], 'an array'],
    ['a function', fails, 'a function'],
    ['a revoked function', revokedFunction(), 'a function'],
    ['a symbol', Symbol('x'), 'a symbol'],
    ['a BigInt', 1n, 'a bigint'],
  ])("is that field's fault alone: %s", (_, value, received) => {
    const body = { ...JSON.parse(TEXT), network: value, rateType: value, onChainFee: value };
    const { warnings } = read(safeParseDepositReceived(body));
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      'wrong_type onChainFee',
      'wrong_type network',
      'wrong_type rateType',
    ]);
    for (const warning of warnings) expect(received).toContain(warning.received.split(' ')[1]);
  });
});

test("an owner that throws when it is read is that field's fault alone", () => {
  const body = { ...JSON.parse(withdrawal()), txAddressOwner: revoked() };
  const { txAddressOwner, warnings } = read(safeParseWithdrawalBroadcast(body));
  expect(txAddressOwner).toStrictEqual({ name: null, category: null, additionalFields: {} });
  expect(warnings.map(({ message }) => message)).toStrictEqual([
    'txAddressOwner: expected an object with name and category, received an object',
  ]);
});

describe('what somebody put onto Object.prototype', () => {
  const forms = [
    ['text', (body: string) => body],
    ['a parsed object', (body: string) => JSON.parse(body)],
  ] as const;

  /** Lets every object inherit a property while something runs. */
  function polluted<T>(name: string, run: () => T, value: unknown = 'polluted'): T {
    Object.assign(Object.prototype, { [name]: value });
    try {
      return run();
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
  }

  test.each(FIELDS)('is no $name of a $of', ({ of, name }) => {
    const others = { deductedSettlementAmount: undefined, x: '1' };
    for (const [, form] of forms) {
      const text = (of === 'deposit' ? deposit : withdrawal)({ ...others, [name]: undefined });
      const body = form(text);
      const parse = of === 'deposit' ? safeParseDepositReceived : safeParseWithdrawalBroadcast;
      const clean = parse(form(text));
      for (const value of ['polluted', null]) {
        const result = polluted(name, () => parse(body), value);
        expect(issuesOf(result)).toStrictEqual(issuesOf(clean));
        expect(result).toStrictEqual(clean);
      }
    }
  });

  test('is no field of an owner', () => {
    const body = withdrawal({ txAddressOwner: '{"category":"exchange"}' });
    const { txAddressOwner } = polluted('name', () => read(safeParseWithdrawalBroadcast(body)));
    expect(txAddressOwner).toMatchObject({ name: null, category: 'exchange' });
  });

  test.each(['withdrawalId', 'fields', 'transactionId'])('does not mislead by a %s', (name) => {
    const body = deposit({ transactionId: undefined });
    expect(polluted(name, () => safeParseNotification(body)).success).toBe(true);
    const refused = polluted(name, () => errorOf(safeParseNotification('{}')));
    expect(refused.reference).toStrictEqual({});
    expect(polluted(name, () => safeParseNotification('[')).success).toBe(false);
  });

  test('is no part of the JSON of a failed withdrawal', () => {
    const body = withdrawal({ status: '"FAILED"', toTxAddress: undefined });
    const { toTxAddress, txAddressOwner, ...json } = read(safeParseWithdrawalBroadcast(body));
    const forged = { raw: 'rForged', name: 'x', additionalFields: { x: 1 } };
    for (const name of ['toTxAddress', 'txAddressOwner', 'additionalFields', 'raw']) {
      const copy = polluted(name, () => notificationFromJSON(JSON.stringify(json)), forged);
      expect(copy).toMatchObject({ toTxAddress: null, additionalFields: {} });
      expect(copy).toHaveProperty('txAddressOwner', {
        name: null,
        category: null,
        additionalFields: {},
      });
    }
  });

  test('is no field of a notification that went through JSON', () => {
    const json = JSON.stringify(read(safeParseDepositReceived(deposit({ network: 'null' }))));
    const { network, ...rest } = JSON.parse(json);
    for (const name of ['network', 'memo', 'additionalFields']) {
      for (const form of [json, JSON.stringify(rest), rest]) {
        expect(polluted(name, () => notificationFromJSON(form))).toMatchObject({
          network: null,
          additionalFields: {},
        });
      }
    }
  });
});

test('a fault of ours is thrown as it is, and never becomes a refusal', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const bytes = Buffer.from(TEXT);
  const parse = vi.spyOn(JSON, 'parse').mockThrow(new RangeError('exhausted stack'));
  for (const body of [TEXT, bytes, new Uint8Array(bytes).buffer]) {
    expect(() => safeParseDepositReceived(body)).toThrow('exhausted stack');
  }
  parse.mockRestore();
  vi.spyOn(Object, 'keys').mockThrow(new TypeError('our bug'));
  expect(() => safeParseDepositReceived(TEXT)).toThrow('our bug');
});

function revokedFunction(): unknown {
  const { proxy, revoke } = Proxy.revocable(() => {}, {});
  revoke();
  return proxy;
}
