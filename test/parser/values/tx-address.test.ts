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

/** The warning about an address that may have a tag in another form. */
const UNUSUAL = [{ code: 'invalid_tx_address', path: ['toTxAddress'] }];

describe('splitToTxAddress', () => {
  test.each([
    ['rAddress', 'rAddress', null, []],
    ['rAddress?dt=', 'rAddress', null, []],
    [' rAddress ?dt= 1 ', ' rAddress ', ' 1 ', []],
    ['bitcoincash:qAddress', 'bitcoincash:qAddress', null, []],
    ['rAddress?dt=a:b/c', 'rAddress', 'a:b/c', []],
    ['rAddress?dt=bWVtbw==', 'rAddress', 'bWVtbw==', []],
    ['rAddress?dt=a=b', 'rAddress', 'a=b', UNUSUAL],
    ['rAddress?dt=a%20b&c', 'rAddress', 'a%20b&c', UNUSUAL],
    ['rAddress?dt=1?dt=2', 'rAddress', '1?dt=2', UNUSUAL],
    ['rAddress?DT=1', 'rAddress?DT=1', null, UNUSUAL],
    ['rAddress?memo=1&dt=2', 'rAddress?memo=1&dt=2', null, UNUSUAL],
    ['rAddress?tag=12', 'rAddress?tag=12', null, UNUSUAL],
    ['rAddress&dt=12', 'rAddress&dt=12', null, UNUSUAL],
    ['rAddress=12', 'rAddress=12', null, UNUSUAL],
  ])('splits %j, as a withdrawal does, and warns if it is unusual', (raw, address, tag, faults) => {
    const parts = { raw, address, destinationTag: tag };
    expect(splitToTxAddress(raw)).toStrictEqual(parts);
    const body = withdrawal({ toTxAddress: JSON.stringify(raw) });
    const { toTxAddress, warnings } = read(safeParseWithdrawalBroadcast(body));
    expect(toTxAddress).toStrictEqual(parts);
    expect(warnings).toMatchObject(faults);
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
