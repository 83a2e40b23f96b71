import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { getSystemErrorMap } from 'node:util';
import { escapeUnprintable } from '../internal/issues.js';
import type { Terminal } from './terminal.js';

/** Standard input among the files. */
export const STDIN = '-';

/** A file that can't be read. Its message is the line that is printed. */
export class InputError extends Error {}

/** What a file is called in messages. */
export function nameOf(file: string): string {
  return file === STDIN ? 'standard input' : escapeUnprintable(file);
}

/** A file, or standard input: ended by Ctrl-C. */
export function openInput(file: string, { input, interrupt }: Terminal): Readable {
  return addAbortSignal(interrupt, file === STDIN ? input : createReadStream(file));
}

/** Why a file can't be read, in one line that names it. */
export function inputErrorOf(file: string, error: unknown): InputError {
  const { errno, message } = error as NodeJS.ErrnoException;
  const [, reason] = getSystemErrorMap().get(errno ?? 0) ?? [];
  return new InputError(`${nameOf(file)}: ${reason ?? escapeUnprintable(message)}`);
}
