import type { NotificationType } from '../parser/errors.js';
import { quote } from '../parser/messages.js';
import type { RawBody } from '../parser/parse.js';
import { Decimal } from '../parser/values/amount.js';
import { absentFrom, readFields } from './fields.js';
import type { Inspection } from './inspection.js';
import { findJsonFault } from './json-fault.js';
import { type InspectOptions, judgeBody } from './judgement.js';
import { findQuirks } from './quirks.js';

export type { InspectedField, Inspection } from './inspection.js';
export type { JsonFault } from './json-fault.js';
export type { InspectOptions } from './judgement.js';
export type { Quirk, QuirkCode } from './quirks.js';
export type { Verdict } from './verdict.js';

const TYPES: readonly NotificationType[] = ['deposit.received', 'withdrawal.broadcast'];

/**
 * Describes how the parser reads a body: its outcome, a sentence for support, and every field as
 * sent and as parsed. Use it in tools and dashboards. To handle a notification, call a parser.
 *
 * @param body - The raw body, as text or bytes.
 * @param options - `as` sets the expected type; `isSaved` says that the body is saved already.
 * @returns Plain data. Nothing is redacted: it contains every value of the body, including personal
 * data.
 * @throws TypeError if the body is an object that is already parsed, or `as` is unknown.
 *
 * @example
 * ```ts
 * const { outcome, fields } = inspectBody(rawBody);
 * fields[0]; // { name: 'onChainFee', raw: '1.2E-7', parsed: '0.00000012', quirks: [...] }
 * ```
 */
export function inspectBody(body: RawBody, options: InspectOptions = {}): Inspection {
  const { as } = options;
  if (as !== undefined && !TYPES.includes(as)) {
    throw new TypeError(`as: expected ${TYPES.join(' or ')}, received ${quote(as)}`);
  }
  const { judgement, opened, reading } = judgeBody(body, options);
  const fields = opened.fields === null ? [] : readFields(opened, reading);
  const noJson = opened.fields === null ? opened.text : undefined;
  const read = reading?.notification ?? null;
  const isAccepted = judgement.outcome !== 'refused';
  return {
    ...judgement,
    fields: fields.map((field) => {
      const { name, raw, value } = field;
      return { name, raw, parsed: toPlain(value), quirks: findQuirks(field, read, isAccepted) };
    }),
    absent: absentFrom(fields, reading),
    jsonFault: noJson === undefined ? null : findJsonFault(noJson),
  };
}

/** A value as in the notification's JSON. */
function toPlain(value: unknown): unknown {
  return value instanceof Decimal || value instanceof Date ? value.toJSON() : (value ?? null);
}
