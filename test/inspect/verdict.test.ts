import { inspectBody, type Verdict } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { judgeBody } from '../../src/inspect/judgement.js';
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
const OUTCOMES: readonly (readonly [
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

test.each(OUTCOMES)('%s: %s is %s, because of %s', (_, body, outcome, ...reasons) => {
  const { judgement, checks } = judgeBody(body);
  expect(inspectBody(body)).toMatchObject(judgement);
  expect({ outcome: judgement.outcome, checks }).toStrictEqual({ outcome, checks: reasons });
});

const checksOf = (toTxAddress: string) =>
  judgeBody(withdrawal({ toTxAddress: JSON.stringify(toTxAddress) })).checks;

test.each([
  ...['rEx:495', 'rEx#495', 'rEx/495', 'rEx,495', 'rEx;495', 'rEx|495', 'rEx 495', 'rEx\t495'],
  ...['rEx, 495', 'rEx tag 495', 'rEx memo: 0', 'rEx:007', 'GEx:18446744073709551615'],
  ...['rEx:495?dt=7', 'rEx:495?dt=', 'rEx?tag=495'],
])('%j may contain a tag in another form', (address) => {
  expect(checksOf(address)).toStrictEqual(['an address in an unusual form']);
});

test.each([
  ['XRP with a tag', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=495'],
  ['a tag with a colon', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=a:495'],
  ['Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['Bitcoin Cash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
  ['Ethereum with its chain', 'eip155:1:0x52908400098527886E0F7030069857D2E4169EE7'],
  ['TON, raw', `-1:${'3'.repeat(64)}`],
  ['Hedera', '0.0.12345'],
  ['EOS', 'eosio.token1'],
  ['Nano', 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'],
  ['a name', 'alice*example.com'],
  ['digits alone', '495'],
  ['digits after what only looks like a mark', 'rEx_495'],
])('%s is a plain address', (_, address) => {
  expect(checksOf(address)).toStrictEqual([]);
});
