import { OTHER_SPELLING, SPELLING } from '../parser/spelling.js';
import { type Decimal, toAmount } from '../parser/values/amount.js';
import { isDecimalLiteral } from '../parser/values/digits.js';
import { DEPOSIT_SAMPLE, type Sample, typeOf, WITHDRAWAL_SAMPLE } from './sample.js';
import { hasWireValue, readWire, type WireFields, writeWire } from './wire.js';

/** A notification in one encoding. */
export interface BodyVariant {
  /** What differs from the given body: `every amount as a string`. */
  readonly label: string;
  /** The JSON text. */
  readonly body: string;
}

/**
 * Writes the same notification in every form that a receiver must accept, the given one first:
 * amounts as numbers and as strings, with an exponent and with trailing zeros, both spellings of
 * `deductedSettlementAmount`, missing values as null or left out, and other white space and order.
 *
 * If the body is valid, all variants parse to equal notifications, except for the wording of
 * warnings. A handler should settle the first variant, and treat the others as repeats.
 *
 * @param body - The JSON text of either notification, such as a {@link depositReceivedBody} or a
 * body that you saved.
 * @throws SyntaxError if the text is not JSON.
 * @throws TypeError if `body` is not text, or its JSON is not an object.
 *
 * @example
 * ```ts
 * for (const { label, body } of bodyVariants(depositReceivedBody())) {
 *   test(label, async () => expect((await post(body)).status).toBe(200));
 * }
 * ```
 */
export function bodyVariants(body: string): BodyVariant[] {
  const fields = readWire(body);
  // Several forms may have one text, such as that of the given body.
  const texts = new Set([body, writeWire(fields)]);
  const others = formsOf(fields).filter(({ body: text }) => {
    const isNew = !texts.has(text);
    texts.add(text);
    return isNew;
  });
  return [{ label: 'as given', body }, ...others];
}

const isString = (wire: string): boolean => wire.startsWith('"');
const asNumber = (wire: string): string => (isString(wire) ? wire.slice(1, -1) : wire);
const isReadable = (wire: string): boolean => toAmount(asNumber(wire))?.gte(0) ?? false;

/** Writes an amount in another way, unless it can't be read or is negative. */
const withDigits =
  (write: (amount: Decimal) => string) =>
  (wire: string): string => {
    const amount = toAmount(asNumber(wire));
    if (!amount?.gte(0)) return wire;
    return isString(wire) ? `"${write(amount)}"` : write(amount);
  };

export function inBothEncodings(fields: WireFields): BodyVariant[] {
  return inForms(fields, {
    'as a number': asNumber,
    'as a string': (wire) => `"${asNumber(wire)}"`,
  });
}

function inForms(
  fields: WireFields,
  forms: Readonly<Record<string, (wire: string) => string>>,
): BodyVariant[] {
  // Two amounts that conflict are in `additionalFields`, as they were sent.
  const amounts = deductedIn(fields).length > 1 ? [] : amountsIn(fields);
  return Object.entries(forms).map(([form, write]) => {
    const written = amounts.map(([name, wire]) => [name, write(wire)]);
    return changed(`every amount ${form}`, fields, Object.fromEntries(written));
  });
}

function formsOf(fields: WireFields): BodyVariant[] {
  const missing = (form: string, wire?: string): BodyVariant => {
    const names = Object.keys(sampleOf(fields)).filter((name) => isMissing(fields, name));
    const written = names.map((name) => [name, wire]);
    return changed(`every missing value ${form}`, fields, Object.fromEntries(written));
  };
  return [
    ...inBothEncodings(fields),
    ...inForms(fields, {
      'with an exponent': withDigits((amount) => amount.toExponential()),
      'with trailing zeros': withDigits((amount) => amount.toFixed(amount.decimalPlaces() + 2)),
    }),
    missing('as null', 'null'),
    missing('left out'),
    ...(hasWireValue(fields, 'withdrawalId') ? inEitherSpelling(fields) : []),
    { label: 'fields in reverse order', body: writeWire(new Map([...fields].reverse())) },
    { label: 'indented', body: indented(fields) },
  ];
}

function indented(fields: WireFields): string {
  const lines = [...fields].map(([name, wire]) => `  ${JSON.stringify(name)}: ${wire}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

function sampleOf(fields: WireFields): Sample {
  return hasWireValue(fields, 'withdrawalId') ? WITHDRAWAL_SAMPLE : DEPOSIT_SAMPLE;
}

const isMissing = (fields: WireFields, name: string): boolean =>
  (fields.get(name) ?? 'null') === 'null';

function amountsIn(fields: WireFields): [name: string, wire: string][] {
  const sample = sampleOf(fields);
  return [...fields].filter(
    ([name, wire]) => typeOf(sample, name)?.kind === 'amount' && isDecimalLiteral(asNumber(wire)),
  );
}

const SPELLINGS = [SPELLING, OTHER_SPELLING] as const;

/** The amount in its two spellings; two amounts if they conflict. */
function deductedIn(fields: WireFields): (string | undefined)[] {
  const spellings = SPELLINGS.filter((name) => hasWireValue(fields, name));
  return [...new Set(spellings.map((name) => fields.get(name)))];
}

/**
 * The amount under each of its two spellings, and under both, with equal values or one of them
 * null.
 */
function inEitherSpelling(fields: WireFields): BodyVariant[] {
  const [amount, ...others] = deductedIn(fields);
  // There is no value to respell if two amounts conflict, or if one can't be read.
  if (amount === undefined || others.length > 0 || !isReadable(amount)) return [];
  const [sample, table] = SPELLINGS;
  const spelled = (label: string, inSample?: string, inTable?: string): BodyVariant =>
    changed(label, fields, { [sample]: inSample, [table]: inTable });
  return [
    spelled(`spelled ${sample}`, amount),
    spelled(`spelled ${table}`, undefined, amount),
    spelled('spelled both ways', amount, amount),
    spelled(`spelled ${table}, the other as null`, 'null', amount),
    spelled(`spelled ${sample}, the other as null`, amount, 'null'),
  ];
}

/** Writes changes, as JSON text; undefined removes a field. New fields come last. */
export function changed(
  label: string,
  fields: WireFields,
  changes: Readonly<Record<string, string | undefined>>,
): BodyVariant {
  const variant: WireFields = new Map(fields);
  for (const [name, wire] of Object.entries(changes)) {
    if (wire === undefined) variant.delete(name);
    else variant.set(name, wire);
  }
  return { label, body: writeWire(variant) };
}
