import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { NotificationType } from '../errors.js';
import { escapeUnprintable, quote } from '../internal/issues.js';
import { beside, type Terminal } from './terminal.js';

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

/** Milliseconds as {@link readDuration} reads them: `340ms`, `1.3s`, `2m` or `24h`. */
export function formatDuration(milliseconds: number): string {
  const fitting = Object.entries(DURATIONS).filter(([, size]) => milliseconds >= size);
  const [unit, size] = fitting.at(-1) ?? ['ms', 1];
  return `${Number((milliseconds / size).toFixed(size === 1 ? 0 : 1))}${unit}`;
}

/** A number with separators: `2,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** `12.3 kB`, or in MB from a million on. */
export function formatBytes(bytes: number): string {
  const [size, unit] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  return `${formatCount(Math.ceil((bytes / size) * 10) / 10)} ${unit}`;
}

/** A whole number of at least the given one. */
export function readCount(option: string, text: string, least: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new CommandError(
    `${option}: expected a whole number from ${least}, received ${quote(text)}`,
  );
}

/** `help` or `version`, its message: the command has nothing else to do. */
export class Asked extends Error {}

/** An option, as parseArgs reads it and the help shows it. */
type Option = NonNullable<ParseArgsConfig['options']>[string] & {
  /** A word for its value. */
  readonly value?: string;
  readonly help: string;
};

type Options = Readonly<Record<string, Option>>;

/** An option that has a value. */
export function text(value: string, help: string): { type: 'string'; value: string; help: string } {
  return { type: 'string', value, help };
}

/** An option that is there or not. */
export function flag(help: string): { type: 'boolean'; help: string } {
  return { type: 'boolean', help };
}

/** The options of every command. */
export const COMMON = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'v', help: 'show the version' },
} as const;

/** The lines of the help about options, of up to 80 columns. */
export function helpOf(options: Options): string {
  const rows = Object.entries(options).map(([name, { short, value = '', ...option }]) => {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name} ${value}`;
    const repeated = option.multiple ? '; may be repeated' : '';
    const preset = option.default === undefined ? '' : ` (default: ${option.default})`;
    return [`  ${flags.trim()}  `, option.help + repeated + preset] as const;
  });
  const width = Math.max(...rows.map(([flags]) => flags.length));
  return rows.flatMap(([flags, help]) => beside(flags.padEnd(width), [help], 80)).join('\n');
}

/**
 * A command's options and operands.
 *
 * @throws CommandError for wrong usage, {@link Asked} if the help or the version is asked for.
 */
export function readArguments<const T extends Options>(
  args: string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true });
    const asked = Object.keys(parsed.values).find((name) => Object.hasOwn(COMMON, name));
    if (asked !== undefined) throw new Asked(asked);
    return parsed;
  } catch (error) {
    if (error instanceof Asked) throw error;
    const { message } = usageErrorOf(error);
    // Node.js goes on about operands that look like options.
    throw new CommandError(message.replace(/\. To specify a positional.*/, ' (--help lists all)'));
  }
}
