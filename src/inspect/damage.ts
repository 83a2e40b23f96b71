import { findJsonFault } from './json-fault.js';

/** What people do to a body that they copy. The first that fits counts. */
const DAMAGES: readonly (readonly [RegExp, string])[] = [
  [/^[^{]*\{\s*&(?:amp;)*(?:quot|#34|#x22);/i, 'text with HTML entities. Decode it first'],
  [/^%7B/i, 'percent-encoded text. Decode it first'],
  [
    /^[^{]*\{\s*"[\s\S]*=\r?\n/,
    'a copy of the source of a mail, with = at the end of lines. Decode it first',
  ],
  [
    /^[^{"]*\{\s*[“”„]/,
    'text with the quotes “ ”, as a mail program makes them. Ask for the original',
  ],
  [/^\{\s*(?:[a-z]\w*|'[a-z]\w*')\s*:/i, 'an object that was printed, and not JSON'],
];

/** Says how somebody has changed text that is not JSON by copying it; null if unknown. */
export function damageOf(body: string): string | null {
  // The parser names a second byte-order mark, which trim() would remove.
  if (body.startsWith('\uFEFF')) return null;
  const text = body.trim();
  const [, known] = DAMAGES.find(([expression]) => expression.test(text)) ?? [];
  if (known !== undefined || !text.startsWith('{')) return known ?? null;
  // Mail programs and terminals break long lines, and viewers of logs end them with an ellipsis.
  const joined = text.replace(/[\r\n]+/g, '');
  const cut = joined.replace(/\[?(?:…|\.\.\.)\]?$/, '');
  if (cut !== joined && findJsonFault(cut)?.after === '') {
    return 'a copy that ends early. Ask for the original';
  }
  return findJsonFault(joined) === null
    ? 'a copy with line breaks inside its texts. Ask for the original'
    : null;
}
