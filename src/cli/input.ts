import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { MAX_BYTES } from '../internal/body.js';
import { escapeUnprintable } from '../internal/issues.js';
import type { Terminal } from './terminal.js';

/** Standard input among the files. */
export const STDIN = '-';

/** A read error; its message is printed as is. */
export class InputError extends Error {}

/** The name of a file in messages. */
export function nameOf(file: string): string {
  return file === STDIN ? 'standard input' : escapeUnprintable(file);
}

/** A file, some at a time, or standard input: ended by Ctrl-C. */
export function openInput(file: string, { input, interrupt }: Terminal): Readable {
  const options = { highWaterMark: MAX_BYTES };
  return addAbortSignal(interrupt, file === STDIN ? input : createReadStream(file, options));
}

/** The bytes of a file that holds one body; of a longer file, enough to be too long. */
export async function readFile(file: string, terminal: Terminal): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of openInput(file, terminal)) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MAX_BYTES) break;
    }
  } catch (error) {
    if (terminal.interrupt.aborted) throw error;
    throw inputErrorOf(file, error);
  }
  return bytes;
}

/** Why a file can't be read, in one line that names it. */
export function inputErrorOf(file: string, error: unknown): InputError {
  return new InputError(`${nameOf(file)}: ${error instanceof Error ? error.message : error}`);
}
