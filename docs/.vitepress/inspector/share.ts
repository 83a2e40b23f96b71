// A body in the fragment of an address, which browsers keep to themselves: no server ever sees it.
import type { NotificationType } from 'payment-notifications';

export interface Shared {
  readonly body: Uint8Array;
  readonly as: NotificationType | undefined;
}

/** A body may be refused for its length, but a link can't fill the memory. */
const MAX_BYTES = 1024 * 1024;

const LETTERS = { 'deposit.received': 'd', 'withdrawal.broadcast': 'w' } as const;

/** `#1.d.` and the compressed body; the number is that of the form, should it ever change. */
export async function toFragment({ body, as }: Shared): Promise<string> {
  const compressed = await collect(through(body, new CompressionStream('deflate-raw')));
  let binary = '';
  for (const byte of compressed) binary += String.fromCharCode(byte);
  const data = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `#1.${as === undefined ? 'x' : LETTERS[as]}.${data}`;
}

/** What a fragment holds; null where it is none of ours. Throws for one that is damaged. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  const [, letter, data = ''] = /^#1\.([dwx])\.([\w-]*)$/.exec(fragment) ?? [];
  if (letter === undefined) return null;
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
  const compressed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const body = await collect(through(compressed, new DecompressionStream('deflate-raw')));
  const types = ['deposit.received', 'withdrawal.broadcast'] as const;
  return { body, as: types.find((type) => LETTERS[type] === letter) };
}

function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): ReadableStream<Uint8Array> {
  return new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream);
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new RangeError('more than a body can be');
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
