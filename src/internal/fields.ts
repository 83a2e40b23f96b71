import type { NotificationIssue } from '../errors.js';
import type { OpenBody } from './body.js';
import { issue } from './issues.js';
import { mayBeRounded, parseLiterally } from './json.js';
import { type Fields, isDeeplyNested, MAX_LEVELS, ownProperties } from './objects.js';
import { quote, quoteLiteral } from './quote.js';
import type { FieldOf, Rule, Rules, RulesOf } from './rules.js';

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

/** The state of reading one JSON object. */
interface Context extends OpenBody {
  /** The object around a nested one. */
  readonly parent: Context | null;
  /** Path from the body to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** Faults that refuse the body. Shared with nested objects. */
  readonly issues: NotificationIssue[];
  /** Faults that don't refuse the body. Shared with nested objects. */
  readonly warnings: NotificationIssue[];
  /** The names of documented fields that could not be read. */
  readonly unreadable: string[];
  /** Kept by {@link exactNumber}: whether `JSON.parse` may have rounded a number of the text. */
  isRounded: boolean | null;
  /** Kept by {@link literalsOf}. */
  literals: Fields | null;
}

/** Creates a function that reads a notification by its rules. */
/* @__NO_SIDE_EFFECTS__ */
export function notificationReader<T extends { readonly type: string }>(
  type: T['type'],
  rules: RulesOf<T>,
): Reader<T> {
  const { empty, ...rest } = createPlan(rules);
  const plan = { ...rest, empty: { type, ...empty, warnings: null } };
  return ({ fields, text }) => {
    const context: Context = {
      fields,
      text,
      parent: null,
      path: [],
      issues: [],
      warnings: [],
      unreadable: [],
      isRounded: null,
      literals: null,
    };
    const output = readObject(context, plan);
    output.warnings = context.warnings;
    if (text === null && hasNumericAmount(fields, plan)) context.warnings.unshift(parsedBody());
    return { notification: output as Partly<T>, issues: context.issues };
  };
}

/** Creates a function that reads a nested object by its rules. */
function objectReader(rules: Rules): PlannedRule['read'] {
  const plan = createPlan(rules);
  return (value, name, parent) => {
    const fields = ownProperties(value);
    if (fields === null) return null;
    const path = [...parent.path, name];
    return readObject({ ...parent, fields, parent, path, unreadable: [], literals: null }, plan);
  };
}

/** Rules, prepared once for all objects. */
interface Plan {
  readonly rules: readonly PlannedRule[];
  readonly ruleOf: ReadonlyMap<string, PlannedRule>;
  /** An output without values. Filling a copy is faster than adding 30 properties. */
  readonly empty: Fields;
}

/** The rule of a name in a JSON object. */
export interface NamedRule extends Pick<Rule, 'need' | 'type'> {
  readonly name: string;
  /** The name in the output: another for a second spelling. */
  readonly outputName: string;
}

/** A rule, prepared for reading. */
interface PlannedRule extends NamedRule {
  /** The place in the list of an object's rules. */
  readonly position: number;
  /** Reads a value. Returns null if it can't. Only a nested object uses `name` and `parent`. */
  readonly read: (value: unknown, name: string, parent: Context) => unknown;
}

function createPlan(table: Rules): Plan {
  const rules = namedRules(table).map(({ name, outputName, need, type }, position) => {
    const read = type.kind === 'object' ? objectReader(type.rules) : type.read;
    // No spread of the rule, which would give each a hidden class: reading took a tenth longer.
    return { name, outputName, need, type, position, read };
  });
  const outputNames = [...Object.keys(table), 'additionalFields'];
  return {
    rules,
    ruleOf: new Map(rules.map((rule) => [rule.name, rule])),
    empty: Object.fromEntries(outputNames.map((name) => [name, null])),
  };
}

/** Returns a rule for each name in a JSON object, in output order. */
export function namedRules(rules: Rules): NamedRule[] {
  return Object.entries(rules).flatMap(([outputName, { need, type, otherName }]) => {
    const names = otherName === null ? [outputName] : [outputName, otherName];
    return names.map((name) => ({ name, outputName, need, type }));
  });
}

function readObject(context: Context, { rules, ruleOf, empty }: Plan): Record<string, unknown> {
  const { fields } = context;
  // One loop over the fields takes half as long as a lookup for each rule, and finds those without
  // a rule.
  const values = new Array<unknown>(rules.length);
  let isKnown = true;
  for (const name in fields) {
    const rule = ruleOf.get(name);
    if (rule === undefined) isKnown = false;
    else values[rule.position] = fields[name];
  }
  const output: Record<string, unknown> = { ...empty };
  for (const rule of rules) {
    const { name, outputName } = rule;
    const value = readField(context, rule, values[rule.position]);
    output[outputName] =
      name === outputName ? value : oneOfTwo(context, rule, output[outputName], value);
  }
  const isComplete = isKnown && context.unreadable.length === 0;
  output.additionalFields = isComplete ? {} : additionalFields(context, ruleOf);
  return output;
}

function readField(context: Context, rule: PlannedRule, value: unknown): unknown {
  if (value === undefined) return noteFault(context, rule, value);
  const { name, type, read } = rule;
  const isNumericAmount = typeof value === 'number' && type.kind === 'amount';
  const exact = isNumericAmount ? exactNumber(context, name, value) : value;
  return read(exact, name, context) ?? noteFault(context, rule, value, exact);
}

/** Returns a number of the body, or the text of its literal if `JSON.parse` may have rounded it. */
function exactNumber(context: Context, name: string, value: number): unknown {
  if (context.text === null) return value;
  context.isRounded ??= mayBeRounded(context.text);
  return context.isRounded ? literalsOf(context)[name] : value;
}

/** The fields with each number as the text of its literal; the same `fields` for a parsed body. */
function literalsOf(context: Context): Fields {
  const { fields, text, parent, path } = context;
  if (text === null) return fields;
  context.literals ??=
    parent === null ? parseLiterally(text) : (literalsOf(parent)[String(path.at(-1))] as Fields);
  return context.literals;
}

/**
 * Returns the value of a field with two spellings. If they contradict each other, adds a warning.
 */
function oneOfTwo(context: Context, rule: NamedRule, value: unknown, other: unknown): unknown {
  if (value === null || other === null || String(value) === String(other)) return value ?? other;
  const { outputName, name } = rule;
  const sameAmount = `the same amount as in ${name} (${quoteLiteral(String(other))})`;
  const received = quoteLiteral(String(value));
  context.warnings.push(issue('conflicting_fields', [outputName], sameAmount, received));
  context.unreadable.push(outputName, name);
  return null;
}

/** Adds an issue or a warning, as the rule says. */
function noteFault(
  context: Context,
  { name, need, type }: NamedRule,
  value: unknown,
  exact: unknown = value,
): null {
  const isAbsent = value === undefined || value === null || (value === '' && need !== 'required');
  if (isAbsent && need === 'optional') return null;

  const fault = type.explain(exact);
  // `exact` may be a number's literal, which is a string but must not be quoted.
  const received = exact === value ? fault.received : quoteLiteral(String(exact));
  let { code } = fault;
  if (isAbsent) code = 'missing_field';
  else if (value === '') code = 'wrong_type';
  const noted = issue(code, [...context.path, name], fault.expected, received);
  if (need === 'required') {
    context.issues.push(noted);
  } else {
    context.warnings.push(noted);
    if (!isAbsent) context.unreadable.push(name);
  }
  return null;
}

/** How many digits an amount has doesn't matter: one that `JSON.parse` rounded may be short. */
function hasNumericAmount(fields: Fields, { rules }: Plan): boolean {
  return rules.some(({ name, type }) => type.kind === 'amount' && typeof fields[name] === 'number');
}

function parsedBody(): NotificationIssue {
  const received = 'a parsed object, whose amounts JSON.parse may have rounded. Pass the raw body';
  return issue('parsed_body', [], 'the raw text or bytes', received);
}

/** Collects the fields that no rule is about, or that could not be read. */
function additionalFields(context: Context, ruleOf: Plan['ruleOf']): Fields {
  const { fields, unreadable, warnings, path } = context;
  const names = Object.keys(fields).filter(
    (name) => !ruleOf.has(name) || unreadable.includes(name),
  );
  // Most new fields are strings, for which the text need not be parsed again.
  const isText = names.every((name) => typeof fields[name] === 'string');
  return pickFields(isText ? fields : literalsOf(context), names, path, warnings);
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
