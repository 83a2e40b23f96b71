import { quoteIf } from '../messages.js';
import { isNumberOrString, type PlainType, plainType } from './plain-type.js';

/** A UNIX time of at least this is in milliseconds. In seconds, it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
/** A UNIX time of at least this is refused. In milliseconds, it would be the year 5138. */
const UNREADABLE_FROM = 1e14;
/** The last year that RFC 3339 can express. */
const LAST_YEAR = 9999;

/** What a message quotes: no text that could be a name, an email or an address. */
const LIKE_TIME = /^[\d:.TZ+\- ]{1,40}$/;
/** A UNIX time in a string. */
const UNIX_TIME = /^\d+(?:\.\d+)?$/;

/** An RFC 3339 date-time (section 5.6), without leap seconds, which JavaScript doesn't support. */
const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

export const timestamp: PlainType<Date> = /* @__PURE__ */ plainType({
  kind: 'timestamp',
  read: (value) => (isNumberOrString(value) ? toDate(value) : null),
  explain: (value) => ({
    code: isNumberOrString(value) ? 'invalid_timestamp' : 'wrong_type',
    expected: 'a UNIX timestamp or a date-time of RFC 3339',
    received: quoteIf(LIKE_TIME, value),
  }),
});

/**
 * A number, or a string of digits with or without decimals, is a UNIX time. The service doesn't
 * document its unit, so it is read as seconds unless it is too large for that. Any other string
 * must be an RFC 3339 date-time.
 */
function toDate(value: number | string): Date | null {
  if (typeof value === 'string' && !UNIX_TIME.test(value)) return toDateFromText(value);
  const time = Number(value);
  // The comparisons are false for NaN.
  if (!(time >= 0 && time < UNREADABLE_FROM)) return null;
  return new Date(time < MILLISECONDS_FROM ? Math.round(time * 1000) : time);
}

function toDateFromText(text: string): Date | null {
  if (!DATE_TIME.test(text)) return null;
  const date = new Date(text.toUpperCase());
  if (date.getTime() < 0 || date.getUTCFullYear() > LAST_YEAR) return null;
  // V8 reads February 30 as March 2, other engines reject it.
  const isDay = new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10));
  return isDay ? date : null;
}
