import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isSafe } from 'redos-detector';
import { describe, expect, test } from 'vitest';
import { FOLDER, schemaFiles } from '../../scripts/schemas/files.js';
import { acceptedSchema, documentedSchema } from '../../scripts/schemas/wire.js';

const files = schemaFiles();
const schemas = files.filter(([name]) => name.endsWith('.schema.json'));

test.each(files)('schemas/%s describes all that it names', (_, text) => {
  expect(text).not.toContain('"description": ""');
  expect(text).not.toContain('"description": "undefined');
});

test('openapi.json is valid OpenAPI 3.1', async () => {
  const path = fileURLToPath(new URL('openapi.json', FOLDER));
  expect(await new Validator().validate(path)).toMatchObject({ valid: true });
});

const patterns = new Set(schemas.flatMap(([, text]) => patternsOf(JSON.parse(text))));

test.each([...patterns])('%s is matched in linear time, in any dialect', (pattern) => {
  expect(isSafe(new RegExp(pattern)).safe).toBe(true);
  // RE2 has no look-around and no back-references, and these classes are not the same everywhere.
  expect(pattern).not.toMatch(/\(\?[!=<]|\\[1-9bdpsw]/i);
});

describe.each(['deposit-received', 'withdrawal-broadcast'] as const)(
  'the schemas of %s',
  (name) => {
    const documented = fieldsOf(documentedSchema(name));
    const accepted = fieldsOf(acceptedSchema(name));

    test('give each field a title, its meaning, whether it must be there, and an example', () => {
      expect(accepted.map((field) => field.name)).toStrictEqual(documented.map(({ name }) => name));
      for (const { name, title, description, examples } of [...documented, ...accepted]) {
        expect(title, name).toMatch(/^[A-Z]/);
        expect(description, name).toMatch(/\. (?:Required|Expected|Optional)[: ]/);
        expect(examples, name).toHaveLength(1);
      }
    });

    test('accept the body that their examples make', () => {
      const body = Object.fromEntries(documented.map(({ name, examples }) => [name, examples[0]]));
      const ajv = new Ajv2020();
      expect(ajv.validate(documentedSchema(name), body)).toBe(true);
      expect(ajv.validate(acceptedSchema(name), body)).toBe(true);
    });
  },
);

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
