import { escapeUnprintable } from '../parser/messages.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Incomplete } from '../parser/read.js';
import { Decimal } from '../parser/values/amount.js';
import type { TxAddress } from '../parser/values/tx-address.js';
import type { FieldReading } from './fields.js';

/** The notes of the quirks. Some are followed by a detail. */
const NOTES = {
  additional: "the service doesn't document this field",
  unreadable: 'not read; kept in additionalFields',
  repeated: 'sent more than once; the last value counts',
  lost_digits: 'a plain JSON.parse would read ',
  milliseconds: 'read as milliseconds, because it is too large for seconds',
  leading_zeros: 'a tag read as a number would lose its zeros',
  deeply_nested: 'nested too deeply; left out of the notification',
};

/**
 * The kinds of quirks. These are all the codes: `additional`, `unreadable`, `repeated`,
 * `lost_digits`, `milliseconds`, `leading_zeros`, `deeply_nested`.
 */
export type QuirkCode = keyof typeof NOTES;

/** Something unusual about a field, which a receiver may misread. */
export interface Quirk {
  readonly code: QuirkCode;
  /** The quirk in words. */
  readonly note: string;
}

/**
 * @param read - What was read from the body; null if no rules apply to it.
 * @param isAccepted - Whether there is a notification, whose `additionalFields` a note may name.
 */
export function findQuirks(
  field: FieldReading,
  read: Incomplete<PaymentNotification> | null,
  isAccepted: boolean,
): Quirk[] {
  const repeated = field.times > 1 ? [quirk('repeated')] : [];
  return read === null ? repeated : [...repeated, ...quirksOf(field, read, isAccepted)];
}

function quirk(code: QuirkCode, detail = ''): Quirk {
  return { code, note: NOTES[code] + detail };
}

function* quirksOf(
  { name, rule, raw, value }: FieldReading,
  { additionalFields }: Incomplete<PaymentNotification>,
  isAccepted: boolean,
): Generator<Quirk> {
  if (rule === null) {
    if (value === undefined) yield quirk('deeply_nested');
    else yield quirk('additional', isAccepted ? '; kept in additionalFields' : '');
  } else if (value === null) {
    if (isAccepted && Object.hasOwn(additionalFields, name)) yield quirk('unreadable');
  } else if (value instanceof Decimal) {
    const double = raw.startsWith('"') ? value : Number(raw);
    if (!value.equals(double)) yield quirk('lost_digits', `${double}`);
  } else if (value instanceof Date) {
    const time = value.getTime();
    if (time !== 0 && time === Math.trunc(Number(raw.replaceAll('"', '')))) {
      yield quirk('milliseconds');
    }
  } else if (rule.type.kind === 'address') {
    if (/^0\d/.test((value as TxAddress).destinationTag ?? '')) yield quirk('leading_zeros');
  } else if (rule.type.kind === 'object') {
    const names = Object.keys(Object(value).additionalFields).join(', ');
    const where = isAccepted ? 'kept in its additionalFields' : 'unknown or not read';
    if (names) yield { code: 'additional', note: `${where}: ${escapeUnprintable(names)}` };
  }
}
