import type { PaymentNotification } from '../parser/notification.js';
import type { Incomplete } from '../parser/read.js';
import { Decimal } from '../parser/values/amount.js';
import type { TxAddress } from '../parser/values/tx-address.js';
import type { TxAddressOwner } from '../parser/withdrawal-broadcast.js';
import { DEDUCED, DEDUCTED, encodingOf, SAMPLES } from '../testing/sample.js';

/** The note of each quirk. Those that end with a space are followed by a detail. */
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
 * The kinds of quirks. These are all codes: `additional`, `unreadable`, `repeated`, `empty_text`,
 * `encoding`, `lost_digits`, `exponent`, `spelling`, `milliseconds`, `date_time`, `upper_case`,
 * `leading_zeros`, `empty_tag`, `deeply_nested`.
 */
export type QuirkCode = keyof typeof NOTES;

/** Something unusual about a field, which a receiver may misread. */
export interface Quirk {
  readonly code: QuirkCode;
  /** The quirk in words. */
  readonly note: string;
}

export function quirk(code: QuirkCode, detail = ''): Quirk {
  return { code, note: NOTES[code] + detail };
}

/**
 * Finds the quirks of one field.
 *
 * @param raw - The value's JSON text.
 * @param value - The field's value in the notification.
 * @param isAccepted - The parser returns no `additionalFields` of a refused body.
 */
export function* findQuirks(
  notification: Incomplete<PaymentNotification>,
  name: string,
  raw: string,
  value: unknown,
  isAccepted: boolean,
): Generator<Quirk> {
  const { type, additionalFields } = notification;
  if (!Object.hasOwn(SAMPLES[type], name)) {
    yield quirk('additional', isAccepted ? '; kept in additionalFields' : '');
    return;
  }
  if (name === DEDUCED) yield quirk('spelling', DEDUCTED);
  if (name === DEDUCTED) yield quirk('spelling', DEDUCED);
  if (isAccepted && Object.hasOwn(additionalFields, name)) yield quirk('unreadable');
  else if (raw === '""') yield quirk('empty_text');

  const received = raw.startsWith('"') ? 'a string' : 'a number';
  const documented = encodingOf(SAMPLES[type], name) === 'string' ? 'a string' : 'a number';
  if (value instanceof Decimal) {
    if (received !== documented) yield quirk('encoding', documented);
    if (received === 'a number') yield* numberQuirks(raw, value);
  } else if (value instanceof Date) {
    const isDateTime = received === 'a string' && /t/i.test(raw);
    if (isDateTime) yield quirk('date_time');
    else if (received !== documented) yield quirk('encoding', documented);
    const isInMilliseconds = Number(raw.replaceAll('"', '')) === value.getTime();
    if (isInMilliseconds && value.getTime() !== 0) yield quirk('milliseconds');
  } else if (name === 'depositId' || name === 'withdrawalId') {
    if (value !== null && raw !== raw.toLowerCase()) yield quirk('upper_case');
  } else if (type === 'withdrawal.broadcast') {
    if (name === 'toTxAddress') yield* addressQuirks(notification.toTxAddress);
    if (name === 'txAddressOwner') yield* ownerQuirks(notification.txAddressOwner, isAccepted);
  }
}

function* numberQuirks(raw: string, amount: Decimal): Generator<Quirk> {
  const double = String(Number(raw));
  if (!amount.equals(double)) yield quirk('lost_digits', double);
  else if (double.includes('e')) yield quirk('exponent', double);
}

function* addressQuirks(to: TxAddress | null): Generator<Quirk> {
  if (/^0\d/.test(to?.destinationTag ?? '')) yield quirk('leading_zeros');
  if (to?.raw === `${to?.address}?dt=`) yield quirk('empty_tag');
}

function* ownerQuirks(owner: TxAddressOwner | null, isAccepted: boolean): Generator<Quirk> {
  const names = Object.keys(owner?.additionalFields ?? {}).join(', ');
  const where = isAccepted ? 'kept in its additionalFields' : 'unknown or not read';
  if (names) yield { code: 'additional', note: `${where}: ${names}` };
}
