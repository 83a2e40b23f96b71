import { join } from 'node:path';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');
const dist = join(consumer, 'node_modules/payment-notifications/dist');

/** A name that goes, or changes, breaks a user's build: that is a major release. */
const ENTRIES = ['index', 'valibot', 'inspect', 'testing'];

test('every entry exports the names that were agreed on, imported and required', async () => {
  const [imported, required] = ['.d.ts', '.d.cts'].map((extension) =>
    ENTRIES.map((entry) => namesOf(entry, extension)).join('\n'),
  );
  // For a change that is meant: npm run test:package -- --update.
  await expect(imported).toMatchFileSnapshot('names.txt');
  expect(required).toBe(imported);
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
