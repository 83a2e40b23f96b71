// How the command and the page show values.
import { DEPOSIT_RECEIVED } from '../parser/deposit-received.js';
import { escapeUnprintable, quote } from '../parser/messages.js';
import type { Rule } from '../parser/rules.js';
import { isEmpty } from './fields.js';
import type { InspectedField } from './inspection.js';
import type { Verdict } from './verdict.js';

const TIME_FIELDS = Object.entries<Rule>(DEPOSIT_RECEIVED)
  .filter(([, { type }]) => type.kind === 'timestamp')
  .map(([name]) => name);

export const MARKS: Readonly<Record<Verdict, string>> = { good: '✓', check: '!', refused: '✗' };

/** Made once: `toLocaleString` would make a format for each number. */
const GROUPED = new Intl.NumberFormat('en');

/** `2,000,000` */
export function formatCount(count: number): string {
  return GROUPED.format(count);
}

/** `1 webhook`, `2,000 webhooks` */
export function plural(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** An ISO 8601 time as people read it. */
export function formatTime(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(?:\.000|(\.\d+))?Z$/, '$1 $2$3 UTC');
}

/** `less than 1 s`, `90 s`, `84 min`, `3 days` */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return 'less than 1 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Escapes what is invisible or moves the text around it, and truncates a long text. */
export function shorten(text: string, most = 400): string {
  const shown = escapeUnprintable(text.slice(0, most));
  return text.length > most ? `${shown}… (${formatCount(text.length)} characters)` : shown;
}

/**
 * Shows a text of the body. A text of at most 128 usual characters, as in an identifier or address,
 * is shown whole. It is quoted only if a part of it could be mistaken for punctuation of the
 * summary. Any other text is quoted and truncated.
 */
export function show(text: string, most?: number): string {
  if (!/^[\w.:#/@+-]{1,128}$/.test(text)) return quote(text, most);
  return /:|\W$/.test(text) ? `"${text}"` : text;
}

/**
 * The value of a field as it was read: one text, or the labeled parts of an address or an owner.
 */
export function displayValue({ name, raw, parsed }: InspectedField): (readonly [string, string])[] {
  if (parsed === null) return [['', isEmpty(raw) ? 'no value' : 'not read']];
  // In a deposit, neither field is documented, so they may have any value there.
  if (typeof parsed === 'object' && (name === 'toTxAddress' || name === 'txAddressOwner')) {
    const parts = Object.entries(parsed)
      .filter(([part, value]) => part !== 'raw' && typeof value === 'string')
      .map(([part, value]) => [part === 'destinationTag' ? 'tag' : part, value] as const);
    const isUnread = Object.keys(Object(parsed).additionalFields ?? {}).length > 0;
    return parts.length === 0 ? [['', isUnread ? 'not read' : 'no value']] : parts;
  }
  const text = typeof parsed === 'string' ? parsed : raw;
  return [['', TIME_FIELDS.includes(name) ? formatTime(text) : text]];
}

/** Whether a value was read as it was sent, so that one of the two is enough. */
export function isAsSent(raw: string, read: ReturnType<typeof displayValue>): boolean {
  return read.some(([, value]) => value === raw || JSON.stringify(value) === raw);
}
