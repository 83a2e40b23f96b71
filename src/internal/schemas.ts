import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import { AMOUNT_LIMITS, type Decimal, isDecimalLiteral, toAmount } from '../amount.js';
import type { IssueCode } from '../errors.js';
import { toDate } from '../timestamp.js';
import { quote } from './issues.js';

// Each schema has a `~run` of its own, like valibot's: a pipe of unknown() and rawTransform() takes twice as
// long to read an amount.

/** What is wrong with a value. */
export interface Fault {
  readonly code: IssueCode;
  readonly expected: string;
  readonly received: string;
}

/**
 * What readers pass to every schema. No host has messages in this made-up language, so valibot calls none of
 * the message functions that a host has registered. The host's global configuration is not read either.
 */
export const OWN_CONFIG: Config = { lang: 'payment-notifications' };

type Schema<T> = v.GenericSchema<unknown, T>;
type Dataset = Parameters<Schema<unknown>['~run']>[0];
type Config = Parameters<Schema<unknown>['~run']>[1];
type OutputDataset<T> = ReturnType<Schema<T>['~run']>;

/**
 * A valibot schema of our own.
 *
 * @param type - Its name in valibot's issues.
 * @param run - Turns the dataset of an input into that of an output, with {@link accept} or {@link reject}.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createSchema<T>(
  type: string,
  run: (this: Schema<T>, dataset: Dataset, config: Config) => OutputDataset<T>,
): Schema<T> {
  const schema: Schema<T> = {
    kind: 'schema',
    type,
    reference: createSchema,
    expects: type,
    async: false,
    '~standard': {
      version: 1,
      vendor: 'valibot',
      // As in valibot's own schemas, the dataset is the result.
      validate: (value) =>
        schema['~run']({ value }, v.getGlobalConfig()) as StandardSchemaV1.Result<T>,
    },
    '~run': run,
  };
  return schema;
}

// As valibot's own schemas do, these two turn the dataset that they were given into the result.

export function accept<T>(dataset: Dataset, output: T): OutputDataset<T> {
  const success = dataset as unknown as v.SuccessDataset<T>;
  success.typed = true;
  success.value = output;
  return success;
}

/** @param explain - What is wrong with the value. */
export function reject<T>(
  schema: Schema<T>,
  dataset: Dataset,
  config: Config,
  explain: (value: unknown) => Fault,
): OutputDataset<T> {
  if (config === OWN_CONFIG) {
    // The reader explains by itself, with a code.
    const rejected: { issues?: unknown } = dataset;
    rejected.issues = [];
  } else {
    const { expected, received } = explain(dataset.value);
    v._addIssue(schema, schema.type, dataset, config, { expected, received });
  }
  return dataset as unknown as OutputDataset<T>;
}

/**
 * An amount as a field of your own schema: a number, or a string in JSON's grammar of numbers, as a
 * `Decimal`. It may be below zero. A string's value is exact; of a number in JSON, `JSON.parse` has kept
 * 15 to 17 digits.
 *
 * @example
 * ```ts
 * const Refund = v.object({ orderId: v.string(), amount: AmountSchema });
 * v.parse(Refund, { orderId: 'order-10042', amount: '950.25' }).amount.toString(); // '950.25'
 * ```
 */
export const AmountSchema: Schema<Decimal> = /* @__PURE__ */ createAmountSchema(true);

/** An amount of zero or more. */
export const NonNegativeAmountSchema: Schema<Decimal> = /* @__PURE__ */ createAmountSchema(false);

/* @__NO_SIDE_EFFECTS__ */
function createAmountSchema(allowsNegative: boolean): Schema<Decimal> {
  return createSchema('amount', function (dataset, config) {
    const { value } = dataset;
    const amount = isNumberOrString(value) ? toAmount(value) : null;
    return amount === null || (!allowsNegative && amount.s < 0)
      ? reject(this, dataset, config, explainAmount)
      : accept(dataset, amount);
  });
}

/**
 * A point in time as a field of your own schema: a UNIX time in seconds or milliseconds, or a date-time
 * of RFC 3339, as a `Date`.
 *
 * @example
 * ```ts
 * const Expiry = v.object({ expiresAt: TimestampSchema });
 * v.parse(Expiry, { expiresAt: 1790003600 }).expiresAt.toISOString(); // '2026-09-21T15:13:20.000Z'
 * ```
 */
export const TimestampSchema: Schema<Date> = createSchema('timestamp', function (dataset, config) {
  const { value } = dataset;
  const date = isNumberOrString(value) ? toDate(value) : null;
  return date === null ? reject(this, dataset, config, explainTimestamp) : accept(dataset, date);
});

export function explainAmount(value: unknown): Fault {
  const expected = 'a decimal number';
  if (!isNumberOrString(value)) return { code: 'wrong_type', expected, received: quote(value) };
  const amount = toAmount(value);
  // Plain digits: JavaScript prints a negative satoshi as -1e-8.
  const received = typeof value === 'number' && amount !== null ? String(amount) : quote(value);
  if (amount !== null) return { code: 'negative_amount', expected: 'zero or more', received };
  const isBeyondLimits = isDecimalLiteral(String(value));
  return { code: 'invalid_amount', expected: isBeyondLimits ? AMOUNT_LIMITS : expected, received };
}

export function explainTimestamp(value: unknown): Fault {
  return {
    code: isNumberOrString(value) ? 'invalid_timestamp' : 'wrong_type',
    expected: 'a UNIX timestamp or a date-time of RFC 3339',
    received: quote(value),
  };
}

function isNumberOrString(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string';
}
