import { readFileSync } from 'node:fs';

/** A docblock, and the property or text of a union behind it. */
const DOCUMENTED = /\/\*\*(.+?)\*\/\s+(?:readonly |\| ')(\w+)/gs;
const MEMBER = /^ +(?:readonly |\| ')(\w+)/gm;

/**
 * Reads the docblocks in an interface or a union of texts, by property or text. Their tags are left
 * out.
 *
 * @param file - A file in `src/parser`, without its extension.
 * @throws Error if a property or text has no docblock.
 */
export function readDocblocks(file: string, type: string): Map<string, string> {
  const text = readFileSync(new URL(`../../src/parser/${file}.ts`, import.meta.url), 'utf8');
  // A declaration ends before an empty line.
  const [declaration] = new RegExp(`(?:interface|type) ${type}\\b.*?\n\n`, 's').exec(text) ?? [];
  if (declaration === undefined) throw new Error(`${file}.ts has no type ${type}`);
  const documented = [...declaration.matchAll(DOCUMENTED)];
  const docblocks = new Map(documented.map(([, block = '', name = '']) => [name, wordsOf(block)]));
  for (const [, name = ''] of declaration.matchAll(MEMBER))
    if (!docblocks.has(name)) throw new Error(`${type} has no docblock for ${name}`);
  return docblocks;
}

/** The words of a docblock on one line, with code instead of links. */
function wordsOf(block: string): string {
  const [words = ''] = block.replace(/\n\s*\*/g, ' ').split(/\s@/);
  return words
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
