import type { RawBody } from '../parse.js';

/** What text looks like that people take for a body. The first that fits counts. */
const LIKENESSES: readonly (readonly [RegExp, string])[] = [
  [/^<(?:!doctype html|html|head|body)\b/i, 'an HTML page'],
  [/^[^{]*\{\s*&(?:amp;)*(?:quot|#34|#x22);/i, 'text with HTML entities. Decode it first'],
  [/^<[?!\w]/, 'XML'],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, 'a UUID alone'],
  [/^(?:0x)?[\da-f]{64}$/i, 'a transaction ID alone'],
  [/^https?:\/\/\S+$/i, 'a URL'],
  [/^%7B/i, 'percent-encoded text. Decode it first'],
  [
    /^[^{]*\{\s*"[\s\S]*=\r?\n/,
    'a copy of the source of a mail, with = at the end of lines. Decode it first',
  ],
  [
    /^[^{]*\{\s*(?:\^\\|\\)\^"/,
    'a command of Windows, with ^ before quotes. Ask for the body alone',
  ],
  [
    /^[^{"]*\{\s*[“”„]/,
    'text with the quotes “ ”, as a mail program makes them. Ask for the original',
  ],
  // Of a whole body, it has digits and upper-case letters, unlike a word.
  [/^(?=[a-z+/\n\r_-]*[\dA-Z])e[wy][\w+/\n\r-]{20,}=*$/, 'base64 text. Decode it first'],
  [/^[\w.%+-]+=(?:%7B|[^\s&=]*&[\w.%+-]+=)/i, 'form-encoded text. The service posts JSON'],
  [/^\{\s*(?:[a-z]\w*|'[a-z]\w*')\s*:/i, 'an object that was printed, and not JSON'],
];

/** Says what text looks like that is not JSON; null if that is unknown. */
export function likenessOf(body: RawBody): string | null {
  const text = (typeof body === 'string' ? body : new TextDecoder().decode(body)).trim();
  return LIKENESSES.find(([expression]) => expression.test(text))?.[1] ?? null;
}
