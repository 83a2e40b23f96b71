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

/** A file, at most `highWaterMark` bytes at a time, or standard input: ended by Ctrl-C. */
export function openInput(
  file: string,
  { input, interrupt }: Terminal,
  highWaterMark: number,
): Readable {
  return addAbortSignal(
    interrupt,
    file === STDIN ? input : createReadStream(file, { highWaterMark }),
  );
}

/** Why a file can't be read, in one line that names it. */
export function inputErrorOf(file: string, error: unknown): InputError {
  const { code, errno = 0, message } = error as NodeJS.ErrnoException;
  // The errors of gzip have numbers of their own.
  const [name, reason] = getSystemErrorMap().get(errno) ?? [];
  const text = name === code && reason !== undefined ? reason : escapeUnprintable(message);
  return new InputError(`${nameOf(file)}: ${text}`);
}
