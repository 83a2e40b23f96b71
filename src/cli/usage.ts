import { type ParseArgsConfig, parseArgs } from 'node:util';
import leven from 'leven';
import type { NotificationType } from '../errors.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { Terminal } from './terminal.js';

/** Exit codes, the same for every command. The last two are what a shell has for SIGINT and SIGPIPE. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  output: 3,
  interrupted: 130,
  pipe: 141,
} as const;

/** Why a command can't go on. Its message is the line that is printed. */
export class CommandError extends Error {
  readonly exit: number;

  /** @param exit - The exit code. */
  constructor(message: string, exit: number) {
    super(message);
    this.exit = exit;
  }
}

/** Wrong usage. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}

/** Tells what went wrong, in one line on standard error. */
export function printError({ warn: print }: Pick<Terminal, 'warn'>, message: string): void {
  print(`payment-notifications: ${message}\n`);
}

/** Reduces an error to one line. */
export function usageErrorOf(error: unknown): UsageError {
  const message = error instanceof Error ? error.message : String(error);
  return new UsageError(message.split('\n', 1).join());
}

/** A command's options and operands. */
export function readArguments<
  const T extends ParseArgsConfig & { readonly options: NonNullable<ParseArgsConfig['options']> },
>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw optionErrorOf(error, config) ?? usageErrorOf(error);
  }
}

/** What is wrong with an option, in fewer words than parseArgs has for it; null for any other error. */
function optionErrorOf(
  error: unknown,
  { args = [], options = {} }: ParseArgsConfig,
): UsageError | null {
  const { code, message } = error as NodeJS.ErrnoException;
  // "Unknown option '--colour'. To specify …", "Option '--to <value>' argument missing"
  const option = String(message.split("'")[1]?.split(' ', 1));
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    const isSwitch = options[option.slice(2)]?.type === 'boolean';
    return new UsageError(`${option}: ${isSwitch ? 'takes no value' : 'a value is missing'}`);
  }
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return null;
  const known = [...Object.keys(options), 'help', 'version'].map((name) => `--${name}`);
  const near = suggest(option, known);
  const file = args.find((arg) => arg.startsWith(option) && /^[^=]*[./]/.test(arg));
  return near !== '' || file === undefined
    ? new UsageError(`unknown option "${option}"${near}`)
    : new UsageError(`unknown option "${escapeUnprintable(file)}": a file? put -- before it`);
}

/** `: is it …?` with the nearest of the known words, if one is near; nothing otherwise. */
export function suggest(unknown: string, known: readonly string[]): string {
  const nearest = known
    .map((word) => ({ word, distance: leven(unknown.toLowerCase(), word.toLowerCase()) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best));
  // As many mistakes as a third of the letters.
  return nearest.distance * 3 <= nearest.word.length ? `: is it ${nearest.word}?` : '';
}

/** The notification that an endpoint receives, by the word for it. */
export function readType(word: string | undefined): NotificationType | undefined {
  if (word === undefined) return undefined;
  if (word === 'deposit') return 'deposit.received';
  if (word === 'withdrawal') return 'withdrawal.broadcast';
  throw new UsageError(`--as: expected deposit or withdrawal, received "${word}"`);
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of `500ms`, `10s`, `2m` or `24h`. */
export function readDuration(option: string, text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * UNITS[unit as keyof typeof UNITS];
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(
    `${option}: expected a duration such as 500ms, 10s, 2m or 24h, received ${JSON.stringify(text)}`,
  );
}

/** A number of milliseconds as people say it: `340 ms`, `2.5 s`, `2:00 min`, `1:58:00 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)} h`
    : `${minutes}:${two(seconds % 60)} min`;
}

/** A whole number of at least the given one. */
export function readCount(option: string, text: string, least: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new UsageError(
    `${option}: expected a whole number from ${least}, received ${JSON.stringify(text)}`,
  );
}
