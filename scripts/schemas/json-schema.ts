/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Where a file that stands alone keeps what its fields share. */
export function ref(name: string): { $ref: string } {
  return { $ref: `#/$defs/${name}` };
}

/** A whole file: a schema with the definitions that it refers to. */
export function standAlone(schema: JsonSchema, definitions: Definitions): JsonSchema {
  return {
    $schema: DIALECT,
    $comment: 'Generated from the rules that the package reads by.',
    ...schema,
    $defs: referenced(schema, definitions),
  };
}

/** The definitions that a schema refers to, directly or through others, in alphabetical order. */
function referenced(schema: JsonSchema, definitions: Definitions): Definitions {
  const found = new Map<string, JsonSchema>();
  const visit = (value: JsonSchema): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[name];
      if (!definition) throw new Error(`there is no definition of ${name}`);
      if (found.has(name)) continue;
      found.set(name, definition);
      visit(definition);
    }
  };
  visit(schema);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A copy with every `$ref` moved from one place to another. */
export function moveRefs<T>(value: T, to: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', `"${to}`));
}

/** The title of a field: `actualDepositAmount` is `Actual deposit amount`. */
export function titleOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1).replace(/ id$/, ' ID');
}

/** An object with each value turned into another. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
