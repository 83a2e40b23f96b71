import { isBytes, MAX_BYTES } from '../parser/body.js';
import { quote } from '../parser/messages.js';
import type { RawBody } from '../parser/parse.js';

/**
 * How much of a body is dropped after its limit, in bytes. If the connection ended earlier, the
 * answer could be lost.
 */
const MAX_DROPPED = 4 * 1024 * 1024;

/** The bytes of a raw body, or of a chunk of it, which something may have decoded to text. */
export function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return encode(body);
  const value: unknown = body;
  if (!isBytes(value)) {
    throw new TypeError(
      `body: expected text or bytes, received ${quote(value)}. Pass the raw body, before middleware reads it`,
    );
  }
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

/**
 * Reads a stream. If it is too long, returns early with one byte more than the limit, drops the
 * rest, and calls `stop`.
 */
export async function readBytes(
  stream: AsyncIterable<Uint8Array>,
  stop?: () => unknown,
): Promise<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]();
  let bytes: Uint8Array = new Uint8Array();
  let length = 0;
  while (length <= MAX_BYTES) {
    const { done, value } = await iterator.next();
    if (done) return bytes.subarray(0, length);
    const chunk = bytesOf(value).subarray(0, MAX_BYTES + 1 - length);
    if (length === 0) {
      bytes = chunk; // usually the only one, so it isn't copied
    } else {
      if (length + chunk.length > bytes.length) bytes = grown(bytes, 2 * (length + chunk.length));
      bytes.set(chunk, length);
    }
    length += chunk.length;
  }
  // Not awaited, so that the answer is sent first. It rejects if the sender leaves.
  drop(iterator, stop).catch(() => {});
  return bytes.subarray(0, length);
}

/**
 * Encodes text. U+FFFD may stand for bytes that were no UTF-8 and are lost. Two different bodies
 * could look the same, so it becomes a byte that UTF-8 doesn't have, and the parser refuses the
 * body.
 */
function encode(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  for (let index = 0; index < bytes.length; index += 1) {
    const isReplacement =
      bytes[index] === 0xef && bytes[index + 1] === 0xbf && bytes[index + 2] === 0xbd;
    if (isReplacement) bytes[index] = 0xff;
  }
  return bytes;
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

async function drop(iterator: AsyncIterator<Uint8Array>, stop?: () => unknown): Promise<void> {
  for (let dropped = 0; dropped < MAX_DROPPED; ) {
    const { done, value } = await iterator.next();
    if (done) return;
    dropped += value.length;
  }
  await (stop ? stop() : iterator.return?.());
}
