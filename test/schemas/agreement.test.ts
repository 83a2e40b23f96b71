import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  type ParseResult,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
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
import { readWire, type WireFields, writeWire } from '../../src/shared/members.js';
import { textBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';
import { VALUES } from '../fuzz/values.js';
import { IS_BEYOND, type LimitName } from './limits.js';

const FUZZED = runs(4000);
const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

const STATUSES = ['COMPLETED', 'FAILED', 'BLOCKED'] as const;
const withdrawals = STATUSES.map((status) => withdrawalBroadcastBody({ status }));

const ajv = new Ajv2020({ strict: true, strictTypes: true });
const [isDeposit, isWithdrawal] = ['deposit-received', 'withdrawal-broadcast'].map((name) => {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(url, 'utf8')));
}) as [ValidateFunction, ValidateFunction];

type Pair = [validate: (value: unknown) => boolean, parse: (body: string) => ParseResult<unknown>];

/** A schema and a parser that should agree about every body, within the limits. */
const PAIRS: Readonly<Record<string, Pair>> = {
  deposit: [(value) => isDeposit(value), safeParseDepositReceived],
  withdrawal: [(value) => isWithdrawal(value), safeParseWithdrawalBroadcast],
  either: [(value) => isDeposit(value) || isWithdrawal(value), safeParseNotification],
};

/** The limits by which they differed. */
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

/** Returns how often a parser and its schema both accept a body. Skips text that is not JSON. */
function expectAgreement(bodies: readonly string[]): number {
  let valid = 0;
  const differed: string[] = [];
  for (const body of bodies) {
    const value = readJson(body);
    for (const [name, [validate, parse]] of value === undefined ? [] : Object.entries(PAIRS)) {
      const isValid = validate(value);
      if (isValid === parse(body).success) {
        if (isValid) valid += 1;
        continue;
      }
      const fields = readWire(body);
      const limits = LIMIT_NAMES.filter(
        // That limit is about parseNotification.
        (limit) => IS_BEYOND[limit](fields) && (limit !== 'identifiers' || name === 'either'),
      );
      if (limits.length === 0) differed.push(`the schema of ${name} says ${isValid}: ${body}`);
      for (const limit of limits) met.add(limit);
    }
  }
  expect(differed.slice(0, 10)).toStrictEqual([]);
  return valid;
}

/** The value of a text; undefined if it is not JSON. */
function readJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
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

/** A JSON object with each hostile value in a field, and without the field. */
function withEachValue(fields: WireFields, name: string): string[] {
  const others = [...fields].filter(([other]) => other !== name);
  const values = VALUES.map((value) => writeWire(new Map([...fields, [name, value]])));
  return [...values, writeWire(new Map(others))];
}
