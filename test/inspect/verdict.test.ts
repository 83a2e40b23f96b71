import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { judgeBody } from '../../src/inspect/judgement.js';
import { withdrawal } from '../sample-bodies.js';
import { OUTCOMES } from './outcomes.js';

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
