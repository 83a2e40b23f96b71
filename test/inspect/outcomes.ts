import type { Outcome } from 'payment-notifications/inspect';
import { deposit, withdrawal } from '../sample-bodies.js';

const failedAlone = () =>
  '{"status":"FAILED","withdrawalId":"3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44","clientWithdrawalId":"x"}';

/** One row for each rule, and for what is nearly one. Of a body to check, why, but for warnings. */
export const OUTCOMES: readonly (readonly [
  what: string,
  body: string,
  outcome: Outcome,
  ...checks: string[],
])[] = [
  ['a deposit as expected', deposit(), 'good'],
  [
    'nothing expected',
    deposit({ expectedDepositAmount: 'null', expectedDisplayAmount: 'null' }),
    'good',
  ],
  ['the last second', deposit({ paymentReceivedAt: '1790003600' }), 'good'],
  ['no expiration', deposit({ expirationTime: 'null', paymentReceivedAt: '1890003600' }), 'good'],
  ['an unknown field', deposit({ networkFeeAmount: '0.10' }), 'good'],
  [
    'fewer coins',
    deposit({ expectedDepositAmount: '"0.016"' }),
    'check',
    'more or fewer coins than expected',
  ],
  [
    'more coins',
    deposit({ expectedDepositAmount: '"0.015"' }),
    'check',
    'more or fewer coins than expected',
  ],
  [
    'less value',
    deposit({ expectedDisplayAmount: '1000' }),
    'check',
    'more or less value than expected',
  ],
  [
    'more value',
    deposit({ expectedDisplayAmount: '900' }),
    'check',
    'more or less value than expected',
  ],
  [
    '18 decimals less',
    deposit({ actualDepositAmount: '0.015229999999999999' }),
    'check',
    'more or fewer coins than expected',
  ],
  [
    'nothing',
    deposit({ actualDepositAmount: '0', expectedDepositAmount: 'null' }),
    'check',
    'an amount of 0',
  ],
  [
    'a second too late',
    deposit({ paymentReceivedAt: '1790003601' }),
    'check',
    'arrived after the link expired',
  ],
  ['an expected amount that is unreadable', deposit({ expectedDepositAmount: '"1,5"' }), 'check'],
  ['a fee that is unreadable', deposit({ onChainFee: '"free"' }), 'check'],
  ['a time that is unreadable', deposit({ expirationTime: '"soon"' }), 'check'],
  ['a text that is unreadable', deposit({ network: '[]' }), 'good'],
  [
    'an amount sent twice',
    deposit().replace(/\}$/, ',"actualDepositAmount":0.01523}'),
    'check',
    'a field sent more than once',
  ],
  [
    'an unknown field sent twice',
    deposit().replace(/\}$/, ',"x":[{"x":1}],"x":1}'),
    'check',
    'a field sent more than once',
  ],
  ['a name twice in an object', deposit({ extra: '{"x":1,"x":2}' }), 'good'],
  ['a withdrawal', withdrawal(), 'good'],
  ['other than estimated', withdrawal({ actualWithdrawAmount: '1' }), 'good'],
  ['no owner', withdrawal({ txAddressOwner: undefined }), 'good'],
  ['FAILED', withdrawal({ status: '"FAILED"' }), 'check', 'FAILED or BLOCKED'],
  ['BLOCKED', withdrawal({ status: '"BLOCKED"' }), 'check', 'FAILED or BLOCKED'],
  [
    'COMPLETED without its amount',
    withdrawal({ actualWithdrawAmount: undefined }),
    'check',
    'COMPLETED without the amount that was sent',
  ],
  [
    'COMPLETED with an unreadable amount',
    withdrawal({ actualWithdrawAmount: '"x"' }),
    'check',
    'COMPLETED without the amount that was sent',
  ],
  [
    'COMPLETED with nothing sent',
    withdrawal({ actualWithdrawAmount: '"0.00"' }),
    'check',
    'an amount of 0',
  ],
  ['an address that may lack its tag', withdrawal({ toTxAddress: '"r?tag=1"' }), 'check'],
  ['FAILED, with its identifiers alone', failedAlone(), 'check', 'FAILED or BLOCKED'],
  ['two amounts debited', withdrawal({ deducedSettlementAmount: '"1"' }), 'check'],
  ['a field missing', deposit({ status: undefined }), 'refused'],
  ['no fields', '{}', 'refused'],
  ['no JSON', 'hello', 'refused'],
];
