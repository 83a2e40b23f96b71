import { parseDepositReceived } from 'payment-notifications';
import { expect, test } from 'vitest';
import { createTwinFinder } from '../../src/cli/twins.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { command, linesOf } from './terminal.js';

const event = (digit: number, fields = {}) =>
  deposit({ depositId: `"0b0f1f0e-9d0c-4f9e-8d4a-00000000000${digit}"`, ...fields });

test.each<[what: string, bodies: string[], twins: (number | null)[]]>([
  ['two events', [event(1), event(2), event(3)], [null, 1, 1]],
  ['a repeat', [event(1), event(1)], [null, null]],
  ['another transaction', [event(1), event(2, { transactionId: '"x"' })], [null, null]],
  ['another address', [event(1), event(2, { depositAddress: '"x"' })], [null, null]],
  ['another amount', [event(1), event(2, { actualDepositAmount: '7' })], [null, null]],
  [
    'an amount in another form',
    [event(1), event(2, { actualDepositAmount: '"0.015230"' })],
    [null, 1],
  ],
  ['no transaction', [1, 2].map((n) => event(n, { transactionId: 'null' })), [null, null]],
  ['no address', [1, 2].map((n) => event(n, { depositAddress: 'null' })), [null, null]],
  ['a refused one', [event(1), event(2, { status: undefined })], [null, null]],
  [
    'withdrawals',
    [withdrawal(), withdrawal({ withdrawalId: '"3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e45"' })],
    [null, null],
  ],
])(
  'the same transaction under several identifiers is found from the second on: %s',
  async (_, bodies, twins) => {
    const { out } = await command('inspect --json', { stdin: bodies.join('\n') });
    const places = twins.map((line) => (line === null ? null : `standard input:${line}`));
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect(lines.map(({ sameTransactionAs }) => sameTransactionAs)).toStrictEqual(places);
    const marked = lines.filter(({ sameTransactionAs }) => sameTransactionAs !== null);
    expect(marked.every(({ outcome }) => outcome === 'check')).toBe(true);
  },
);

test('the same transaction is looked for among the last 10,000 deposits', () => {
  const twinOf = createTwinFinder();
  const parsed = parseDepositReceived(deposit());
  const add = (depositId: string, transactionId: string) => {
    const notification = { ...parsed, transactionId };
    const judged = { judgement: { idempotencyKey: depositId }, reading: { notification } };
    return twinOf(judged as never, depositId);
  };
  for (let n = 0; n < 20_000; n += 1) add(`a${n}`, `${n}`);
  expect([add('b', '0'), add('c', '10000')]).toStrictEqual(['a0', 'a10000']);
  expect(add('d', 'new')).toBeNull();
  expect([add('e', '0'), add('f', '10000')]).toStrictEqual([null, 'a10000']);
});
