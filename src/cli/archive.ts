import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_BYTES } from '../internal/body.js';

/** How much of an archive is read at once: some hundred bodies, so that handing them on costs little. */
export const CHUNK_BYTES: number = 256 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts an archive into parts of whole lines, the last of which may lack its line break. It is unzipped
 * if it is gzip. A line longer than a part is cut just above the limit of a body, so that it is still too long.
 * Of an archive that breaks off, the whole lines are handed on before the error is thrown.
 *
 * @param onBytes - Told how many bytes were read, before they are unzipped.
 * @param spare - Memory of parts that were read already, to be used again: the garbage collector frees array
 * buffers late.
 */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
  spare: ArrayBuffer[],
): AsyncGenerator<Uint8Array> {
  const allocate = (): Buffer => Buffer.from(spare.pop() ?? new ArrayBuffer(CHUNK_BYTES));
  let chunk = allocate();
  let length = 0;
  let isSkipping = false;
  try {
    for await (let piece of unzip(counted(input, onBytes))) {
      while (piece.length > 0) {
        if (isSkipping) {
          const newline = piece.indexOf(NEWLINE);
          isSkipping = newline === -1;
          piece = isSkipping ? piece.subarray(piece.length) : piece.subarray(newline + 1);
          continue;
        }
        const copied = piece.copy(chunk, length);
        length += copied;
        piece = piece.subarray(copied);
        if (length < CHUNK_BYTES) continue;
        const full = chunk;
        const end = full.lastIndexOf(NEWLINE) + 1;
        // What is handed on may be moved to another thread.
        chunk = allocate();
        isSkipping = end === 0;
        length = isSkipping ? 0 : full.copy(chunk, 0, end);
        yield full.subarray(0, isSkipping ? MAX_BYTES + 1 : end);
      }
    }
  } catch (error) {
    // The line that it breaks off in would be taken for a faulty one.
    const end = chunk.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield chunk.subarray(0, end);
    throw error;
  }
  yield chunk.subarray(0, length);
}

async function* counted(
  input: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of input) {
    onBytes(piece.length);
    yield piece;
  }
}

/** The bytes of a gzip file, or of any other file as they are. */
async function* unzip(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = input[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    start = Buffer.concat([start, next.value]);
    if (start.length >= 2) break;
  }
  const whole = prepend(start, pieces);
  if (start[0] !== 0x1f || start[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES / 4 });
  // An error of either ends the loop over the last one, which tells of it.
  yield* pipeline(Readable.from(whole), gunzip, () => {});
}

async function* prepend(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
