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
  ...['rEx:495?dt=7', 'rEx:495?dt=', 'rEx?tag=495', 'rEx&dt=495', 'rEx?dt=1?dt=2'],
])('%j may contain a tag in another form', (address) => {
  expect(checksOf(address)).toStrictEqual(['an address in an unusual form']);
});

test.each([
  ['XRP', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'],
  ['XRP with a tag', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=495'],
  ['a tag with a colon', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=a:495'],
  ['an X-address', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8AqEL4xcZj5whKbmc'],
  ['Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['Bitcoin, segwit', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['Bitcoin Cash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
  ['Kaspa', 'kaspa:qpzpfwcsqsxhxwup26r55fd0ghqlhyugz8cp6y3wxuddc02vcxtjg75pspnwz'],
  ['Ethereum', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ['Ethereum with its chain', 'eip155:1:0x52908400098527886E0F7030069857D2E4169EE7'],
  ['Cardano', 'addr1vpu5vlrf4xkxv2qpwngf6cjhtw542ayty80v8dyr49rf5eg0yu80w'],
  ['Stellar', 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'],
  ['Stellar, muxed', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAABUTGI4'],
  ['TON', 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'],
  ['TON, raw', `-1:${'3'.repeat(64)}`],
  ['Hedera', '0.0.12345'],
  ['EOS', 'eosio.token1'],
  ['Nano', 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'],
  ['Solana', '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
  ['an IBAN', 'DE89370400440532013000'],
  ['a name', 'alice*example.com'],
  ['digits alone', '495'],
  ['digits after what only looks like a mark', 'rEx_495'],
])('%s is a plain address', (_, address) => {
  expect(checksOf(address)).toStrictEqual([]);
});
