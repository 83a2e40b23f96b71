import type { Verdict } from 'payment-notifications/inspect';
import { deposit, withdrawal } from '../sample-bodies.js';

const COINS = 'more or fewer coins than expected';
const VALUE = 'more or less value than expected';
const LATE = 'arrived after the link expired';
const NOTHING = 'an amount of 0';
const TWICE = 'a field sent more than once';
const FAILED = 'FAILED or BLOCKED';
const NO_AMOUNT = 'COMPLETED without the amount that was sent';
const FORM = 'an address in an unusual form';

const unexpected = deposit({ expectedDepositAmount: 'null', expectedDisplayAmount: 'null' });
const unlimited = deposit({ expirationTime: 'null', paymentReceivedAt: '1890003600' });
const nothing = deposit({ actualDepositAmount: '0', expectedDepositAmount: 'null' });
const failedAlone = JSON.stringify({
  status: 'FAILED',
  withdrawalId: '3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44',
  clientWithdrawalId: 'x',
});
const withMore = (fields: string) => deposit().replace(/\}$/, `,${fields}}`);

/** One row for each rule, and for what is nearly one. Of a body to check, why, but for warnings. */
export const OUTCOMES: readonly (readonly [
  what: string,
  body: string,
  outcome: Verdict,
  ...checks: string[],
])[] = [
  ['a deposit as expected', deposit(), 'good'],
  ['nothing expected', unexpected, 'good'],
  ['the last second', deposit({ paymentReceivedAt: '1790003600' }), 'good'],
  ['no expiration', unlimited, 'good'],
  ['an unknown field', deposit({ networkFeeAmount: '0.10' }), 'good'],
  ['fewer coins', deposit({ expectedDepositAmount: '"0.016"' }), 'check', COINS],
  ['more coins', deposit({ expectedDepositAmount: '"0.015"' }), 'check', COINS],
  ['less value', deposit({ expectedDisplayAmount: '1000' }), 'check', VALUE],
  ['more value', deposit({ expectedDisplayAmount: '900' }), 'check', VALUE],
  ['1e-18 less', deposit({ actualDepositAmount: '0.015229999999999999' }), 'check', COINS],
  ['nothing', nothing, 'check', NOTHING],
  ['a second too late', deposit({ paymentReceivedAt: '1790003601' }), 'check', LATE],
  ['an expected amount that is unreadable', deposit({ expectedDepositAmount: '"1,5"' }), 'check'],
  ['a fee that is unreadable', deposit({ onChainFee: '"free"' }), 'check'],
  ['a time that is unreadable', deposit({ expirationTime: '"soon"' }), 'check'],
  ['a text that is unreadable', deposit({ network: '[]' }), 'good'],
  ['an amount sent twice', withMore('"actualDepositAmount":0.01523'), 'check', TWICE],
  ['an unknown field sent twice', withMore('"x":[{"x":1}],"x":1'), 'check', TWICE],
  ['a name twice in an object', deposit({ extra: '{"x":1,"x":2}' }), 'good'],
  ['a withdrawal', withdrawal(), 'good'],
  ['other than estimated', withdrawal({ actualWithdrawAmount: '1' }), 'good'],
  ['no owner', withdrawal({ txAddressOwner: undefined }), 'good'],
  ['FAILED', withdrawal({ status: '"FAILED"' }), 'check', FAILED],
  ['BLOCKED', withdrawal({ status: '"BLOCKED"' }), 'check', FAILED],
  ['no amount', withdrawal({ actualWithdrawAmount: undefined }), 'check', NO_AMOUNT],
  ['an unreadable amount', withdrawal({ actualWithdrawAmount: '"x"' }), 'check', NO_AMOUNT],
  ['nothing sent', withdrawal({ actualWithdrawAmount: '"0.00"' }), 'check', NOTHING],
  ['an address that may lack its tag', withdrawal({ toTxAddress: '"r?tag=1"' }), 'check', FORM],
  ['FAILED, with its identifiers alone', failedAlone, 'check', FAILED],
  ['two amounts debited', withdrawal({ deducedSettlementAmount: '"1"' }), 'check'],
  [
    'an unreadable amount debited, in the other spelling',
    withdrawal({ deductedSettlementAmount: 'null', deducedSettlementAmount: '"x"' }),
    'check',
  ],
  ['a field missing', deposit({ status: undefined }), 'refused'],
  ['no fields', '{}', 'refused'],
  ['no JSON', 'hello', 'refused'],
];
