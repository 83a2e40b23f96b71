import type { NotificationIssue } from '../parser/errors.js';
import { escapeUnprintable } from '../parser/messages.js';
import { reportOrPrint } from '../shared/reports.js';

/**
 * What became of a body:
 *
 * - `settled`: your function has returned. Answered with success.
 * - `review`: it threw `NeedsReview`. Saved in `review`, answered with success.
 * - `refused`: the parser refused the body. Saved in `review`, answered with 400 or 413.
 * - `retry`: your function failed or is late. Saved in `retry`, answered with 500.
 * - `failed`: the body was not read or not saved, so it is only in the hands of its sender. Answered
 *   with 500. Or the store failed.
 */
export type Outcome = 'settled' | 'review' | 'refused' | 'retry' | 'failed';

/** A line of a receiver's log. It contains no body. */
export interface LogEntry {
  /** `warning`: a field of a valid body is unusual (`issue`), or requests had a wrong secret. */
  readonly outcome: Outcome | 'warning';
  /** The event's `idempotencyKey`; null if it isn't known. */
  readonly key: string | null;
  /** The reason: the message of `error` or `issue`. */
  readonly message: string;
  /** What was thrown, or why the body was refused. */
  readonly error?: unknown;
  /** Of a `warning` about a body. */
  readonly issue?: NotificationIssue;
}

/** Resolves when an entry is logged. Never rejects, because no answer depends on a logger. */
export type Log = (entry: LogEntry) => Promise<void>;

export function createLog(options: {
  readonly log?: ((entry: LogEntry) => unknown) | undefined;
}): Log {
  return (entry) => {
    const report = () => (options.log ? options.log(entry) : print(entry));
    return reportOrPrint(report, lineOf(entry));
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lineOf({ outcome, key, message }: LogEntry): string {
  return [outcome, ...(key === null ? [] : [key]), escapeUnprintable(message)].join(': ');
}

function print(entry: LogEntry): void {
  const { outcome, error } = entry;
  if (outcome === 'settled') return;
  const line = lineOf(entry);
  if (outcome === 'warning') console.warn(line);
  else if (isUnexpected(entry)) console.error(line, error);
  else console.error(line);
}

/** An error with a code is one of the network or a database. Of any other, the stack is needed. */
function isUnexpected({ outcome, error }: LogEntry): boolean {
  return (
    (outcome === 'retry' || outcome === 'failed') &&
    error instanceof Error &&
    !('code' in error && typeof error.code === 'string')
  );
}
