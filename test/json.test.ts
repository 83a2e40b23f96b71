import fc from 'fast-check';
import { parse as parseLosslessly } from 'lossless-json';
import {
  notificationFromJSON,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseExactly } from '../src/internal/json.js';
import { runs } from './fuzz/random.js';
import { anyText, exactnessFault, LAST_ONE_COUNTS } from './fuzz/texts.js';
import { deposit, read, withdrawal } from './sample-bodies.js';

const LONG = '0.123456789012345678';

afterEach(() => vi.restoreAllMocks());

describe('numbers', () => {
  // For many more texts: RUNS=200000.
  test('of unknown fields are exact at any depth, and equal after JSON', () => {
    const sample = deposit();
    fc.assert(
      fc.property(anyText, (text) => {
        const exact = parseLosslessly(text, undefined, LAST_ONE_COUNTS);
        expect(exactnessFault(parseExactly(text) ?? JSON.parse(text), exact)).toBeNull();

        const members = text.trim().slice(1, -1).trim();
        const body = `${sample.slice(0, -1)}${members && `,${members}`}}`;
        const { notification } = safeParseDepositReceived(body);
        if (notification === undefined) throw new Error('refused');
        expect(exactnessFault(notification.additionalFields, exact)).toBeNull();
        const json = JSON.stringify(notification);
        expect(JSON.stringify(notificationFromJSON(json))).toBe(json);
      }),
      { numRuns: runs(10_000) },
    );
  });

  test('are read after names and strings that look like something else', () => {
    const text = String.raw`{"\"a\":1\\":${LONG},"\u0062":1,"x":"}]{[\\\"","y":[{"z":${LONG}}],"c":"${LONG}"}`;
    expect(parseExactly(text)).toStrictEqual({
      '"a":1\\': LONG,
      b: 1,
      x: '}]{[\\"',
      y: [{ z: LONG }],
      c: LONG,
    });
  });

  test('of an ordinary body are found without looking at its strings', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const replace = vi.spyOn(String.prototype, 'replace');
    const exact = parseExactly(`{"a":"b","c": ${LONG},"d":{"e":-1.25}}`);
    // Counted before a matcher could call them itself.
    expect([parse, replace].map(({ mock }) => mock.calls.length)).toStrictEqual([1, 0]);
    expect(exact).toStrictEqual({ a: 'b', c: LONG, d: { e: -1.25 } });
  });

  test('are read beside a string that holds a colon and a long number', () => {
    expect(parseExactly(`{"a":"b: ${LONG}","c":${LONG},"d":{"e":":${LONG}"}}`)).toStrictEqual({
      a: `b: ${LONG}`,
      c: LONG,
      d: { e: `:${LONG}` },
    });
  });

  test.each([
    '{"a":0.12345678,"b":1790000000,"c":"0.1234567890123456789","d":{"x":1},"e":true,"E":null}',
    '{"a":123456789012345}',
    '{"a":-12345678901234}',
    '{"transactionId":"e1234567890123456789012345678901234567890","x":"1e400"}',
  ])('are not read twice in %s', (text) => {
    expect(parseExactly(text)).toBeNull();
  });

  test.each([
    ...['1234567890123456', '-0.12345678901234', '9007199254740991', '1e-7', '1e+21'],
    ...['-0.0000012345678901234567', '123456789012345680000'],
    ...['1.0000000000000', '-1.50000000000'],
  ])('stay numbers if they are short, or printed as sent: %s', (literal) => {
    expect(parseExactly(`{"a":\n${literal}}`)).toBeNull();
    expect(parseExactly(`{"a":[${literal}]}`)).toBeNull();
  });

  test('may be as long as a body', () => {
    const literal = '9'.repeat(60_000);
    const { additionalFields } = read(safeParseDepositReceived(deposit({ x: `[${literal}]` })));
    expect(additionalFields.x).toStrictEqual([literal]);
  });

  test.each([
    ...['9007199254740993', '9007199254740.9935', '1E400', '-1E-400', '1.0000000000000000', '1e21'],
    ...['-1.5000000000000', '0.0123456789012340', '0.00000012345678901'],
  ])('are text if JavaScript prints them in another way: %s', (literal) => {
    expect(parseExactly(`{"a":\n${literal}}`)).toStrictEqual({ a: literal });
    expect(parseExactly(`{"a":[${literal}]}`)).toStrictEqual({ a: [literal] });
  });
});

describe('additionalFields', () => {
  test('have the digits of an unreadable amount, and of two spellings that differ in the last', () => {
    const { additionalFields } = read(safeParseDepositReceived(deposit({ onChainFee: '1e999' })));
    expect(additionalFields).toStrictEqual({ onChainFee: '1e999' });
    const conflict = withdrawal({
      deductedSettlementAmount: LONG,
      deducedSettlementAmount: '0.123456789012345679',
    });
    expect(read(safeParseWithdrawalBroadcast(conflict)).additionalFields).toStrictEqual({
      deductedSettlementAmount: LONG,
      deducedSettlementAmount: '0.123456789012345679',
    });
  });

  test('of an owner have the digits, too', () => {
    const owner = `{"name":"x","category":"y","score":${LONG},"more":[{"of":1e999}]}`;
    const { txAddressOwner } = read(
      safeParseWithdrawalBroadcast(withdrawal({ txAddressOwner: owner })),
    );
    expect(txAddressOwner.additionalFields).toStrictEqual({ score: LONG, more: [{ of: '1e999' }] });
  });

  test('hold a text field that is a long number, which is not read as text', () => {
    const result = read(safeParseDepositReceived(deposit({ network: '12345678901234567890' })));
    expect(result.network).toBeNull();
    expect(result.warnings.map(({ message }) => message)).toStrictEqual([
      'network: expected a non-empty string, received a number',
    ]);
    expect(result.additionalFields).toStrictEqual({ network: '12345678901234567890' });
  });
});
