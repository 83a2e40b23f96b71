import type { NotificationType } from '../errors.js';
import { escapeUnprintable, quote } from '../internal/issues.js';
import { CLEAR_LINE, type Terminal } from './terminal.js';

/** The exit codes of every command. The last two follow the shell convention for SIGINT and SIGPIPE. */
export const EXIT = { ok: 0, failed: 1, usage: 2, output: 3, interrupted: 130, pipe: 141 } as const;

/** Ends a command. The message is printed in one line; the default exit code is that of wrong usage. */
export class CommandError extends Error {
  exit: number = EXIT.usage;
}

/** Prints an error to standard error in one line. Escapes it, because it may quote arguments. */
export function printError({ warn, watched }: Terminal, message: string): void {
  const clear = watched ? CLEAR_LINE : '';
  warn(`${clear}payment-notifications: ${escapeUnprintable(message)}\n`);
}

/** Converts any error to a CommandError with a one-line message. */
export function usageErrorOf(error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(message.replaceAll('\n', ' '));
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}

/** Parses the value of --as. */
export function readType(word: string | undefined): NotificationType | undefined {
  if (word === undefined) return undefined;
  if (word === 'deposit') return 'deposit.received';
  if (word === 'withdrawal') return 'withdrawal.broadcast';
  throw new CommandError(`--as: expected deposit or withdrawal, received ${quote(word)}`);
}

const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Parses `500ms`, `10s`, `2m` or `24h` into milliseconds. */
export function readDuration(option: string, text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * DURATIONS[unit as keyof typeof DURATIONS];
  if (milliseconds > 0) return milliseconds;
  throw new CommandError(
    `${option}: expected a duration such as 500ms, 10s, 2m or 24h, received ${quote(text)}`,
  );
}

/** Formats milliseconds as {@link readDuration} parses them: `340ms`, `1.3s`, `2m` or `24h`. */
export function formatDuration(milliseconds: number): string {
  const fitting = Object.entries(DURATIONS).filter(([, size]) => milliseconds >= size);
  const [unit, size] = fitting.at(-1) ?? ['ms', 1];
  return `${Number((milliseconds / size).toFixed(size === 1 ? 0 : 1))}${unit}`;
}

/** Formats a number with separators: `2,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** Formats a size as `12.3 kB`, or in MB from a million bytes. */
export function formatBytes(bytes: number): string {
  const [size, unit] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  return `${formatCount(Math.ceil((bytes / size) * 10) / 10)} ${unit}`;
}

/** Parses a whole number of at least `least`. */
export function readCount(option: string, text: string, least: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= least) return count;
  const expected = `expected a whole number of at least ${least}`;
  throw new CommandError(`${option}: ${expected}, received ${quote(text)}`);
}
