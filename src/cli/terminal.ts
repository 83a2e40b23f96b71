import type { Readable } from 'node:stream';
import { getSystemErrorMap } from 'node:util';
import { MARKS, shorten } from '../inspect/display.js';
import type { Verdict } from '../inspect/verdict.js';
import { escapeUnprintable } from '../parser/messages.js';
import { redactUrlsIn } from '../shared/redact.js';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Writes to standard output, and `warn` to standard error. */
  print(text: string): void;
  warn(text: string): void;
  /** From then on, Ctrl-C calls this instead of ending the process. */
  onInterrupt(stop: () => void): void;
}

/**
 * The exit codes of every command. `failed`: there is something to look at. `unable`: the command
 * could not run. The last two follow the shell convention for SIGINT and SIGPIPE.
 */
export const EXIT = { ok: 0, failed: 1, unable: 2, interrupted: 130, pipe: 141 } as const;

/** Why a command can't run. The message is printed in one line. */
export class CommandError extends Error {}

/** Maximum length of a displayed message, which may quote a long argument. */
const MAX_PRINTED = 1000;

/**
 * Prints an error to standard error in one line. Escapes and shortens it, and redacts URLs,
 * because it may quote arguments.
 */
export function printError({ warn }: Pick<Terminal, 'warn'>, message: string): void {
  warn(`payment-notifications: ${shorten(redactUrlsIn(message), MAX_PRINTED)}\n`);
}

/** Describes an error of the system without the path, which Node.js repeats in its message. */
export function describeSystemError(error: unknown): string {
  const { errno, message } = Object(error);
  const [code, text] = getSystemErrorMap().get(errno) ?? [];
  return code === undefined ? message : `${code} (${text})`;
}

export function marked(verdict: Verdict, text: string): string {
  return `${MARKS[verdict]} ${escapeUnprintable(text)}\n`;
}

/** Formats data as one line of JSON, with an escape for whatever doesn't print. */
export function jsonLine(data: object): string {
  return `${escapeUnprintable(JSON.stringify(data))}\n`;
}
