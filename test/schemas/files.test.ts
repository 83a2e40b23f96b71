import { Ajv2020 } from 'ajv/dist/2020.js';
import { isSafe } from 'redos-detector';
import { describe, expect, test } from 'vitest';
import { BODY_NAMES, bodySchema } from '../../scripts/schemas/body.js';

const patterns = new Set(BODY_NAMES.flatMap((name) => patternsOf(bodySchema(name))));

test.each([...patterns])('%s is matched in linear time, in any dialect', (pattern) => {
  expect(isSafe(new RegExp(pattern)).safe).toBe(true);
  // RE2 has no look-around and no back-references, and these classes are not the same everywhere.
  expect(pattern).not.toMatch(/\(\?[!=<]|\\[1-9bdpsw]/i);
});

describe.each(BODY_NAMES)('the schema of %s', (name) => {
  const fields = fieldsOf(bodySchema(name));

  test('gives each field a title, its meaning, whether it must be there, and an example', () => {
    for (const { name, title, description, examples } of fields) {
      expect(title, name).toMatch(/^[A-Z]/);
      expect(description, name).toMatch(/^(?!undefined).*\. (?:Required|Expected|Optional)[: ]/);
      expect(examples, name).toHaveLength(1);
    }
  });

  test('accepts the body that its examples make', () => {
    const body = Object.fromEntries(fields.map(({ name, examples }) => [name, examples[0]]));
    expect(new Ajv2020().validate(bodySchema(name), body)).toBe(true);
  });
});

function patternsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === 'pattern' && typeof value === 'string' ? [value] : patternsOf(value),
  );
}

function fieldsOf({ properties }: Readonly<Record<string, unknown>>) {
  return Object.entries(
    properties as Record<string, { title: string; description: string; examples: unknown[] }>,
  ).map(([name, field]) => ({ name, ...field }));
}
