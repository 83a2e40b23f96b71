import fc from 'fast-check';
import { parse as parseLosslessly } from 'lossless-json';
import { safeParseDepositReceived } from 'payment-notifications';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseLiterally } from '../../src/parser/json.js';
import { runs } from '../fuzz/runs.js';
import { anyText, exactnessFault, LAST_ONE_COUNTS } from '../fuzz/texts.js';
import { deposit, read, type Wire } from '../sample-bodies.js';

const LONG = '0.123456789012345678';

// For many more texts: RUNS=200000.
test('numbers of unknown fields are the text of their literals at any depth', () => {
  const sample = deposit();
  fc.assert(
    fc.property(anyText, (text) => {
      const exact = parseLosslessly(text, undefined, LAST_ONE_COUNTS);
      expect(exactnessFault(parseLiterally(text), exact)).toBeNull();

      const members = text.trim().slice(1, -1).trim();
      const body = `${sample.slice(0, -1)}${members && `,${members}`}}`;
      const { additionalFields } = read(safeParseDepositReceived(body));
      expect(exactnessFault(additionalFields, exact)).toBeNull();
    }),
    { numRuns: runs(10_000) },
  );
});

const VERY_LONG = '9'.repeat(60_000);

test.each<[what: string, members: Record<string, Wire>, kept: Record<string, unknown>]>([
  ['an amount that is unreadable', { onChainFee: '1e999' }, { onChainFee: '1e999' }],
  ['a number in a field of text', { network: VERY_LONG }, { network: VERY_LONG }],
  ['a number as long as a body', { x: `[${VERY_LONG}]` }, { x: [VERY_LONG] }],
])('%s keeps its digits', (_, members, kept) => {
  const { additionalFields } = read(safeParseDepositReceived(deposit(members)));
  expect(additionalFields).toStrictEqual(kept);
});

// To parse it twice takes twice as long.
test.each<[times: number, what: string, members: Record<string, Wire>]>([
  [1, 'with amounts of 15 characters', { onChainFee: '-0.123456789012' }],
  [1, 'with a long number in a string', { x: `"${LONG}"`, onChainFee: `"${LONG}"` }],
  [1, 'with a text that may be an exponent', { transactionId: '"e1234567890123456789"' }],
  [2, 'with an amount of 16 characters', { onChainFee: '-0.1234567890123' }],
  [2, 'with an amount with an exponent', { onChainFee: '\n1E1' }],
  [2, 'with an unknown number', { x: '1' }],
])('text is parsed %i times %s', (times, _, members) => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const body = deposit(members);
  parse.mockClear();
  safeParseDepositReceived(body);
  expect(parse).toHaveBeenCalledTimes(times);
});
