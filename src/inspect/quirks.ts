import { Decimal } from '../amount.js';
import type { PaymentNotification } from '../notification.js';
import { DEDUCED, DEDUCTED, SAMPLES } from '../wire/sample.js';

/** Something unusual in a field's encoding, which a receiver may handle wrongly. The list is closed. */
export type QuirkCode =
  /** The field isn't documented; it is kept in `additionalFields`. */
  | 'additional'
  /** The field could not be read, but didn't cost the notification: see the warnings. */
  | 'unreadable'
  /** The field is there more than once; the last one counts. */
  | 'repeated'
  /** An empty string, which counts as no value. */
  | 'empty_text'
  /** A number as a string, or the other way round, compared with the documentation's sample. */
  | 'encoding'
  /** A number with more digits than `JSON.parse` keeps. */
  | 'lost_digits'
  /** A number that JavaScript prints with an exponent. */
  | 'exponent'
  /** One of the two documented spellings of a name. */
  | 'spelling'
  /** A timestamp in milliseconds. */
  | 'milliseconds'
  /** A date-time as text instead of a UNIX time. */
  | 'date_time'
  /** An identifier in upper case; the idempotency key has it in lower case. */
  | 'upper_case'
  /** A destination tag whose leading zeros a number would drop. */
  | 'leading_zeros'
  /** An address that ends with `?dt=`. */
  | 'empty_tag'
  /** A value nested so deeply that it is shown as JSON text only. */
  | 'deeply_nested';

/** One oddity of a field. */
export interface Quirk {
  readonly code: QuirkCode;
  /** A sentence for people. */
  readonly note: string;
}

/**
 * The oddities of one field.
 *
 * @param raw - The value's JSON text.
 * @param value - The field's value in the notification.
 */
export function* findQuirks(
  notification: PaymentNotification,
  name: string,
  raw: string,
  value: unknown,
): Generator<Quirk> {
  const sample = SAMPLES[notification.type];
  if (!Object.hasOwn(sample, name)) {
    yield { code: 'additional', note: 'not documented: kept in additionalFields' };
    return;
  }
  if (name === DEDUCED) {
    const note = `spelled as in the documentation's field table; its sample body has ${DEDUCTED}`;
    yield { code: 'spelling', note };
  } else if (name === DEDUCTED) {
    const note = `spelled as in the documentation's sample body; its field table has ${DEDUCED}`;
    yield { code: 'spelling', note };
  }
  if (Object.hasOwn(notification.additionalFields, name)) {
    yield { code: 'unreadable', note: 'null, and kept as sent in additionalFields' };
  } else if (value === null) {
    if (raw === '""') yield { code: 'empty_text', note: 'an empty string holds no value' };
  } else if (value instanceof Decimal) {
    yield* encodingQuirks(raw, sample[name]?.as === 'string' ? 'a string' : 'a number');
    if (!raw.startsWith('"')) yield* numberQuirks(raw, value);
  } else if (value instanceof Date) {
    yield* timeQuirks(raw, value);
  } else if (name === 'depositId' || name === 'withdrawalId') {
    if (raw === raw.toLowerCase()) return;
    yield { code: 'upper_case', note: 'the idempotency key has it in lower case' };
  } else if (notification.type === 'withdrawal.broadcast') {
    if (name === 'toTxAddress') yield* addressQuirks(notification);
    if (name === 'txAddressOwner') yield* ownerQuirks(notification);
  }
}

function* encodingQuirks(raw: string, documented: string): Generator<Quirk> {
  const received = raw.startsWith('"') ? 'a string' : 'a number';
  if (received === documented) return;
  yield { code: 'encoding', note: `${received}, where the sample has ${documented}` };
}

function* numberQuirks(raw: string, amount: Decimal): Generator<Quirk> {
  const double = String(Number(raw));
  if (!amount.equals(double)) {
    yield { code: 'lost_digits', note: `a plain JSON.parse would read ${double}` };
  } else if (double.includes('e')) {
    yield { code: 'exponent', note: `JavaScript prints this number as ${double}` };
  }
}

function* timeQuirks(raw: string, time: Date): Generator<Quirk> {
  const digits = raw.replaceAll('"', '');
  if (digits !== raw && /\D/.test(digits)) {
    yield { code: 'date_time', note: 'a date-time, where the sample has a UNIX time' };
    return;
  }
  yield* encodingQuirks(raw, 'a number');
  if (Number(digits) === time.getTime() && time.getTime() !== 0) {
    yield { code: 'milliseconds', note: 'in milliseconds: too large for seconds' };
  }
}

type Withdrawal = Extract<PaymentNotification, { type: 'withdrawal.broadcast' }>;

function* addressQuirks({ toTxAddress: to }: Withdrawal): Generator<Quirk> {
  if (/^0\d/.test(to?.destinationTag ?? '')) {
    yield { code: 'leading_zeros', note: 'a tag read as a number would lose its zeros' };
  } else if (to?.destinationTag === null && to.raw !== to.address) {
    yield { code: 'empty_tag', note: 'an empty tag counts as none' };
  }
}

function* ownerQuirks({ txAddressOwner }: Withdrawal): Generator<Quirk> {
  const names = Object.keys(txAddressOwner.additionalFields);
  if (names.length === 0) return;
  const note = `unknown or unreadable: ${names.join(', ')}, kept in its additionalFields`;
  yield { code: 'additional', note };
}
