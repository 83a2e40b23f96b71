import fc from 'fast-check';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { LIMITS } from '../../scripts/schemas/body.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { readWire, writeWire } from '../../src/parser/members.js';
import { textBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';
import { judge, withEachValue } from './judge.js';

const FUZZED = runs(4000);

const STATUSES = ['COMPLETED', 'FAILED', 'BLOCKED'] as const;
const withdrawals = STATUSES.map((status) => withdrawalBroadcastBody({ status }));

const met = new Set<string>();

// For what hangs: the time depends on the machine and on how many bodies are asked for.
describe('parser and schemas judge alike, but for the named limits,', {
  timeout: 3_600_000,
}, () => {
  test('every fixture', () => {
    const valid = expectAgreement(fixtures.map(({ body }) => body.toString('utf8')));
    expect(valid).toBeGreaterThan(0);
  });

  test('every variant of the testing kit', () => {
    const variants = [depositReceivedBody(), ...withdrawals].flatMap(bodyVariants);
    expect(expectAgreement(variants.map(({ body }) => body))).toBeGreaterThan(0);
  });

  test('every field with every hostile value, and without one', () => {
    const [completed = '', ...notCompleted] = withdrawals;
    const valid = expectAgreement([
      ...withHostileValues(depositReceivedBody(), DEPOSIT_RECEIVED_FIELDS),
      ...withHostileValues(completed, WITHDRAWAL_BROADCAST_FIELDS),
      ...notCompleted.flatMap((body) => withHostileValues(body, NOT_COMPLETED_WITHDRAWAL_FIELDS)),
    ]);
    expect(valid).toBeGreaterThan(0);
  });

  test(`${FUZZED} fuzzed bodies`, () => {
    let valid = 0;
    const property = fc.property(textBody, (body) => {
      valid += expectAgreement([body]);
    });
    fc.assert(property, { numRuns: FUZZED });
    expect(valid).toBeGreaterThan(0);
  });
});

test('every named limit was met', () => {
  expect([...met].sort()).toStrictEqual(Object.keys(LIMITS).sort());
});

/** Says how many of the bodies are valid, by both. */
function expectAgreement(bodies: readonly string[]): number {
  const { valid, limits, differed } = judge(bodies);
  for (const limit of limits) met.add(limit);
  expect(differed.slice(0, 10)).toStrictEqual([]);
  return valid;
}

/** A body with each of its fields, and of its owner's, in turn holding each value, or none. */
function withHostileValues(body: string, table: FieldTable): string[] {
  const fields = readWire(body);
  const owner = readWire(fields.get('txAddressOwner') ?? '{}');
  const owners = Object.keys(TX_ADDRESS_OWNER_FIELDS).flatMap((name) => withEachValue(owner, name));
  return [
    ...[...Object.keys(table), 'depositId', 'withdrawalId'].flatMap((name) =>
      withEachValue(fields, name),
    ),
    ...owners.map((json) => writeWire(new Map([...fields, ['txAddressOwner', json]]))),
  ];
}
