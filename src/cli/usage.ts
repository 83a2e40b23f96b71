import type { NotificationType } from '../errors.js';
import { escapeUnprintable, quote } from '../internal/issues.js';
import type { Terminal } from './terminal.js';

/** Exit codes, the same for every command. The last two are what a shell has for SIGINT and SIGPIPE. */
export const EXIT = { ok: 0, failed: 1, usage: 2, output: 3, interrupted: 130, pipe: 141 } as const;

/** Why a command can't go on: wrong usage, if no other exit code is given. Its message is printed as is, in one line. */
export class CommandError extends Error {
  exit: number = EXIT.usage;
}

/** Tells what went wrong, in one line on standard error. It may quote names of files and other arguments. */
export function printError({ warn: print }: Pick<Terminal, 'warn'>, message: string): void {
  print(`payment-notifications: ${escapeUnprintable(message)}\n`);
}

/** Reduces an error to one line. */
export function usageErrorOf(error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(message.replaceAll('\n', ' '));
}

/** The notification that an endpoint receives, by the word for it. */
export function readType(word: string | undefined): NotificationType | undefined {
  if (word === undefined) return undefined;
  if (word === 'deposit') return 'deposit.received';
  if (word === 'withdrawal') return 'withdrawal.broadcast';
  throw new CommandError(`--as: expected deposit or withdrawal, received "${word}"`);
}

const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of `500ms`, `10s`, `2m` or `24h`. */
export function readDuration(option: string, text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * DURATIONS[unit as keyof typeof DURATIONS];
  if (milliseconds > 0) return milliseconds;
  throw new CommandError(
    `${option}: expected a duration such as 500ms, 10s, 2m or 24h, received ${quote(text)}`,
  );
}

/** A number with separators: `2,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** A whole number of at least the given one. */
export function readCount(option: string, text: string, least: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new CommandError(
    `${option}: expected a whole number from ${least}, received ${quote(text)}`,
  );
}
