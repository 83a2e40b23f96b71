import { findJsonFault } from './json-fault.js';

/** What text looks like that is not JSON. */
export interface Likeness {
  /** In words, such as `an HTML page`. */
  readonly is: string;
  /** Whether it is a copy of a body that somebody changed: the endpoint received another text. */
  readonly isCopy: boolean;
}

/** What people take for a body. The first that fits counts. */
const LIKENESSES: readonly (readonly [RegExp, string, isCopy?: true])[] = [
  [/^$/, 'empty. Check whether something else read it first'],
  [/^<(?:!doctype html|html|head|body)\b/i, 'an HTML page'],
  [/^[^{]*\{\s*&(?:amp;)*(?:quot|#34|#x22);/i, 'text with HTML entities. Decode it first', true],
  [/^<[?!\w]/, 'XML'],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, 'a UUID alone'],
  [/^(?:0x)?[\da-f]{64}$/i, 'a transaction ID alone'],
  [/^https?:\/\/\S+$/i, 'a URL'],
  [/^%7B/i, 'percent-encoded text. Decode it first'],
  [
    /^[^{]*\{\s*"[\s\S]*=\r?\n/,
    'a copy of the source of a mail, with = at the end of lines. Decode it first',
    true,
  ],
  [
    /^[^{]*\{\s*(?:\^\\|\\)\^"/,
    'a command of Windows, with ^ before quotes. Ask for the body alone',
    true,
  ],
  [
    /^[^{"]*\{\s*[“”„]/,
    'text with the quotes “ ”, as a mail program makes them. Ask for the original',
    true,
  ],
  // Of a whole body, it has digits and upper-case letters, unlike a word.
  [/^(?=[a-z+/\n\r_-]*[\dA-Z])e[wy][\w+/\n\r-]{20,}=*$/, 'base64 text. Decode it first'],
  [/^[\w.%+-]+=(?:%7B|[^\s&=]*&[\w.%+-]+=)/i, 'form-encoded text. The service posts JSON'],
  [/^\{\s*(?:[a-z]\w*|'[a-z]\w*')\s*:/i, 'an object that was printed, and not JSON'],
];

/** Says what text looks like that is not JSON; null if that is unknown. */
export function likenessOf(body: string): Likeness | null {
  const text = body.trim();
  const [, is, isCopy = false] = LIKENESSES.find(([expression]) => expression.test(text)) ?? [];
  if (is !== undefined) return { is, isCopy };
  const copy = text.startsWith('{') ? copyOf(text) : null;
  return copy === null ? null : { is: `a copy ${copy}. Ask for the original`, isCopy: true };
}

/** Mail programs and terminals break long lines, and viewers of logs end them with an ellipsis. */
function copyOf(text: string): string | null {
  const joined = text.replace(/[\r\n]+/g, '');
  const cut = joined.replace(/\[?(?:…|\.\.\.)\]?$/, '');
  if (cut !== joined && findJsonFault(cut)?.after === '') return 'that ends early';
  return findJsonFault(joined) === null ? 'with line breaks inside its texts' : null;
}
