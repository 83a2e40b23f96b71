import type { NotificationIssue } from '../parser/errors.js';
import { escapeUnprintable } from '../parser/messages.js';
import { within } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';

/**
 * The outcome of a webhook. What is said of saving needs a `store`:
 *
 * - `settled`: your function has returned. The answer is success.
 * - `review`: your function threw `NeedsReview`. The webhook is saved in `review`, and the answer
 *   is success. The outcome is also `review` if a webhook that waited was changed, or if its
 *   process has ended three times.
 * - `retry`: your function threw anything else, returned a result, or took longer than `timeoutMs`.
 *   The webhook is saved in `retry`, or stays in `review` if it is there. The answer is 500.
 * - `refused`: the parser refused the body. The webhook is saved in `review` unless it is empty,
 *   and the answer is 400 or 413.
 * - `failed`: the webhook was not read or not saved. It is lost unless the service sends it again.
 *   The answer is 500. In a log, it also means that the store failed, or that no answer was sent.
 *   Alert someone.
 */
export type Outcome = 'settled' | 'review' | 'retry' | 'refused' | 'failed';

/** An entry of a receiver's log. It contains no body. */
export interface LogEntry {
  /**
   * The outcome of the webhook. `warning`: a field of a valid body is unusual, requests were turned
   * away, a function that was late has failed, a webhook was left in progress, or a webhook is left
   * to another receiver.
   */
  readonly outcome: Outcome | 'warning';
  /** The event's `idempotencyKey`; null if it isn't known. */
  readonly key: string | null;
  /** What happened, in words. Usually, it is the message of `error` or `issue`. */
  readonly message: string;
  /** What was thrown, or why the body was refused. */
  readonly error?: unknown;
  /** The unusual field, for a `warning` about a field. */
  readonly issue?: NotificationIssue;
}

/** Resolves when an entry is logged. Never rejects, because no answer depends on a logger. */
export type Log = (entry: LogEntry) => Promise<void>;

/** How long an answer waits for a log, in milliseconds. A log that hangs delays it no longer. */
const MAX_LOGGING = 5000;

export function createLog(log: ((entry: LogEntry) => unknown) | undefined): Log {
  if (!log) surviveClosedPipe();
  return async (entry) => {
    if (!log && entry.outcome === 'settled') return; // not printed by default
    try {
      const logged = Promise.resolve(log ? log(entry) : print(entry));
      // No answer waits for these, so they need no deadline.
      const isAwaited = entry.outcome !== 'settled' && entry.outcome !== 'warning';
      await (isAwaited ? within(MAX_LOGGING, 'log', logged) : logged);
    } catch (error) {
      printUnlogged(entry, error);
    }
  };
}

let isSurviving = false;

/** A pipe that was closed, as by Ctrl+C in `| tee`, must not end a process that saves bodies. */
function surviveClosedPipe(): void {
  if (isSurviving) return;
  isSurviving = true;
  // Not imported: other platforms have no such stream.
  globalThis.process?.stderr?.on?.('error', () => {});
}

function printUnlogged(entry: LogEntry, error: unknown): void {
  try {
    console.error(`${lineOf(entry)} (not logged: ${escapeUnprintable(messageOf(error))})`);
  } catch {
    // Nothing can be printed.
  }
}

function print(entry: LogEntry): void {
  if (entry.outcome === 'warning') console.warn(lineOf(entry));
  else console.error(lineOf(entry) + stackOf(entry));
}

/** One line, whatever the message contains. */
function lineOf({ outcome, key, message, error }: LogEntry): string {
  const code = codeOf(error);
  const reason = escapeUnprintable(code === null ? message : `${message} (${code})`);
  return [outcome, ...(key === null ? [] : [key]), reason].join(': ');
}

/** Errors of the network, of files and of databases have a code, or their causes do. */
function codeOf(error: unknown): string | null {
  try {
    const { code, cause } = Object(error);
    const found = code ?? Object(cause).code;
    return typeof found === 'string' ? found : null;
  } catch {
    return null; // a getter that throws, or a revoked proxy
  }
}

/**
 * Returns the stack of an error that may be a bug. Only the calls: other properties, such as
 * PostgreSQL's `detail`, contain customers and amounts.
 */
function stackOf({ outcome, error }: LogEntry): string {
  const isFailure = outcome === 'retry' || outcome === 'failed';
  if (!isFailure || codeOf(error) !== null) return '';
  try {
    const { stack, message } = Object(error);
    // The message may imitate a call.
    const calls = `${stack}`.replace(`${message}`, '').match(/^[ \t]+at .*$/gm) ?? [];
    return ['', ...calls.map(escapeUnprintable)].join('\n');
  } catch {
    return ''; // as in codeOf
  }
}
