import { readFileSync } from 'node:fs';

/** The docblock of a type, and those of its members by name. */
export interface Docblocks {
  readonly type: string;
  readonly members: ReadonlyMap<string, string>;
}

/** The start of a type, of a property or of a union's member, as Biome formats it, with its docblock. */
const DECLARATION =
  /^ *(?:\/\*\*((?:(?!\*\/).)*)\*\/\n *)?(?:export )?(interface|type|readonly|\|) '?(\w+)/gms;

/**
 * Reads the docblocks of a type, without their tags: `@remarks` are about the package's types alone.
 *
 * @param file - A file in `src`, without its extension.
 * @param type - The name of an interface or a type in it.
 */
export function readDocblocks(file: string, type: string): Docblocks {
  const source = readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), 'utf8');
  const declarations = [...source.matchAll(DECLARATION)].map(
    ([, comment = '', keyword = '', name = '']) => ({
      name,
      docblock: plain(comment),
      isType: keyword === 'interface' || keyword === 'type',
    }),
  );
  const start = declarations.findIndex(({ name, isType }) => isType && name === type);
  const [found, ...rest] = declarations.slice(start);
  if (start === -1 || !found) throw new Error(`${file}.ts has no type ${type}`);
  const next = rest.findIndex(({ isType }) => isType);
  const members = next === -1 ? rest : rest.slice(0, next);
  return {
    type: found.docblock,
    members: new Map(members.map(({ name, docblock }) => [name, docblock])),
  };
}

/** The meanings of a withdrawal's fields. Its address and its status depend on each other, and have types of their own. */
export const WITHDRAWAL_MEANINGS: Docblocks['members'] = new Map([
  ...readDocblocks('withdrawal-broadcast', 'WithdrawalFields').members,
  ['status', readDocblocks('withdrawal-broadcast', 'WithdrawalStatus').type],
]);

/** On one line, with the names of links instead of the links. */
function plain(comment: string): string {
  return comment
    .replace(/\n *\* @.*/s, '')
    .replace(/\n *\*/g, ' ')
    .replace(/\{@link ([^}\s]+)[^}]*\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
