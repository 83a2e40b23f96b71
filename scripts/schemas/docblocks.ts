import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What the docblock of a type says, and those of its members. */
export interface Docblocks {
  readonly type: string;
  /** Of an interface's properties, or of the texts in a union, by name. */
  readonly members: ReadonlyMap<string, string>;
}

const SOURCE = new URL('../../src/', import.meta.url);

/**
 * Reads the docblocks of a type, without their tags: what only concerns the package's types stands under
 * `@remarks`.
 *
 * @param file - A path in `src`.
 * @param name - The name of an interface or a type in it.
 */
export function readDocblocks(file: string, name: string): Docblocks {
  const text = readFileSync(new URL(file, SOURCE), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  for (const statement of source.statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (!isType || statement.name.text !== name) continue;
    const members = ts.isInterfaceDeclaration(statement)
      ? statement.members.map((member) => [member.name?.getText(), docblockOf(member)] as const)
      : textsOf(statement.type).map((member) => [member.text, leadingDocblock(member)] as const);
    return {
      type: docblockOf(statement),
      members: new Map(members.map(([member = '', docblock]) => [member, docblock])),
    };
  }
  throw new Error(`${file} has no type ${name}`);
}

/** The texts that a type is a union of. */
function textsOf(type: ts.TypeNode): ts.StringLiteral[] {
  const types = ts.isUnionTypeNode(type) ? [...type.types] : [];
  return types
    .map((member) => (ts.isLiteralTypeNode(member) ? member.literal : member))
    .filter(ts.isStringLiteral);
}

function docblockOf(node: ts.Node): string {
  const docblock = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return plain(ts.getTextOfJSDocComment(docblock?.comment) ?? '');
}

/** TypeScript takes what stands in front of a union's member for an ordinary comment. */
function leadingDocblock(node: ts.Node): string {
  const { text } = node.getSourceFile();
  const last = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
  return last ? plain(text.slice(last.pos, last.end).replace(/^\/\*\*|\*\/$/g, '')) : '';
}

/** On one line, with the names of links instead of the links. */
function plain(comment: string): string {
  return comment
    .replace(/\{@link ([^}\s]+)[^}]*\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
