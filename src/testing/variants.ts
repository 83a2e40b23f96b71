import { hasWireValue, readWire, type WireFields, writeWire } from '../parser/members.js';
import { quote } from '../parser/messages.js';
import { isDecimalLiteral } from '../parser/values/digits.js';
import {
  DEDUCED,
  DEDUCTED,
  DEPOSIT_SAMPLE,
  encodingOf,
  type Sample,
  WITHDRAWAL_SAMPLE,
} from './sample.js';

/** A notification in one encoding. */
export interface BodyVariant {
  /** What differs from the given body: `actualDepositAmount as a string`. */
  readonly label: string;
  /** The JSON text. */
  readonly body: string;
}

/**
 * Makes the same notification in every encoding that a receiver must accept, the given one first:
 * amounts as numbers and as strings, both spellings of `deductedSettlementAmount`, and missing
 * values as null or left out.
 *
 * If the body is valid, all variants parse to equal notifications, except for the wording of
 * warnings. A handler should settle the first variant, and treat the others as repeats.
 *
 * @param body - The JSON text of either notification, such as a {@link depositReceivedBody} or a
 * body that you kept.
 * @throws SyntaxError if the text is not JSON, TypeError for anything but text, or if the JSON is
 * not an object.
 *
 * @example
 * ```ts
 * for (const { label, body } of bodyVariants(depositReceivedBody())) {
 *   test(label, async () => expect((await post(body)).status).toBe(200));
 * }
 * ```
 */
export function bodyVariants(body: string): BodyVariant[] {
  if (typeof body !== 'string') {
    throw new TypeError(`body: expected text, received ${quote(body)}`);
  }
  const fields = readWire(body);
  const isWithdrawal = hasWireValue(fields, 'withdrawalId');
  const sample: Sample = isWithdrawal ? WITHDRAWAL_SAMPLE : DEPOSIT_SAMPLE;
  const variants = [
    ...inEitherEncoding(fields, sample),
    ...nullOrAbsent(fields, sample),
    ...(isWithdrawal ? inEitherSpelling(fields) : []),
  ];
  // Drop duplicates. Of several variants with one text, keep the first.
  const texts = [writeWire(fields), ...variants.map((variant) => variant.body)];
  const others = variants.filter((variant, index) => texts.indexOf(variant.body) === index + 1);
  return [{ label: 'as given', body }, ...others];
}

/** All amounts as numbers, all as strings, then each one in its other encoding. */
function inEitherEncoding(fields: WireFields, sample: Sample): BodyVariant[] {
  const amounts = [...fields].filter(
    ([name, wire]) => isAmount(sample, name) && isDecimalLiteral(asNumber(wire)),
  );
  const all = (write: (wire: string) => string): Changes =>
    Object.fromEntries(amounts.map(([name, wire]) => [name, write(wire)]));
  return [
    changed('every amount as a number', fields, all(asNumber)),
    changed('every amount as a string', fields, all(asString)),
    ...amounts.map(([name, wire]) =>
      isString(wire)
        ? changed(`${name} as a number`, fields, { [name]: asNumber(wire) })
        : changed(`${name} as a string`, fields, { [name]: asString(wire) }),
    ),
  ];
}

/** All missing values as null, all left out, then each one in its other form. */
function nullOrAbsent(fields: WireFields, sample: Sample): BodyVariant[] {
  const names = Object.keys(sample);
  const nulls = names.filter((name) => fields.get(name) === 'null');
  const absent = names.filter((name) => !fields.has(name));
  const all = (wire: string | undefined): Changes =>
    Object.fromEntries([...nulls, ...absent].map((name) => [name, wire]));
  return [
    changed('every missing value as null', fields, all('null')),
    changed('every missing value left out', fields, all(undefined)),
    ...nulls.map((name) => changed(`${name} left out`, fields, { [name]: undefined })),
    ...absent.map((name) => changed(`${name} as null`, fields, { [name]: 'null' })),
  ];
}

/**
 * The amount under each of its two spellings, and under both, with equal values or one of them
 * null.
 */
function inEitherSpelling(fields: WireFields): BodyVariant[] {
  const [amount, second] = [DEDUCTED, DEDUCED]
    .filter((name) => hasWireValue(fields, name))
    .map((name) => fields.get(name));
  // Two different amounts conflict, so there is no value to respell.
  if (amount === undefined || (second !== undefined && second !== amount)) return [];
  const spelled = (label: string, deducted?: string, deduced?: string): BodyVariant =>
    changed(label, fields, { [DEDUCTED]: deducted, [DEDUCED]: deduced });
  return [
    spelled(`spelled ${DEDUCTED}`, amount),
    spelled(`spelled ${DEDUCED}`, undefined, amount),
    spelled('spelled both ways', amount, amount),
    spelled(`spelled ${DEDUCED}, the other as null`, 'null', amount),
    spelled(`spelled ${DEDUCTED}, the other as null`, amount, 'null'),
  ];
}

/** Changes to fields, as JSON text; undefined removes a field. */
type Changes = Readonly<Record<string, string | undefined>>;

/** Applies changes. New fields come last. */
export function changed(label: string, fields: WireFields, changes: Changes): BodyVariant {
  const variant: WireFields = new Map(fields);
  for (const [name, wire] of Object.entries(changes)) {
    if (wire === undefined) variant.delete(name);
    else variant.set(name, wire);
  }
  return { label, body: writeWire(variant) };
}

function isAmount(sample: Sample, name: string): boolean {
  const as = encodingOf(sample, name);
  return Object.hasOwn(sample, name) && (as === 'number' || as === 'string');
}

const isString = (wire: string): boolean => wire.startsWith('"');
const asString = (wire: string): string => (isString(wire) ? wire : `"${wire}"`);
const asNumber = (wire: string): string => (isString(wire) ? wire.slice(1, -1) : wire);
