import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import {
  createRelations,
  findDifferences,
  isContradiction,
  type Relation,
} from '../../src/inspect/relations.js';
import { deposit, withdrawal } from '../sample-bodies.js';

/** What is said of each body of a list, one a line. */
function relationsOf(bodies: readonly string[], lineOf = (index: number) => index + 1): string[] {
  const listed = bodies.map((body, index) => ({ body, line: lineOf(index), index }));
  const relations = listed.map((): Relation[] => []);
  const relate = createRelations<(typeof listed)[number]>(
    ({ body }) => inspectBody(body),
    ({ index }, relation) => relations[index]?.push(relation),
  );
  for (const one of listed) relate(one, inspectBody(one.body));
  return relations.map((own) => own.map(({ kind, text }) => `${kind}: ${text}`).join('; '));
}

const id = (digit: number) => `"00000000-0000-4000-8000-00000000000${digit}"`;

describe('bodies of one event', () => {
  const other = deposit({ actualDepositAmount: '0.02' });

  test('that contradict each other name each other', () => {
    expect(relationsOf([deposit(), other])).toStrictEqual([
      'contradicts: contradicts line 2',
      'contradicts: contradicts line 1',
    ]);
  });

  test('each contradict the one that differs, also the repeats before and after it', () => {
    const encoded = deposit({ actualDepositAmount: '"0.015230"' });
    const bodies = [deposit(), encoded, other, deposit(), deposit({ network: '"x"' })];
    expect(relationsOf(bodies)).toStrictEqual([
      'contradicts: contradicts line 3',
      'repeats: same event as line 1; contradicts: contradicts line 3',
      'contradicts: contradicts line 1',
      'repeats: same event as line 1; contradicts: contradicts line 3',
      'differs: differs from line 1 in network; contradicts: contradicts line 3',
    ]);
  });

  test('name two others, and say that there are more', () => {
    const amounts = ['1', '2', '3', '4', '5'];
    const bodies = amounts.map((amount) => deposit({ settlementAmount: amount }));
    expect(relationsOf(bodies)).toStrictEqual([
      'contradicts: contradicts line 2; contradicts: contradicts line 3; contradicts: contradicts more bodies',
      ...Array.from({ length: 4 }, () => 'contradicts: contradicts line 1'),
    ]);
  });

  test('may be in one line', () => {
    expect(relationsOf([deposit(), other], () => 7)).toStrictEqual([
      'contradicts: contradicts another body of this line',
      'contradicts: contradicts another body of this line',
    ]);
  });

  test('agree if an identifier is in upper case', () => {
    const upper = deposit({ depositId: '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"' });
    expect(relationsOf([deposit(), upper])).toStrictEqual(['', 'repeats: same event as line 1']);
  });

  test('differ in fields that say nothing of the money, of which two are named', () => {
    const names = { network: '"x"', attempt: '1', 'a\u202eb': '2' };
    expect(relationsOf([deposit(), deposit(names)])[1]).toBe(
      'differs: differs from line 1 in network, attempt and 1 more',
    );
    expect(relationsOf([deposit(), deposit({ 'a\u202eb': '2' })])[1]).toBe(
      'differs: differs from line 1 in "a\\u202eb"',
    );
  });

  test.each(['actualWithdrawAmount', 'deductedSettlementAmount', 'deducedSettlementAmount'])(
    'contradict each other in what a withdrawal moved: %s',
    (name) => {
      const bodies = [withdrawal({ [name]: '"1"' }), withdrawal({ [name]: '"2"' })];
      expect(relationsOf(bodies)[0]).toBe('contradicts: contradicts line 2');
    },
  );

  test('are not known if one is refused', () => {
    expect(relationsOf([deposit(), deposit({ status: '"NEW"' }), '{}'])).toStrictEqual([
      '',
      '',
      '',
    ]);
  });
});

describe('bodies of one withdrawal', () => {
  const [failed, completed, blocked] = ['FAILED', 'COMPLETED', 'BLOCKED'].map((status) =>
    withdrawal({ status: `"${status}"` }),
  ) as [string, string, string];

  test('name each other, with the other status', () => {
    expect(relationsOf([failed, deposit(), completed, completed])).toStrictEqual([
      'related: same withdrawal as line 3, which reports COMPLETED',
      '',
      'related: same withdrawal as line 1, which reports FAILED',
      'repeats: same event as line 3',
    ]);
  });

  test('may report each status', () => {
    expect(relationsOf([failed, completed, blocked])[2]).toBe(
      'related: same withdrawal as line 2, which reports COMPLETED; related: same withdrawal as line 1, which reports FAILED',
    );
  });

  test('are not those of another one', () => {
    const another = withdrawal({ withdrawalId: id(1), status: '"FAILED"' });
    expect(relationsOf([completed, another])).toStrictEqual(['', '']);
  });
});

describe('deposits of one payment', () => {
  const part = (digit: number, amount: string, fields: Record<string, string> = {}) =>
    deposit({
      depositId: id(digit),
      actualDepositAmount: amount,
      expectedDepositAmount: '"0.030"',
      ...fields,
    });

  test('are added, exactly', () => {
    const paymentId = '"6F9619FF-8B86-4D01-B42D-00CF4FC964FF"';
    const bodies = [
      part(1, '0.01'),
      part(2, '0.000000000000000001', { paymentId }),
      part(2, '0.000000000000000001'),
      part(3, '0.01'),
      part(4, '0.01'),
    ];
    expect(relationsOf(bodies)).toStrictEqual([
      '',
      'related: with line 1: 0.010000000000000001 BTC of 0.03 expected',
      'repeats: same event as line 2',
      'related: with lines 1 and 2: 0.020000000000000001 BTC of 0.03 expected',
      'related: with 3 earlier bodies: 0.030000000000000001 BTC of 0.03 expected',
    ]);
  });

  test.each([
    ['another payment', { paymentId: id(9) }],
    ['another currency', { depositCurrency: '"ETH"' }],
    ['another display currency', { displayCurrency: '"USD"' }],
    ['another settlement currency', { settlementCurrency: '"USD"' }],
    ['another expected amount', { expectedDepositAmount: '"0.02"' }],
    ['no expected amount', { expectedDepositAmount: 'null' }],
  ])('are not added if one has %s', (_, fields) => {
    const bodies = [part(1, '0.01', fields), part(2, '0.01'), part(3, '0.01', fields)];
    const [, second, third] = relationsOf(bodies);
    expect(second).toBe('');
    // Of two payments, each has its own sum.
    expect(third).toBe(
      'paymentId' in fields ? 'related: with line 1: 0.02 BTC of 0.03 expected' : '',
    );
  });

  test('are not added if none says what was expected', () => {
    const fields = { expectedDepositAmount: '"many"' };
    expect(relationsOf([part(1, '1', fields), part(2, '1', fields)])).toStrictEqual(['', '']);
  });
});

test('fields that differ only in their encoding come last, and contradict nothing', () => {
  const one = inspectBody(deposit({ actualDepositAmount: '1', network: '"a"', fromAddress: '1' }));
  const other = inspectBody(
    deposit({ actualDepositAmount: '"1.0"', network: undefined, fromAddress: '2' }),
  );
  const found = findDifferences(one, other);
  expect(found).toStrictEqual([
    { name: 'network', raws: ['"a"', undefined], isEncoding: false },
    // Neither value was read.
    { name: 'fromAddress', raws: ['1', '2'], isEncoding: false },
    { name: 'actualDepositAmount', raws: ['1', '"1.0"'], isEncoding: true },
  ]);
  expect(isContradiction(one, found)).toBe(false);
  expect(
    isContradiction(inspectBody('x'), [{ name: 'a', raws: ['1', '2'], isEncoding: false }]),
  ).toBe(false);
});
