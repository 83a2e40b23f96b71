// The bytes of a dropped or chosen file, unzipped.
import { printable } from './marks';

/** Beyond this, the page would need more memory than a browser may give it. */
const MAX_MB = 50;
const MAX_BYTES = MAX_MB * 1_000_000;

/** Reads a file. Throws an error whose message says why it can't be read, and what to do. */
export async function readFile(file: File): Promise<Uint8Array> {
  if (file.size > MAX_BYTES) throw new Error(tooLarge(file));
  const bytes = new Uint8Array(await file.arrayBuffer());
  // No text starts with these bytes; gzip does.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BYTES) controller.error(new RangeError());
      else controller.enqueue(chunk);
    },
  });
  try {
    const unzipped = file.stream().pipeThrough(new DecompressionStream('gzip')).pipeThrough(limit);
    return new Uint8Array(await new Response(unzipped).arrayBuffer());
  } catch {
    throw new Error(
      length > MAX_BYTES ? tooLarge(file) : `${nameOf(file)} is damaged: it could not be unzipped.`,
    );
  }
}

/** Says that a file, or a text, has too much for the page. */
function tooLarge({ name, size }: { readonly name: string; readonly size: number }): string {
  const has = size > MAX_BYTES ? `has ${megabytes(size)}` : 'is larger once it is unzipped';
  return `${nameOf({ name })} ${has}, and was not read: this page reads at most ${MAX_MB} MB. Archives of any size: npx payment-notifications check FILE`;
}

export function nameOf({ name }: { readonly name: string }): string {
  return printable(name, 80);
}

export function megabytes(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
}
