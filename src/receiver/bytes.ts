import { isBytes } from '../internal/body.js';
import { quote } from '../internal/issues.js';
import type { RawBody } from '../parse.js';

/** The bytes of a raw body. */
export function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  const value: unknown = body;
  if (typeof value !== 'object' || value === null || !isBytes(value)) {
    throw new TypeError(
      `body: expected text or bytes, received ${quote(value)}. Pass the raw body, before middleware reads it`,
    );
  }
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

/**
 * Reads a stream. If it is longer than `maxBytes`, returns early with a little more than that.
 *
 * The rest is read and dropped: if it stayed in the connection, neither the answer nor the next request would get through.
 */
export function readBytes(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const read = async () => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of stream) {
        if (length > maxBytes) continue;
        const bytes = bytesOf(chunk); // text, if middleware has set an encoding
        chunks.push(bytes);
        length += bytes.length;
        if (length > maxBytes) resolve(concat(chunks, length));
      }
      resolve(concat(chunks, length));
    };
    read().catch(reject);
  });
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
