// A body in the fragment of a URL, which browsers send to no server.
import type { NotificationType } from 'payment-notifications';

export interface Shared {
  readonly body: Uint8Array;
  readonly as: NotificationType | undefined;
}

/** A link must not fill the memory. */
const MAX_BYTES = 1024 * 1024;

const LETTERS = { 'deposit.received': 'd', 'withdrawal.broadcast': 'w' } as const;

/** Returns `#1.d.` and the compressed body. The 1 is the version of this format. */
export async function toFragment({ body, as }: Shared): Promise<string> {
  const compressed = await through(body, new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of compressed) binary += String.fromCharCode(byte);
  const data = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `#1.${as === undefined ? 'x' : LETTERS[as]}.${data}`;
}

/** Reads a fragment; null if it is not one of these. Throws for a damaged one. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  const [, letter, data = ''] = /^#1\.([dwx])\.([\w-]*)$/.exec(fragment) ?? [];
  if (letter === undefined) return null;
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
  const compressed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const body = await through(compressed, new DecompressionStream('deflate-raw'));
  const types = ['deposit.received', 'withdrawal.broadcast'] as const;
  return { body, as: types.find((type) => LETTERS[type] === letter) };
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new RangeError('more than a body can be');
      controller.enqueue(chunk);
    },
  });
  const limited = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream).pipeThrough(limit);
  return new Uint8Array(await new Response(limited).arrayBuffer());
}
