/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** Refers to a definition in the same file. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

/** A whole file: a schema with the definitions that it or another definition refers to. */
export function standAlone(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const text = JSON.stringify([schema, definitions]);
  const used = Object.entries(definitions).filter(([name]) => text.includes(`"#/$defs/${name}"`));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'Generated from the rules that the package reads by.',
    ...schema,
    $defs: Object.fromEntries(used),
  };
}

/** The title of a field or a body: of `actualDepositAmount`, it is `Actual deposit amount`. */
export function titleOf(name: string): string {
  const words = name.replace('-', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1).replace(/ id$/, ' ID');
}

/** Holds for a completed withdrawal alone. */
export function ifCompleted(schema: JsonSchema): JsonSchema {
  return {
    if: { properties: { status: { const: 'COMPLETED' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: schema,
  };
}

/** An object with each value turned into another. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}
