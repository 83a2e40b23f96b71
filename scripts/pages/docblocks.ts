import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Reads the docblocks in an interface or a union of texts, by property or text. Their tags are left
 * out.
 *
 * @param file - A file in `src/parser`, without its extension.
 */
export function readDocblocks(file: string, type: string): Map<string, string> {
  const text = readFileSync(new URL(`../../src/parser/${file}.ts`, import.meta.url), 'utf8');
  const source = ts.createSourceFile(`${file}.ts`, text, ts.ScriptTarget.ES2022, true);
  for (const statement of source.statements) {
    if (ts.isInterfaceDeclaration(statement) && statement.name.text === type) {
      const members = statement.members.map((member): [string, string] => [
        `${member.name?.getText()}`,
        wordsOf(text, member.pos),
      ]);
      return new Map(members);
    }
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === type) {
      const { types } = statement.type as ts.UnionTypeNode;
      // A docblock is in front of the bar.
      const members = types.map((member, index): [string, string] => [
        member.getText().slice(1, -1),
        wordsOf(text, types[index - 1]?.end ?? types.pos),
      ]);
      return new Map(members);
    }
  }
  throw new Error(`${file}.ts has no type ${type}`);
}

/** The docblock behind a position, on one line, with code instead of links. */
function wordsOf(text: string, position: number): string {
  const [{ pos, end } = { pos: 0, end: 0 }] = ts.getLeadingCommentRanges(text, position) ?? [];
  const [words = ''] = text
    .slice(pos + '/**'.length, end - '*/'.length)
    .replace(/\n\s*\*/g, ' ')
    .split(/\s@/);
  return words
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
