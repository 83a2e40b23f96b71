import { escapeUnprintable } from '../internal/quote.js';
import { redactUrlsIn } from './redact.js';
import type { Terminal } from './terminal.js';

/**
 * The exit codes of every command. The last two follow the shell convention for SIGINT and SIGPIPE.
 */
export const EXIT = { ok: 0, failed: 1, usage: 2, output: 3, interrupted: 130, pipe: 141 } as const;

/**
 * Ends a command. The message is printed in one line; the default exit code is that of wrong usage.
 */
export class CommandError extends Error {
  exit: number = EXIT.usage;
}

/**
 * Prints an error to standard error in one line. Escapes it and redacts URLs, because it may quote
 * arguments.
 */
export function printError({ warn }: Terminal, message: string): void {
  warn(`payment-notifications: ${escapeUnprintable(redactUrlsIn(message))}\n`);
}
