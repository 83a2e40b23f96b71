import { Decimal } from '../amount.js';
import type { PaymentNotification } from '../notification.js';
import { DEDUCED, DEDUCTED, type Encoding, SAMPLES } from '../wire/sample.js';
import type { TxAddressOwner, WithdrawalBroadcast } from '../withdrawal-broadcast.js';

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
  /** A destination tag that a number would cut. */
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
 * @param value - What the notification holds of it.
 */
export function findQuirks(
  notification: PaymentNotification,
  name: string,
  raw: string,
  value: unknown,
): Quirk[] {
  const sample = SAMPLES[notification.type];
  const field = Object.hasOwn(sample, name) ? sample[name] : undefined;
  if (field === undefined) {
    return [{ code: 'additional', note: 'not documented: kept in additionalFields' }];
  }
  return [
    ...spellingQuirks(name),
    ...(Object.hasOwn(notification.additionalFields, name)
      ? [{ code: 'unreadable', note: 'null, and kept as sent in additionalFields' } as const]
      : valueQuirks(notification, name, raw, value, field.as)),
  ];
}

const EMPTY_TEXT: Quirk = { code: 'empty_text', note: 'an empty string holds no value' };

function valueQuirks(
  notification: PaymentNotification,
  name: string,
  raw: string,
  value: unknown,
  encoding: Encoding,
): Quirk[] {
  if (value === null) return raw === '""' ? [EMPTY_TEXT] : [];
  if (value instanceof Decimal) return amountQuirks(raw, value, encoding);
  if (value instanceof Date) return timeQuirks(raw, value);
  if (name === 'depositId' || name === 'withdrawalId') return idQuirks(raw);
  if (notification.type === 'deposit.received') return [];
  if (name === 'toTxAddress') return addressQuirks(notification.toTxAddress);
  return name === 'txAddressOwner' ? ownerQuirks(notification.txAddressOwner) : [];
}

function spellingQuirks(name: string): Quirk[] {
  if (name === DEDUCED) {
    const note = `spelled as in the documentation's field table; its sample body has ${DEDUCTED}`;
    return [{ code: 'spelling', note }];
  }
  if (name === DEDUCTED) {
    const note = `spelled as in the documentation's sample body; its field table has ${DEDUCED}`;
    return [{ code: 'spelling', note }];
  }
  return [];
}

function encodingQuirks(raw: string, documented: 'a number' | 'a string'): Quirk[] {
  const received = isString(raw) ? 'a string' : 'a number';
  if (received === documented) return [];
  return [{ code: 'encoding', note: `${received}, where the sample has ${documented}` }];
}

function amountQuirks(raw: string, amount: Decimal, encoding: Encoding): Quirk[] {
  const quirks = encodingQuirks(raw, encoding === 'string' ? 'a string' : 'a number');
  if (isString(raw)) return quirks;
  const double = String(Number(raw));
  if (!amount.equals(double)) {
    quirks.push({ code: 'lost_digits', note: `a plain JSON.parse would read ${double}` });
  } else if (double.includes('e')) {
    quirks.push({ code: 'exponent', note: `JavaScript prints this number as ${double}` });
  }
  return quirks;
}

function timeQuirks(raw: string, time: Date): Quirk[] {
  if (isString(raw) && /\D/.test(raw.slice(1, -1))) {
    return [{ code: 'date_time', note: 'a date-time, where the sample has a UNIX time' }];
  }
  const quirks = encodingQuirks(raw, 'a number');
  if (Number(raw.replaceAll('"', '')) === time.getTime() && time.getTime() !== 0) {
    quirks.push({ code: 'milliseconds', note: 'in milliseconds: too large for seconds' });
  }
  return quirks;
}

function idQuirks(raw: string): Quirk[] {
  if (raw === raw.toLowerCase()) return [];
  return [{ code: 'upper_case', note: 'the idempotency key has it in lower case' }];
}

function addressQuirks(to: WithdrawalBroadcast['toTxAddress']): Quirk[] {
  if (/^0\d/.test(to?.destinationTag ?? '')) {
    return [{ code: 'leading_zeros', note: 'a tag read as a number would lose its zeros' }];
  }
  if (to?.destinationTag === null && to.raw !== to.address) {
    return [{ code: 'empty_tag', note: 'an empty tag counts as none' }];
  }
  return [];
}

function ownerQuirks({ additionalFields }: TxAddressOwner): Quirk[] {
  const names = Object.keys(additionalFields);
  if (names.length === 0) return [];
  const note = `unknown or unreadable: ${names.join(', ')}, kept in its additionalFields`;
  return [{ code: 'additional', note }];
}

function isString(raw: string): boolean {
  return raw.startsWith('"');
}
