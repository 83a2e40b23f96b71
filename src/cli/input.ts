import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
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
function openInput(file: string, { input, interrupt, warn }: Terminal): Readable {
  if (file === STDIN && input.isTTY) warn('reading standard input; press Ctrl-D to finish\n');
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
  return new InputError(`${nameOf(file)}: ${Object(error).message}`);
}

/**
 * Cuts an archive, plain or gzip, into its lines, some at a time. Where reading a plain one breaks off, its whole
 * lines come before the error.
 *
 * @param onBytes - Told how many bytes were read, before they are unzipped.
 */
export async function* readLines(
  file: string,
  terminal: Terminal,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer[]> {
  let rest = Buffer.alloc(0);
  try {
    for await (const piece of unzip(openInput(file, terminal), onBytes)) {
      const bytes = Buffer.concat([rest, piece]);
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
        lines.push(bytes.subarray(start, end));
        start = end + 1;
      }
      // Of a line beyond the limit of a body, only enough is kept to be too long.
      rest = bytes.subarray(start, start + MAX_BYTES + 1);
      yield lines;
    }
  } catch (error) {
    throw inputErrorOf(file, error);
  }
  if (rest.length > 0) yield [rest];
}

/** The bytes of a gzip file, or of any other file as they are. */
async function* unzip(
  input: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  let given = 0;
  const pieces = (async function* () {
    for await (const piece of input) {
      onBytes(piece.length);
      given += piece.length;
      yield piece;
    }
  })();
  const { value: start = Buffer.alloc(0) } = await pieces.next();
  const whole = (async function* () {
    yield start;
    yield* pieces;
  })();
  // Gzip begins with 0x1f 0x8b. A pipe may begin with a single byte, and the first begins no text.
  if (start[0] !== 0x1f) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // An error in either stream ends the loop and surfaces there.
  yield* pipeline(whole, gunzip, () => {});
  // Node.js stops at a zero byte between members, and calls that the end.
  if (gunzip.bytesWritten < given) throw new Error('data after the end of the gzip stream');
}
