import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../scripts/schemas/limits.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  type FieldTable,
  NOT_COMPLETED_WITHDRAWAL_FIELDS,
  TX_ADDRESS_OWNER_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { readWire, writeWire } from '../../src/wire/members.js';
import { fixtures } from '../fixtures.js';
import { textBodiesFrom } from '../fuzz/bodies.js';
import { judge, readJson } from './judge.js';
import { withEachValue } from './values.js';

/** How many fuzzed bodies; .ci/run judges 200,000. */
const FUZZED = Number(process.env.SCHEMAS_FUZZED ?? 4000);
const SEED = 20261121;

const STATUSES = ['COMPLETED', 'FAILED', 'BLOCKED'] as const;
const withdrawals = STATUSES.map((status) => withdrawalBroadcastBody({ status }));

const met = new Set<string>();

// For what hangs: the time depends on the machine and on how many bodies are asked for.
describe('parser and schemas judge alike, but for the named limits,', {
  timeout: 3_600_000,
}, () => {
  test('every fixture', () => {
    expectAgreement(fixtures.map(({ body }) => body.toString('utf8')));
  });

  test('every variant of the testing kit', () => {
    const variants = [depositReceivedBody(), ...withdrawals].flatMap(bodyVariants);
    expectAgreement(variants.map(({ body }) => body));
  });

  test('every field with every hostile value, and without one', () => {
    const [completed = '', ...notCompleted] = withdrawals;
    expectAgreement([
      ...withHostileValues(depositReceivedBody(), DEPOSIT_RECEIVED_FIELDS),
      ...withHostileValues(completed, WITHDRAWAL_BROADCAST_FIELDS),
      ...notCompleted.flatMap((body) => withHostileValues(body, NOT_COMPLETED_WITHDRAWAL_FIELDS)),
    ]);
  });

  test(`${FUZZED} fuzzed bodies`, () => {
    expectAgreement(fuzzed());
  });
});

test('every named limit was met', () => {
  expect([...met].sort()).toStrictEqual(Object.keys(LIMITS).sort());
});

function expectAgreement(bodies: Iterable<string>): void {
  const { valid, limits, differed } = judge(bodies);
  for (const limit of limits) met.add(limit);
  expect(differed.slice(0, 10)).toStrictEqual([]);
  expect(valid).toBeGreaterThan(0);
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

/** Bodies of the fuzzer, those that are JSON. */
function* fuzzed(): Generator<string> {
  let count = 0;
  for (const body of textBodiesFrom(SEED)) {
    if (readJson(body) === undefined) continue;
    yield body;
    count += 1;
    if (count === FUZZED) return;
  }
}
