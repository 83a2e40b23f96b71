/** From here on a UNIX time can only be in milliseconds: in seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
/** From here on it is not one in milliseconds either: again, that would be the year 5138. */
const UNREADABLE_FROM = 1e14;
/** The last year that RFC 3339 can write. */
const LAST_YEAR = 9999;

/** A date-time of RFC 3339, section 5.6. JavaScript has no leap seconds. */
const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * The instant that a number or a string denotes; null if it is not a time.
 *
 * A number, or digits in a string, is a UNIX time. The service's documentation doesn't state its unit:
 * it is taken as seconds, the UNIX unit, unless it is too large for that. Any other string must be a
 * date-time of RFC 3339.
 */
export function toDate(value: number | string): Date | null {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return toDateFromText(value);
  const time = Number(value);
  // The comparisons are false for NaN.
  if (!(time >= 0 && time < UNREADABLE_FROM)) return null;
  return new Date(time < MILLISECONDS_FROM ? Math.round(time * 1000) : time);
}

function toDateFromText(text: string): Date | null {
  if (!DATE_TIME.test(text)) return null;
  const date = new Date(text.toUpperCase());
  if (date.getTime() < 0 || date.getUTCFullYear() > LAST_YEAR) return null;
  return isDayOfMonth(text.slice(0, 10)) ? date : null;
}

/** Whether a month has that day: V8 takes February 30 for March 2, other engines for no date. */
function isDayOfMonth(day: string): boolean {
  return new Date(day).getUTCDate() === Number(day.slice(-2));
}
