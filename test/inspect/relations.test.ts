import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import {
  createRelations,
  findDifferences,
  isContradiction,
  isForReview,
  type Relation,
  withRelation,
} from '../../src/inspect/relations.js';
import { deposit, withdrawal } from '../sample-bodies.js';

/** What is said of each body of a list, one a line. */
function relationsOf(bodies: readonly string[], lineOf = (index: number) => index + 1): string[] {
  const listed = bodies.map((body, index) => ({ body, line: lineOf(index), index }));
  const relations = listed.map((): readonly Relation[] => []);
  const relate = createRelations<(typeof listed)[number]>(
    ({ body }) => inspectBody(body),
    ({ index }, relation, replaced) => {
      relations[index] = withRelation(relations[index] ?? [], relation, replaced);
    },
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
      'statuses: same withdrawal as line 3, which reports COMPLETED',
      '',
      'statuses: same withdrawal as line 1, which reports FAILED',
      'repeats: same event as line 3; statuses: same withdrawal as line 1, which reports FAILED',
    ]);
  });

  test('name each other if an earlier one was repeated', () => {
    expect(relationsOf([failed, failed, completed])).toStrictEqual([
      'statuses: same withdrawal as line 3, which reports COMPLETED',
      'repeats: same event as line 1; statuses: same withdrawal as line 3, which reports COMPLETED',
      'statuses: same withdrawal as line 1, which reports FAILED',
    ]);
  });

  test('may report each status', () => {
    expect(relationsOf([failed, completed, blocked])[2]).toBe(
      'statuses: same withdrawal as line 2, which reports COMPLETED; statuses: same withdrawal as line 1, which reports FAILED',
    );
  });

  test('are not those of another one', () => {
    const another = withdrawal({ withdrawalId: id(1), status: '"FAILED"' });
    expect(relationsOf([completed, another])).toStrictEqual(['', '']);
  });
});

test('a body is for review if others contradict it, have another status, or make it too much', () => {
  const kinds = ['repeats', 'differs', 'related', 'contradicts', 'statuses', 'exceeds'] as const;
  const forReview = kinds.filter((kind) =>
    isForReview([
      { kind: 'repeats', text: '' },
      { kind, text: '' },
    ]),
  );
  expect(forReview).toStrictEqual(['contradicts', 'statuses', 'exceeds']);
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
    ];
    const two = 'together 0.019999999999999999 BTC less than expected';
    expect(relationsOf(bodies)).toStrictEqual([
      `related: with line 2: ${two}`,
      `related: with line 1: ${two}`,
      `repeats: same event as line 2; related: with line 1: ${two}`,
    ]);
    bodies.push(part(3, '0.01'));
    const three = 'together 0.009999999999999999 BTC less than expected';
    expect(relationsOf(bodies)).toStrictEqual([
      `related: with line 2 and line 4: ${three}`,
      `related: with line 1 and line 4: ${three}`,
      `repeats: same event as line 2; related: with line 1 and line 4: ${three}`,
      `related: with line 1 and line 2: ${three}`,
    ]);
    bodies.push(part(4, '0.01'));
    const four =
      'exceeds: with 3 other bodies: together 0.000000000000000001 BTC more than expected';
    expect(relationsOf(bodies)).toStrictEqual([
      ...[four, four],
      `repeats: same event as line 2; ${four}`,
      ...[four, four],
    ]);
  });

  test('may be what was expected, or in one line', () => {
    const bodies = [part(1, '0.01'), part(2, '0.0200')];
    expect(relationsOf(bodies)).toStrictEqual([
      'related: with line 2: together exactly what was expected',
      'related: with line 1: together exactly what was expected',
    ]);
    expect(relationsOf(bodies, () => 7)[0]).toBe(
      'related: with another body of this line: together exactly what was expected',
    );
    expect(relationsOf([...bodies, part(3, '0')], () => 7)[0]).toBe(
      'related: with 2 other bodies of this line: together exactly what was expected',
    );
  });

  test.each([
    ['another currency', { depositCurrency: '"ETH"' }],
    ['another display currency', { displayCurrency: '"USD"' }],
    ['another settlement currency', { settlementCurrency: '"USD"' }],
    ['another expected amount', { expectedDepositAmount: '"0.02"' }],
    ['no expected amount', { expectedDepositAmount: 'null' }],
  ])('are not added if one has %s, also those before it', (_, fields) => {
    const [one, two, other] = [part(1, '0.01'), part(2, '0.01'), part(3, '0.01', fields)];
    expect(relationsOf([other, one, two])).toStrictEqual(['', '', '']);
    expect(relationsOf([one, two, two, other])).toStrictEqual([
      ...['', ''],
      'repeats: same event as line 2',
      '',
    ]);
  });

  test('are added if a repeat lacks what was expected', () => {
    const bodies = [part(1, '0.01'), part(1, '0.01', { expectedDepositAmount: 'null' })];
    expect(relationsOf([...bodies, part(2, '0.02')])).toStrictEqual([
      'related: with line 3: together exactly what was expected',
      'differs: differs from line 1 in expectedDepositAmount; related: with line 3: together exactly what was expected',
      'related: with line 1: together exactly what was expected',
    ]);
  });

  test('are not added if there are more than 50', () => {
    const idOf = (index: number) => `"00000000-0000-4000-8000-${String(index).padStart(12, '0')}"`;
    const bodies = Array.from({ length: 51 }, (_, index) =>
      part(1, '0.001', { depositId: idOf(index) }),
    );
    const sum = 'exceeds: with 49 other bodies: together 0.02 BTC more than expected';
    expect(new Set(relationsOf(bodies.slice(1)))).toStrictEqual(new Set([sum]));
    expect(new Set(relationsOf(bodies))).toStrictEqual(new Set(['']));
  });

  test('are not those of another payment of one order, which is named', () => {
    const paymentId = id(9);
    const bodies = [
      part(1, '0.03'),
      part(2, '0.01', { paymentId }),
      part(3, '0.02', { paymentId }),
      part(4, '0.03', { paymentId: id(8), clientPaymentId: '"another"' }),
    ];
    const together = 'related: with line 3: together exactly what was expected';
    expect(relationsOf(bodies)).toStrictEqual([
      'related: same order as line 2, another payment',
      `related: same order as line 1, another payment; ${together}`,
      `related: same order as line 1, another payment; ${together.replace('3', '2')}`,
      '',
    ]);
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
