import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Exit codes, the same for every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The command was called in a way that it does not know. Its message is the line that is printed. */
export class UsageError extends Error {}

/** Another's error as the one line that is printed. */
export function usageErrorOf(error: unknown): UsageError {
  const message = error instanceof Error ? error.message : String(error);
  // What follows in a message of parseArgs is how to pass a file whose name starts with a dash.
  return new UsageError(message.split(/[.\n] /, 1)[0]);
}

/** A command's options and operands. */
export function readArguments<const T extends ParseArgsConfig>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageErrorOf(error);
  }
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
export function sayDuration(milliseconds: number): string {
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
