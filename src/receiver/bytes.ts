import { isBytes, MAX_BYTES } from '../parser/body.js';
import { quote } from '../parser/messages.js';
import type { RawBody } from '../parser/parse.js';

/**
 * How much of a body is dropped after its limit, in bytes. If the connection ended earlier, the
 * answer could be lost.
 */
const MAX_DROPPED = 4 * 1024 * 1024;

export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /**
   * Whether something has decoded it to text that has U+FFFD or a lone surrogate. These may stand
   * for bytes that are lost: two accounts could look the same.
   */
  readonly mayLackBytes: boolean;
}

/** Returns the bytes of a raw body, which something may have decoded to text. */
export function receivedOf(body: RawBody): ReceivedBody {
  return { bytes: bytesOf(body), mayLackBytes: typeof body === 'string' && lacksBytes(body) };
}

/**
 * Reads a stream. If it is too long, returns early with one byte more than the limit, and drops the
 * rest. If the rest is too long as well, calls `stop`.
 */
export async function readStream(
  stream: AsyncIterable<Uint8Array>,
  stop?: () => unknown,
): Promise<ReceivedBody> {
  const iterator = stream[Symbol.asyncIterator]();
  let bytes: Uint8Array = new Uint8Array();
  let length = 0;
  let mayLackBytes = false;
  while (length <= MAX_BYTES) {
    const { done, value } = await iterator.next();
    if (done) return { bytes: bytes.subarray(0, length), mayLackBytes };
    const received = receivedOf(value);
    mayLackBytes ||= received.mayLackBytes;
    const chunk = received.bytes.subarray(0, MAX_BYTES + 1 - length);
    if (length === 0) {
      bytes = chunk; // usually the only one, so it isn't copied
    } else {
      if (length + chunk.length > bytes.length) bytes = grown(bytes, 2 * (length + chunk.length));
      bytes.set(chunk, length);
    }
    length += chunk.length;
  }
  drop(() => iterator, stop);
  return { bytes: bytes.subarray(0, length), mayLackBytes };
}

function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
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

function lacksBytes(text: string): boolean {
  return text.includes('\ufffd') || !text.isWellFormed();
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

/**
 * Drains an unread body, so that its sender gets the answer. Cuts off one that doesn't end. The
 * answer doesn't wait for it.
 */
export async function drop(
  open: () => AsyncIterator<Uint8Array>,
  stop?: () => unknown,
): Promise<void> {
  try {
    const iterator = open();
    for (let dropped = 0; dropped < MAX_DROPPED; ) {
      const { done, value } = await iterator.next();
      if (done) return;
      dropped += value.length;
    }
    await (stop ? stop() : iterator.return?.());
  } catch {} // the sender has left, or somebody else reads
}
