import { describe, expect, test } from 'vitest';
import type { FieldTable } from '../scripts/pages/fields.js';
import { nameOfRule } from '../src/parser/spelling.js';
import { FIELDS, issuesOf, parseWith } from './sample-bodies.js';

/** Compares the rules of a table with lines of need, kind and names. Optional fields have none. */
export function expectRules(table: FieldTable, contract: string): void {
  const rules = Object.values(table)
    .filter(({ need }) => need !== 'optional')
    .map(({ name, need, type }) => `${need} ${type.kind} ${name}`);
  const expected = contract
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [need, kind, ...names] = line.split(/ +/);
      return names.map((name) => `${need} ${kind} ${name}`);
    });
  expect(rules.sort()).toStrictEqual(expected.sort());
}

/** Tests that a field that is missing or unreadable is refused or null, as its rule says. */
export function testRules(of: 'deposit' | 'withdrawal'): void {
  describe.each(FIELDS.filter((field) => field.of === of))('$name', (field) => {
    const { name, need } = field;
    const outputName = nameOfRule(name);
    const rest = { deductedSettlementAmount: undefined };

    test('follows its rule if it is unreadable', () => {
      const result = parseWith(field, '[]', rest);
      expect(issuesOf(result)).toMatchObject([{ code: 'wrong_type', path: [name] }]);
      expect(result.success).toBe(need !== 'required');
      if (result.success) {
        expect(result.notification).toMatchObject({ additionalFields: { [name]: [] } });
      }
    });

    test.each([undefined, 'null', '""'])('follows its rule if it is %s', (wire) => {
      const result = parseWith(field, wire, rest);
      const code = need === 'required' && wire === '""' ? 'wrong_type' : 'missing_field';
      const faults = need === 'optional' ? [] : [{ code, path: [name] }];
      expect(issuesOf(result)).toMatchObject(faults);
      expect(result.success).toBe(need !== 'required');
      if (result.success) {
        expect(result.notification).toMatchObject({ [outputName]: null, additionalFields: {} });
      }
    });
  });
}
