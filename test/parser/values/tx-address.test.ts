import fc from 'fast-check';
import {
  joinToTxAddress,
  safeParseWithdrawalBroadcast,
  splitToTxAddress,
  type TxAddress,
} from 'payment-notifications';
import { describe, expect, test } from 'vitest';
import { read, refusalOf, withdrawal } from '../../sample-bodies.js';

const address = fc.string({ minLength: 1 }).filter((text) => !text.includes('?dt='));
const destinationTag = fc.option(fc.string({ minLength: 1 }));
const EXPECTED = 'an address, alone or followed by ?dt=<tag>';

describe('splitToTxAddress', () => {
  test.each([
    ['rAddress?dt=', 'rAddress', null],
    ['rAddress?dt=a%20b&c', 'rAddress', 'a%20b&c'],
    ['rAddress?dt=1?dt=2', 'rAddress', '1?dt=2'],
    ['rAddress?DT=1', 'rAddress?DT=1', null],
    ['rAddress?memo=1&dt=2', 'rAddress?memo=1&dt=2', null],
    [' rAddress ?dt= 1 ', ' rAddress ', ' 1 '],
  ])('splits %j', (raw, address, destinationTag) => {
    expect(splitToTxAddress(raw)).toStrictEqual({ raw, address, destinationTag });
  });

  test('gives back what was joined', () => {
    fc.assert(
      fc.property(address, destinationTag, (address, destinationTag) => {
        const raw = joinToTxAddress({ address, destinationTag });
        expect(splitToTxAddress(raw)).toStrictEqual({ raw, address, destinationTag });
      }),
    );
  });

  test.each([
    ['', 'invalid_tx_address', 'an empty string'],
    ['?dt=1', 'invalid_tx_address', 'a tag without an address'],
    [undefined, 'wrong_type', 'no value'],
    [7, 'wrong_type', 'a number'],
  ])('refuses %j, and its error speaks of no notification', (value, code, received) => {
    const { issues, message } = refusalOf(() => splitToTxAddress(value as string));
    expect(issues).toMatchObject([{ code, path: ['toTxAddress'], expected: EXPECTED, received }]);
    expect(message).toBe(
      `address refused: toTxAddress: expected ${EXPECTED}, received ${received}`,
    );
  });
});

describe('joinToTxAddress', () => {
  const LONE = { address: 'r\ud800', destinationTag: null };

  test.each<[object, string, string]>([
    [{ address: '', destinationTag: '1' }, 'invalid_tx_address', 'an empty string'],
    [{ address: 'a?dt=1' }, 'invalid_tx_address', 'an address that contains ?dt='],
    [{}, 'invalid_tx_address', 'no value'],
    [LONE, 'invalid_tx_address', 'a string of length 2 with a lone surrogate'],
    [{ address: 'rAddress', destinationTag: 0 }, 'wrong_type', 'the tag as a number'],
  ])('refuses %j', (parts, code, received) => {
    expect(refusalOf(() => joinToTxAddress(parts as TxAddress)).issues).toMatchObject([
      { code, path: ['toTxAddress'], received },
    ]);
  });

  test.each(['', null, undefined])('joins no tag for %j', (tag) => {
    const parts = { address: 'rAddress', destinationTag: tag as string | null };
    expect(joinToTxAddress(parts)).toBe('rAddress');
  });
});

const UNUSUAL = [{ code: 'invalid_tx_address', path: ['toTxAddress'] }];

test.each([
  ['rExample', []],
  ['rExample?dt=12', []],
  ['rExample?dt=', []],
  ['bitcoincash:qExample', []],
  ['rExample?dt=a:b/c', []],
  ['rExample?dt=bWVtbw==', []],
  ['rExample?tag=12', UNUSUAL],
  ['rExample?DT=12', UNUSUAL],
  ['rExample?to=x&dt=12', UNUSUAL],
  ['rExample?dt=12&amount=5', UNUSUAL],
  ['rExample&dt=12', UNUSUAL],
  ['rExample=12', UNUSUAL],
  ['rExample?dt=a=b', UNUSUAL],
])('an address gives a warning if it may have a tag in another form: %s', (address, warnings) => {
  const body = withdrawal({ toTxAddress: JSON.stringify(address) });
  expect(read(safeParseWithdrawalBroadcast(body)).warnings).toMatchObject(warnings);
});
