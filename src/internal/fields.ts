import type { NotificationIssue } from '../errors.js';
import type { OpenBody } from './body.js';
import { issue } from './issues.js';
import { mayBeRounded, parseLiterally } from './json.js';
import { type Fields, isDeeplyNested, MAX_LEVELS, ownProperties } from './objects.js';
import { quote, quoteLiteral } from './quote.js';
import { type FieldOf, type NamedRule, namedRules, type Rules, type RulesOf } from './rules.js';

/** What was read, perhaps with issues. A required field is null if it has one. */
export type Partly<T> = {
  readonly [Name in keyof T]: Name extends FieldOf<T> ? T[Name] | null : T[Name];
};

/** A notification as far as it could be read, and the faults that refuse it. */
export interface Reading<T> {
  readonly notification: Partly<T>;
  readonly issues: readonly NotificationIssue[];
}

export type Reader<T> = (body: OpenBody) => Reading<T>;

/** A JSON object that is read: the body, or one in a field of it. */
interface Source {
  readonly fields: Fields;
  /**
   * Returns the fields with each number as the text of its literal. Null for a parsed body, which
   * has no text.
   */
  readonly literals: (() => Fields) | null;
  /** Returns whether `JSON.parse` may have rounded a number. */
  readonly isRounded: () => boolean;
  /** Path from the body to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** Faults that refuse the body. Shared with nested objects. */
  readonly issues: NotificationIssue[];
  /** Faults that don't refuse the body. Shared with nested objects. */
  readonly warnings: NotificationIssue[];
  /** The names of fields that could not be read, and have a warning. */
  readonly unreadable: string[];
}

/** Creates a function that reads a notification by its rules. */
/* @__NO_SIDE_EFFECTS__ */
export function notificationReader<T extends { readonly type: string }>(
  type: T['type'],
  table: RulesOf<T>,
): Reader<T> {
  const plan = createPlan(table, { type }, { warnings: null });
  return ({ fields, text }) => {
    const source: Source = {
      fields,
      literals: text === null ? null : once(() => parseLiterally(text)),
      isRounded: once(() => text !== null && mayBeRounded(text)),
      path: [],
      issues: [],
      warnings: [],
      unreadable: [],
    };
    const output = readObject(source, plan);
    const { issues, warnings } = source;
    if (text === null && hasNumericAmount(fields, plan)) warnings.unshift(PARSED_BODY);
    output.warnings = warnings;
    return { notification: output as Partly<T>, issues };
  };
}

/** The rules of an object, prepared once. */
interface Plan {
  /** In output order. */
  readonly rules: readonly PlannedRule[];
  /** The places in `rules` by the names in its JSON. */
  readonly places: ReadonlyMap<string, number>;
  /** An output without values. Filling a copy is faster than adding 30 properties. */
  readonly empty: Fields;
}

/** A rule, and for a nested object, the plan of its own rules. */
interface PlannedRule extends NamedRule {
  readonly nested: Plan | null;
}

function createPlan(table: Rules, first: Fields = {}, last: Fields = {}): Plan {
  const rules = namedRules(table).map(({ name, outputName, need, type }) => {
    const nested = type.kind === 'object' ? createPlan(type.rules) : null;
    // No spread of the rule, which would give each a hidden class: reading took a tenth longer.
    return { name, outputName, need, type, nested };
  });
  const names = [...Object.keys(table), 'additionalFields'];
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return {
    rules,
    places: new Map(rules.map(({ name }, place) => [name, place])),
    empty: { ...first, ...nulls, ...last },
  };
}

function readObject(source: Source, { rules, places, empty }: Plan): Record<string, unknown> {
  const { fields } = source;
  // One loop over the fields takes half as long as a lookup for each rule, and finds those without
  // a rule.
  const values = new Array<unknown>(rules.length);
  let isKnown = true;
  for (const name in fields) {
    const place = places.get(name);
    if (place === undefined) isKnown = false;
    else values[place] = fields[name];
  }
  const output: Record<string, unknown> = { ...empty };
  for (let place = 0; place < rules.length; place += 1) {
    const rule = rules[place] as PlannedRule;
    const { name, outputName } = rule;
    const value = readField(source, rule, values[place]);
    output[outputName] =
      name === outputName ? value : oneOfTwo(source, rule, output[outputName], value);
  }
  const isComplete = isKnown && source.unreadable.length === 0;
  output.additionalFields = isComplete ? {} : additionalFields(source, places);
  return output;
}

function readField(
  source: Source,
  { name, need, type, nested }: PlannedRule,
  sent: unknown,
): unknown {
  if (sent === undefined && need === 'optional') return null;
  const isLiteral = typeof sent === 'number' && type.kind === 'amount' && source.isRounded();
  const value = isLiteral ? source.literals?.()[name] : sent;
  const read = type.kind === 'object' ? readNested(source, name, nested as Plan) : type.read(value);
  if (read !== null) return read;

  const isAbsent = sent === undefined || sent === null || (sent === '' && need !== 'required');
  if (isAbsent && need === 'optional') return null;
  const { code, expected, received } = type.explain(value);
  const noted = issue(
    isAbsent ? 'missing_field' : sent === '' ? 'wrong_type' : code,
    [...source.path, name],
    expected,
    // A literal is a string, but not one of the body.
    isLiteral ? quoteLiteral(String(value)) : received,
  );
  (need === 'required' ? source.issues : source.warnings).push(noted);
  if (need !== 'required' && !isAbsent) source.unreadable.push(name);
  return null;
}

/** Reads the object in a field. Null if there is none. */
function readNested(source: Source, name: string, plan: Plan): Fields | null {
  const fields = ownProperties(source.fields[name]);
  if (fields === null) return null;
  const { literals } = source;
  const path = [...source.path, name];
  const ownLiterals = literals && (() => literals()[name] as Fields);
  return readObject({ ...source, fields, literals: ownLiterals, path, unreadable: [] }, plan);
}

/**
 * Returns the value of a field with two spellings. If they contradict each other, adds a warning.
 */
function oneOfTwo(source: Source, rule: NamedRule, value: unknown, other: unknown): unknown {
  if (value === null || other === null || String(value) === String(other)) return value ?? other;
  const { outputName, name } = rule;
  const sameAmount = `the same amount as in ${name} (${quoteLiteral(String(other))})`;
  const received = quoteLiteral(String(value));
  source.warnings.push(issue('conflicting_fields', [outputName], sameAmount, received));
  source.unreadable.push(outputName, name);
  return null;
}

/** How many digits an amount has doesn't matter: one that `JSON.parse` rounded may be short. */
function hasNumericAmount(fields: Fields, { rules }: Plan): boolean {
  return rules.some(({ name, type }) => type.kind === 'amount' && typeof fields[name] === 'number');
}

const PARSED_BODY: NotificationIssue = /* @__PURE__ */ issue(
  'parsed_body',
  [],
  'the raw text or bytes',
  'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body',
);

/** Collects the fields that no rule is about, or that could not be read. */
function additionalFields(source: Source, places: Plan['places']): Fields {
  const { fields, literals, unreadable, warnings, path } = source;
  const names = Object.keys(fields).filter(
    (name) => !places.has(name) || unreadable.includes(name),
  );
  // Most new fields are strings, for which the text need not be parsed again.
  const isText = names.every((name) => typeof fields[name] === 'string');
  return pickFields(isText || !literals ? fields : literals(), names, path, warnings);
}

/**
 * Copies some fields. Leaves out those that are nested too deeply for JSON.stringify, and notes
 * each.
 *
 * @param path - Path to the object that has the fields.
 */
export function pickFields(
  fields: Fields,
  names: readonly string[],
  path: readonly string[],
  faults: NotificationIssue[],
): Fields {
  const entries: [name: string, value: unknown][] = [];
  for (const name of names) {
    const value = fields[name];
    if (isDeeplyNested(value)) {
      // The name may be any text, so it is quoted, and not a part of the path.
      const expected = `fields of at most ${MAX_LEVELS} levels of nesting`;
      const received = `more in ${quote(name)}. The field is left out`;
      faults.push(issue('wrong_type', path, expected, received));
    } else {
      entries.push([name, value]);
    }
  }
  // Unlike an assignment, this treats `__proto__` as an ordinary name.
  return Object.fromEntries(entries);
}

/** Returns a function that makes a value when it is first called. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
