import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');
const dist = join(consumer, 'node_modules/payment-notifications/dist');

/** A name that goes, or changes, breaks a user's build: that is a major release. */
const ENTRIES = ['index', 'valibot', 'inspect', 'receiver', 'testing'];

test('the names and the declarations of every entry are those that were agreed on', async () => {
  const declared = [...ENTRIES.map((entry) => namesOf(entry, '.d.ts')), declarationsOf('.d.ts')];
  // For a change that is meant: npm run test:package -- --update, and a review of what it did to this file.
  await expect(declared.join('\n')).toMatchFileSnapshot('declarations.txt');
  const required = [...ENTRIES.map((entry) => namesOf(entry, '.d.cts')), declarationsOf('.d.cts')];
  expect(required).toStrictEqual(declared);
});

test.each(ENTRIES)('%s has the declared values, imported and required', async (entry) => {
  const name = entry === 'index' ? 'payment-notifications' : `payment-notifications/${entry}`;
  const { values } = exportsOf(`${entry}.d.ts`);
  for (const [type, load] of [
    ['module', `import * as entry from '${name}';`],
    ['commonjs', `const entry = require('${name}');`],
  ]) {
    const script = `${load} console.log(JSON.stringify(Object.keys(entry).sort()));`;
    const args = [`--input-type=${type}`, '-e', script];
    expect(JSON.parse(await output(process.execPath, args, consumer))).toStrictEqual(values);
  }
});

function namesOf(entry: string, extension: string): string {
  const { values, types } = exportsOf(`${entry}${extension}`);
  return [`${entry}:`, ...values, ...types.map((name) => `type ${name}`), ''].join('\n');
}

/** The names that a declaration file exports, whatever file of the package they come from. */
function exportsOf(file: string): { values: string[]; types: string[] } {
  const path = join(dist, file);
  const options = { moduleResolution: ts.ModuleResolutionKind.Bundler, noLib: true, types: [] };
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} has no exports`);
  const names: { values: string[]; types: string[] } = { values: [], types: [] };
  for (const name of checker.getExportsOfModule(module)) {
    const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
    const { flags } = isAlias ? checker.getAliasedSymbol(name) : name;
    names[flags & ts.SymbolFlags.Value ? 'values' : 'types'].push(name.name);
  }
  return { values: names.values.sort(), types: names.types.sort() };
}

/**
 * All declarations of the package without their comments, in alphabetical order, so that it doesn't
 * matter how the build has spread them over files.
 */
function declarationsOf(extension: string): string {
  const printer = ts.createPrinter({ removeComments: true });
  const declared = new Set<string>();
  for (const file of readdirSync(dist).filter((name) => name.endsWith(extension))) {
    const text = ts.sys.readFile(join(dist, file)) ?? '';
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
    for (const statement of source.statements) {
      const printed = printer.printNode(ts.EmitHint.Unspecified, statement, source);
      if (ts.isExportDeclaration(statement) || /from "\.\//.test(printed)) continue;
      declared.add(printed);
    }
  }
  return `${[...declared].sort().join('\n')}\n`;
}
