import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The docblock of a type, and those of its members by name. */
export interface Docblocks {
  readonly type: string;
  readonly members: ReadonlyMap<string, string>;
}

/**
 * Reads the docblocks of a type, without their tags: `@remarks` are about the package's types alone.
 *
 * @param file - A file in `src`, without its extension.
 * @param type - The name of an interface or a union in it.
 */
export function readDocblocks(file: string, type: string): Docblocks {
  const { statements } = parse(
    readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), 'utf8'),
  );
  const found = statements.find(
    (node) =>
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
      node.name.text === type,
  );
  if (found === undefined) throw new Error(`${file}.ts has no type ${type}`);
  return { type: docblockOf(found), members: new Map(membersOf(found)) };
}

/** The meanings of a withdrawal's fields. Its address and its status depend on each other, and have types of their own. */
export const WITHDRAWAL_MEANINGS: Docblocks['members'] = new Map([
  ...readDocblocks('withdrawal-broadcast', 'WithdrawalFields').members,
  ['status', readDocblocks('withdrawal-broadcast', 'WithdrawalStatus').type],
]);

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
}

/** The properties of an interface, or the strings of a union, each with its docblock. */
function membersOf(node: ts.Node): [name: string, docblock: string][] {
  if (ts.isInterfaceDeclaration(node)) {
    return node.members.map((member) => [member.name?.getText() ?? '', docblockOf(member)]);
  }
  if (!ts.isTypeAliasDeclaration(node) || !ts.isUnionTypeNode(node.type)) return [];
  // A member's docblock is in front of its bar.
  const [list] = node.type.getChildren();
  const bars = list?.getChildren().filter(({ kind }) => kind === ts.SyntaxKind.BarToken) ?? [];
  return node.type.types.map((member, index) => [
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? member.literal.text : '',
    docblockOf(bars[index] ?? member),
  ]);
}

/** The docblock in front of a node, on one line, with the names of links instead of the links. */
function docblockOf(node: ts.Node): string {
  const { text } = node.getSourceFile();
  const range = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
  if (range === undefined) return '';
  // The compiler reads docblocks of declarations alone, not those of a union's members.
  const [declaration] = parse(`${text.slice(range.pos, range.end)}\ntype _ = 0;`).statements;
  const [docblock] = declaration ? ts.getJSDocCommentsAndTags(declaration) : [];
  const parts = docblock?.comment ?? '';
  const words =
    typeof parts === 'string'
      ? parts
      : parts
          .map((part) => (ts.isJSDocLink(part) ? `\`${part.name?.getText()}\`` : part.text))
          .join('');
  return words.replace(/\s+/g, ' ').trim();
}
