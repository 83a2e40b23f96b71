import { readFileSync } from 'node:fs';

/** The docblock of a type, and those of its members by name. */
export interface Docblocks {
  readonly type: string;
  readonly members: ReadonlyMap<string, string>;
}

/**
 * A type, or a property or a string of one, in our formatting, with the docblock in front of it.
 */
const DECLARATION =
  /(?:\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n)?(?:^(?:export )?(?:interface|type) (\w+)|^ {2}(?:readonly |\| ')(\w+))/gm;

/**
 * Reads the docblocks of a type, without their tags: `@remarks` are about the package's types
 * alone.
 *
 * @param file - A file in `src`, without its extension.
 * @param type - The name of an interface or a union in it.
 */
export function readDocblocks(file: string, type: string): Docblocks {
  const text = readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), 'utf8');
  const types = new Map<string, { type: string; members: Map<string, string> }>();
  let members = new Map<string, string>();
  for (const [, docblock = '', name, member = ''] of text.matchAll(DECLARATION)) {
    if (name === undefined) members.set(member, wordsOf(docblock));
    else {
      members = new Map();
      types.set(name, { type: wordsOf(docblock), members });
    }
  }
  const found = types.get(type);
  if (found === undefined) throw new Error(`${file}.ts has no type ${type}`);
  return found;
}

/**
 * The meanings of a withdrawal's fields. Its address and its status depend on each other, and have
 * types of their own.
 */
export const WITHDRAWAL_MEANINGS: Docblocks['members'] = new Map([
  ...readDocblocks('withdrawal-broadcast', 'WithdrawalFields').members,
  ['status', readDocblocks('withdrawal-broadcast', 'WithdrawalStatus').type],
]);

/** A docblock on one line, with the names of links instead of the links. */
function wordsOf(docblock: string): string {
  const [words = ''] = docblock.replace(/\n\s*\*/g, ' ').split(/\s@/);
  return words
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
