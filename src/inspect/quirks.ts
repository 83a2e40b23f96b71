import { escapeUnprintable } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Incomplete } from '../parser/read.js';
import { Decimal } from '../parser/values/amount.js';
import type { TxAddress } from '../parser/values/tx-address.js';
import { DEDUCED, DEDUCTED, encodingOf, SAMPLES } from '../shared/sample.js';
import type { FieldReading } from './fields.js';

/** The notes of the quirks. Some are followed by a detail. */
const NOTES = {
  additional: "the service doesn't document this field",
  unreadable: 'not read; kept in additionalFields',
  repeated: 'sent more than once; the last value counts',
  empty_text: 'an empty string counts as no value',
  encoding: 'unlike the sample, which has ',
  lost_digits: 'a plain JSON.parse would read ',
  exponent: 'JavaScript prints this number as ',
  spelling: 'the service also documents the spelling ',
  milliseconds: 'read as milliseconds, because it is too large for seconds',
  date_time: 'a date-time; the sample has a UNIX time',
  upper_case: 'the idempotency key has it in lower case',
  leading_zeros: 'a tag read as a number would lose its zeros',
  empty_tag: 'an empty tag counts as no tag',
  deeply_nested: 'nested too deeply; left out of the notification',
};

/**
 * The kinds of quirks. These are all the codes: `additional`, `unreadable`, `repeated`,
 * `empty_text`, `encoding`, `lost_digits`, `exponent`, `spelling`, `milliseconds`, `date_time`,
 * `upper_case`, `leading_zeros`, `empty_tag`, `deeply_nested`.
 */
export type QuirkCode = keyof typeof NOTES;

/** Something unusual about a field, which a receiver may misread. */
export interface Quirk {
  readonly code: QuirkCode;
  /** The quirk in words. */
  readonly note: string;
}

/**
 * @param raw - The value's JSON text.
 * @param read - What was read from the body; null if no rules apply to it.
 * @param isAccepted - Whether there is a notification, whose `additionalFields` a note may name.
 */
export function findQuirks(
  field: FieldReading,
  raw: string,
  read: Incomplete<PaymentNotification> | null,
  isAccepted: boolean,
): Quirk[] {
  const repeated = field.times > 1 ? [quirk('repeated')] : [];
  return read === null ? repeated : [...repeated, ...quirksOf(field, raw, read, isAccepted)];
}

function quirk(code: QuirkCode, detail = ''): Quirk {
  return { code, note: NOTES[code] + detail };
}

function* quirksOf(
  { name, rule, value }: FieldReading,
  raw: string,
  { type, additionalFields }: Incomplete<PaymentNotification>,
  isAccepted: boolean,
): Generator<Quirk> {
  if (rule === null) {
    if (value === undefined) yield quirk('deeply_nested');
    else yield quirk('additional', isAccepted ? '; kept in additionalFields' : '');
    return;
  }
  if (name === DEDUCED) yield quirk('spelling', DEDUCTED);
  if (name === DEDUCTED) yield quirk('spelling', DEDUCED);
  if (isAccepted && Object.hasOwn(additionalFields, name)) yield quirk('unreadable');
  else if (raw === '""') yield quirk('empty_text');
  if (value === null) return;

  const received = raw.startsWith('"') ? 'a string' : 'a number';
  const sample = SAMPLES[type];
  const documented = encodingOf(sample, name) === 'string' ? 'a string' : 'a number';
  if (value instanceof Decimal) {
    if (received !== documented && sample[name] !== null) yield quirk('encoding', documented);
    if (received === 'a number') yield* numberQuirks(raw, value);
  } else if (value instanceof Date) {
    if (/^".*t/i.test(raw)) yield quirk('date_time');
    else if (received !== documented) yield quirk('encoding', documented);
    const isInMilliseconds = Math.trunc(Number(raw.replaceAll('"', ''))) === value.getTime();
    if (isInMilliseconds && value.getTime() !== 0) yield quirk('milliseconds');
  } else if (name === 'depositId' || name === 'withdrawalId') {
    if (`${value}` !== `${value}`.toLowerCase()) yield quirk('upper_case');
  } else if (rule.type.kind === 'address') {
    const { raw: sent, destinationTag } = value as TxAddress;
    if (/^0\d/.test(destinationTag ?? '')) yield quirk('leading_zeros');
    if (destinationTag === null && sent.endsWith('?dt=')) yield quirk('empty_tag');
  } else if (rule.type.kind === 'object') {
    const names = Object.keys(Object(value).additionalFields).join(', ');
    const where = isAccepted ? 'kept in its additionalFields' : 'unknown or not read';
    if (names) yield { code: 'additional', note: `${where}: ${escapeUnprintable(names)}` };
  }
}

function* numberQuirks(raw: string, amount: Decimal): Generator<Quirk> {
  const double = String(Number(raw));
  if (!amount.equals(double)) yield quirk('lost_digits', double);
  else if (double.includes('e')) yield quirk('exponent', double);
}
