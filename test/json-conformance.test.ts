import { safeParseDepositReceived } from 'payment-notifications';
import { describe, expect, test } from 'vitest';

/*
 * JSON as RFC 8259 defines it, case by case: validity must be judged as the native JSON.parse judges it,
 * whichever reader is at work. A case stands where a value stands, so each is tried three times: as the
 * whole body, as a field, and as a field beside a number that makes the exact reader read the body, too.
 */

// biome-ignore format: one case a line would fill pages
const VALID = {
  'numbers (section 6)': [
    '0', '-0', '1', '-1', '9', '10', '123456789', '-123456789', '0.0', '-0.0', '0.1', '-0.1', '1.0',
    '1.10', '10.01', '0.000000000000000001', '0e0', '0E0', '0e+0', '0e-0', '1e1', '1E1', '1e+1',
    '1e-1', '1E+1', '1E-1', '1.5e1', '1.5E-1', '-1.5e+1', '1e01', '1e00', '1e-00', '1e400',
    '-1e400', '1e-400', '1e99999999999999999999', '0e99999999999999999999', '9007199254740993',
    '-9007199254740993', '123456789012345678901234567890', '0.123456789012345678',
    '0.1234567890123456789012345678901234567890', '1.7976931348623157e308', '5e-324',
    '100000000000000000000', '1.0000000000000000000000000000000001',
  ],
  'literals (section 3)': ['true', 'false', 'null'],
  'strings (section 7)': [
    '""', '" "', '"a"', '"0"', '"null"', '"\\""', '"\\\\"', '"\\/"', '"/"', '"\\b"', '"\\f"',
    '"\\n"', '"\\r"', '"\\t"', '"\\u0000"', '"\\u001f"', '"\\u0020"', '"\\u00e9"', '"\\u00E9"',
    '"\\uabcd"', '"\\uABCD"', '"\\uFFFF"', '"\\uFFFE"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"',
    '"\\ud800"', '"\\udc00"', '"\\ud800\\ud800"', '"\\udc00\\ud800"', '"\\ud800a"', '"é"', '"€"',
    '"😀"', '"\u007f"', '"\u0080"', '"\u00a0"', '"\u2028"', '"\u2029"', '"\ufeff"', '"\ufffd"',
    '"\uffff"', '"\u202e"', '"\ud800"', '"\udfff"', '"a\\u0000b"', '"\\\\u0000"', '"\\\\n"',
    '"[]{}:,"', '"//"', '"/* */"', '"\'"',
  ],
  'arrays (section 5)': [
    '[]', '[ ]', '[1]', '[1,2]', '[ 1 , 2 ]', '[[]]', '[[],[]]', '[[[[[[[[]]]]]]]]', '[null]',
    '[true,false,null,0,"",[],{}]', '["a",1,{"b":[2]}]', '[1\n,\n2]', '[\t]', '[\r\n]',
  ],
  'objects (section 4)': [
    '{}', '{ }', '{"a":1}', '{"a":1,"b":2}', '{ "a" : 1 , "b" : 2 }', '{"":0}', '{"a":{}}',
    '{"a":{"b":{"c":{}}}}', '{"a":1,"a":2}', '{"a":1,"a":1}', '{"a":{},"a":[]}', '{"a":0,"a":-0}',
    '{"a\\u0000b":1}', '{"\\u0061":1,"a":2}', '{"__proto__":1}', '{"__proto__":{"a":1}}',
    '{"__proto__":null}', '{"constructor":1}', '{"toString":1}', '{"hasOwnProperty":1}',
    '{"length":1}', '{"0":1,"1":2}', '{"\\ud800":1}', '{"a":[]}', '{"a":""}', '{"a":null}',
    '{"\n":1}'.replace('\n', '\\n'),
  ],
  'white space (section 2)': [
    ' 1', '1 ', '\t1', '\n1', '\r1', '\r\n 1 \t', ' [ ] ', ' { } ', '\n{\n"a"\n:\n1\n}\n',
  ],
};

// biome-ignore format: one case a line would fill pages
const INVALID = {
  'numbers (section 6)': [
    '00', '01', '-01', '-', '+1', '+', '.5', '-.5', '1.', '-1.', '1.e1', '.e1', '1e', '1e+', '1e-',
    '1E', '1ee1', '1e1.5', '1e1e1', '1.5.5', '--1', '+-1', '1-1', '0x10', '0b1', '0o7', '1_000',
    '1,5', '1a', '1n', 'Infinity', '-Infinity', 'NaN', '-NaN', 'inf', 'nan', '١', '１', '1 2', '- 1',
    '1 .5', '1. 5', '1 e5', '1e 5', '0.1.2', '1.0e', '2.e3', '9.e+', '1f', '0_1', '1e1_0',
  ],
  'literals (section 3)': [
    'True', 'FALSE', 'Null', 'tru', 'fals', 'nul', 'truee', 'nulll', 'undefined', 'none', 'yes',
    'tru e', 'nu\\u006cl', 'a', '$',
  ],
  'strings (section 7)': [
    '"', '"a', 'a"', "'a'", '`a`', '"\\"', '"\\a"', '"\\v"', '"\\0"', '"\\x41"', '"\\u"', '"\\u1"',
    '"\\u12"', '"\\u123"', '"\\u123g"', '"\\u{41}"', '"\\U0041"', '"\\\n"', '"\n"', '"\r"', '"\t"',
    '"\b"', '"\f"', '"\u0000"', '"\u0001"', '"\u001f"', '"a""b"', '"a" "b"', '"a"b', '"\\\'"',
    '"\\ "', '"\\é"', '\\"a"', '"\\u00G0"', '"\\u-123"', '"\\u 123"', '"""', '“a”',
  ],
  'arrays (section 5)': [
    '[', ']', '[[', '[1', '[1,', '[1,]', '[,1]', '[,]', '[1,,2]', '[1 2]', '[1;2]', '[1:2]',
    '["a":1]', '[}', '[1}', '[1]]', '[]]', '[][]', '[a]', '[...1]', '[1, // x\n2]', '[/**/]', '(1)',
    '[1)', '["a', '[+1]', '[01]', '[-]', '[tru]',
  ],
  'objects (section 4)': [
    '{', '}', '{{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{,"a":1}',
    '{"a":1,,"b":2}', '{"a" 1}', '{"a"::1}', '{"a"=1}', '{a:1}', "{'a':1}", '{1:1}', '{null:1}',
    '{"a"}', '{"a","b"}', '{"a":1;"b":2}', '{"a":1 "b":2}', '{]', '{"a":1]', '{}}', '{}{}',
    '{[]:1}', '{"a":}', '{:1}', '{"a":1}}', '{"a":1}#', '{"a":1}//', '{"a":1}/**/', '{...{}}',
    '{"a":1,"b"}', '{"a":1,"b":}', '{"a":undefined}', '{"a":NaN}', '{"a":01}', '{"a":.5}',
    '{"a":1.}', '{"a":+1}', '{"a":0x1}',
  ],
  'white space (section 2)': [
    '', ' ', '\n', '\u00a0 1', '1\u00a0', '\u000b1', '\u000c1', '\u20281', '\u30001', '\u00851',
    '1\u0000', '\u00001', '\u200b1', '[\u00a0]', '{\ufeff}',
  ],
};

const LONG = '0.1234567890123456789';

function isValid(body: string | Uint8Array): boolean {
  const result = safeParseDepositReceived(body);
  return result.success || result.error.issues.every(({ code }) => code !== 'invalid_json');
}

function isNativelyValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const cases = (suite: Record<string, string[]>) =>
  Object.entries(suite).flatMap(([section, texts]) =>
    texts.map((text) => ({ section, text, shown: JSON.stringify(text) })),
  );

describe.each([
  { kind: 'valid', suite: VALID, isExpected: true },
  { kind: 'invalid', suite: INVALID, isExpected: false },
])('what RFC 8259 makes $kind', ({ suite, isExpected }) => {
  test.each(cases(suite))('$section: $shown', ({ text }) => {
    for (const body of [text, `{"x":${text}}`, `{"long":${LONG},"x":${text}}`]) {
      expect(isNativelyValid(body), body).toBe(isExpected);
      expect(isValid(body), body).toBe(isExpected);
    }
  });
});

/** Encodings (section 8.1): UTF-8 and nothing else; a byte-order mark may be ignored. */
const ENCODINGS: [name: string, bytes: number[], isExpected: boolean][] = [
  ['ASCII', [0x7b, 0x7d], true],
  ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], true],
  ['two byte-order marks', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x7b, 0x7d], false],
  ['a byte-order mark and nothing else', [0xef, 0xbb, 0xbf], false],
  ['2 bytes a character', [0x22, 0xc3, 0xa9, 0x22], true],
  ['3 bytes a character', [0x22, 0xe2, 0x82, 0xac, 0x22], true],
  ['4 bytes a character', [0x22, 0xf0, 0x9f, 0x98, 0x80, 0x22], true],
  ['the last character', [0x22, 0xf4, 0x8f, 0xbf, 0xbf, 0x22], true],
  ['beyond the last character', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], false],
  ['Latin-1', [0x22, 0xe9, 0x22], false],
  ['a character cut off', [0x22, 0xe2, 0x82, 0x22], false],
  ['a lone continuation', [0x22, 0x80, 0x22], false],
  ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], false],
  ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22], false],
  ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], false],
  ['an encoded pair of surrogates', [0x22, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x22], false],
  ['the byte FE', [0x22, 0xfe, 0x22], false],
  ['the byte FF', [0x22, 0xff, 0x22], false],
  ['a NUL byte in front', [0x00, 0x7b, 0x7d], false],
  ['a NUL byte behind', [0x7b, 0x7d, 0x00], false],
  ['UTF-16, little end first', [0x7b, 0x00, 0x7d, 0x00], false],
  ['UTF-16, big end first', [0x00, 0x7b, 0x00, 0x7d], false],
  ['UTF-16 with a byte-order mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00], false],
  ['UTF-32', [0x7b, 0x00, 0x00, 0x00, 0x7d, 0x00, 0x00, 0x00], false],
];

describe('the encoding of bytes', () => {
  test.each(ENCODINGS)('%s', (_, bytes, isExpected) => {
    expect(isValid(Uint8Array.from(bytes))).toBe(isExpected);
  });
});

test('the suite is large enough to mean something', () => {
  const count = cases(VALID).length + cases(INVALID).length + ENCODINGS.length;
  expect(count).toBeGreaterThanOrEqual(200);
});
