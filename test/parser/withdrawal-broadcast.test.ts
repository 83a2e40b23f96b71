import { safeParseWithdrawalBroadcast } from 'payment-notifications';
import { expect, test } from 'vitest';
import { errorOf, read, withdrawal } from '../sample-bodies.js';

test('an address is also required if the status is faulty', () => {
  const body = withdrawal({ status: '"DONE"', toTxAddress: 'null' });
  const { issues } = errorOf(safeParseWithdrawalBroadcast(body));
  expect(issues.map(({ path }) => path[0])).toStrictEqual(['status', 'toTxAddress']);
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
