import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');
const dist = join(consumer, 'node_modules/payment-notifications/dist');

/** A name that goes, or changes, breaks a user's build: that is a major release. */
const ENTRIES = ['index', 'valibot', 'inspect', 'receiver', 'store', 'testing'];

test('the names and the declarations of every entry are those that were agreed on', async () => {
  const declared = declarationsOf('.d.ts');
  // For a change that is meant: npm run update, and a review of what it did to this file.
  await expect(declared).toMatchFileSnapshot('declarations.txt');
  expect(declarationsOf('.d.cts')).toBe(declared);
});

test.each(ENTRIES)('%s has the declared values, imported and required', async (entry) => {
  const name = entry === 'index' ? 'payment-notifications' : `payment-notifications/${entry}`;
  const values = exportsOf(`${entry}.d.ts`).flatMap(({ name, flags }) =>
    flags & ts.SymbolFlags.Value ? name : [],
  );
  for (const [type, load] of [
    ['module', `import * as entry from '${name}';`],
    ['commonjs', `const entry = require('${name}');`],
  ]) {
    const script = `${load} console.log(JSON.stringify(Object.keys(entry).sort()));`;
    const args = [`--input-type=${type}`, '-e', script];
    expect(JSON.parse(await output(process.execPath, args, consumer))).toStrictEqual(values.sort());
  }
});

/**
 * What a declaration file exports: each name, and the declarations of it, whatever file they are
 * in.
 */
function exportsOf(file: string) {
  const path = join(dist, file);
  const options = { moduleResolution: ts.ModuleResolutionKind.Bundler, noLib: true, types: [] };
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} has no exports`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const { name, flags, declarations = [] } = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    // Otherwise the declarations would not tell under which name they are exported.
    expect(symbol.name).toBe(name);
    return { name, flags, declarations: declarations.map(printed) };
  });
}

/** A declaration without its comments. */
function printed(node: ts.Node): string {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts
    .createPrinter({ removeComments: true })
    .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());
}

/**
 * What each entry exports, then all that these declarations need, in alphabetical order, so that it
 * doesn't matter how the build has spread them over files.
 */
function declarationsOf(extension: string): string {
  const exported = ENTRIES.map((entry) => exportsOf(`${entry}${extension}`));
  const others = new Set<string>();
  for (const file of readdirSync(dist).filter((name) => name.endsWith(extension))) {
    const source = ts.sys.readFile(join(dist, file)) ?? '';
    const { statements } = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
    for (const statement of statements) {
      const text = printed(statement);
      if (!ts.isExportDeclaration(statement) && !/from '\.\//.test(text)) others.add(text);
    }
  }
  const sections = exported.map((names) => names.flatMap(({ declarations }) => declarations));
  for (const declaration of sections.flat()) others.delete(declaration);
  return [...sections, [...others]]
    .map((section, index) => [`${ENTRIES[index] ?? 'not exported'}:`, ...section.sort()].join('\n'))
    .join('\n\n')
    .concat('\n');
}
