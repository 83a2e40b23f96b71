import fc from 'fast-check';
import { parse as parseLosslessly } from 'lossless-json';
import { safeParseDepositReceived } from 'payment-notifications';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseLiterally } from '../../src/parser/json.js';
import { runs } from '../fuzz/runs.js';
import { anyText, exactnessFault, LAST_ONE_COUNTS } from '../fuzz/texts.js';
import { deposit, read } from '../sample-bodies.js';

const LONG = '0.123456789012345678';

afterEach(() => vi.restoreAllMocks());

describe('numbers of unknown fields', () => {
  // For many more texts: RUNS=200000.
  test('are the text of their literals at any depth', () => {
    const sample = deposit();
    fc.assert(
      fc.property(anyText, (text) => {
        const exact = parseLosslessly(text, undefined, LAST_ONE_COUNTS);
        expect(exactnessFault(parseLiterally(text), exact)).toBeNull();

        const members = text.trim().slice(1, -1).trim();
        const body = `${sample.slice(0, -1)}${members && `,${members}`}}`;
        const { notification } = safeParseDepositReceived(body);
        if (notification === undefined) throw new Error('refused');
        expect(exactnessFault(notification.additionalFields, exact)).toBeNull();
      }),
      { numRuns: runs(10_000) },
    );
  });

  test('are found after names and strings that look like something else', () => {
    const text = String.raw`{"\"a\":1\\":${LONG},"\u0062":1,"x":"}]{[\\\"","y":[{"z":${LONG}}],"c":"${LONG}"}`;
    expect(parseLiterally(text)).toStrictEqual({
      '"a":1\\': LONG,
      b: '1',
      x: '}]{[\\"',
      y: [{ z: LONG }],
      c: LONG,
    });
  });

  test('may be as long as a body', () => {
    const literal = '9'.repeat(60_000);
    const { additionalFields } = read(safeParseDepositReceived(deposit({ x: `[${literal}]` })));
    expect(additionalFields.x).toStrictEqual([literal]);
  });
});

describe('text is read', () => {
  const timesRead = (body: string) => {
    const parse = vi.spyOn(JSON, 'parse');
    safeParseDepositReceived(body);
    return parse.mock.calls.length;
  };

  test.each([
    ['with amounts of 15 characters', { onChainFee: '-0.123456789012' }],
    ['with a long number in a string', { x: `"${LONG}"`, onChainFee: `"${LONG}"` }],
    ['with a text that may be an exponent', { transactionId: '"e1234567890123456789"' }],
  ])('once %s', (_, members) => {
    expect(timesRead(deposit(members))).toBe(1);
  });

  test.each([
    ['an amount of 16 characters', { onChainFee: '-0.1234567890123' }],
    ['an amount with an exponent', { onChainFee: '\n1E1' }],
    ['an unknown number', { x: '1' }],
  ])('twice with %s', (_, members) => {
    expect(timesRead(deposit(members))).toBe(2);
  });
});

test('an unreadable amount, and a long number in a field of text, keep their digits', () => {
  const body = deposit({ onChainFee: '1e999', network: '12345678901234567890' });
  const { network, additionalFields } = read(safeParseDepositReceived(body));
  expect(network).toBeNull();
  expect(additionalFields).toStrictEqual({ onChainFee: '1e999', network: '12345678901234567890' });
});
