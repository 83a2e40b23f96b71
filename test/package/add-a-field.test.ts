import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'lossless-json';
import { expect, test } from 'vitest';
import { output, run } from './command.js';
import { copyRepository, isFull, ROOT } from './pack.js';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** Further tests in which a field, a value or a need shows. */
const MORE =
  'from-json inspect/ schemas/files testing/bodies testing/faults testing/variants cli/'.split(' ');

/** A change of the guide: the file, and lines that stay, go (-) or come (+). */
const DIFF = /^```diff (\S+)\n(.*?)^```$/gms;

test('the changes in CONTRIBUTING.md need no other edits', async () => {
  const folder = await copyRepository('add-a-field');
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    const changed = change(text);
    expect(changed, file).not.toBe(text);
    await writeFile(path, changed);
  };

  const guide = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const steps = [...guide.matchAll(DIFF)];
  expect(steps.length).toBeGreaterThan(4);
  for (const [, file = '', diff = ''] of steps) {
    const without = (mark: string) => diff.replace(new RegExp(`^\\${mark}.*\\n`, 'gm'), '');
    const [before, after] = [without('+'), without('-')].map((text) => text.replace(/^./gm, ''));
    await edit(file, (text) => {
      const parts = `\n${text}`.split(`\n${before}`);
      expect(parts, `${file} has the lines of the change once`).toHaveLength(2);
      return parts.join(`\n${after}`).slice(1);
    });
    if (diff.includes('readonly')) {
      // The compiler names the table that lacks the fields.
      const { stdout } = await run(process.execPath, [TSC], folder);
      expect(stdout).toMatch(
        /src\/deposit-received\.ts\S+ error TS2739: .*exampleText, exampleAmount, exampleTime$/m,
      );
    }
  }

  // The new value: a case, and the messages that list the values.
  for (const file of [
    'fixtures/deposit-received.json',
    'test/receiver/index.test.ts',
    'test/cli/listen.test.ts',
  ]) {
    await edit(file, (text) => text.replace(/(?<=rateType: expected (\\?"))/g, 'EXAMPLE$1 or $1'));
  }
  // The new text becomes expected: no other change is likely to touch its lines.
  await edit('src/deposit-received.ts', (text) =>
    text
      .replace('exampleText: optional(', 'exampleText: expected(')
      // It may be imported already.
      .replace(/^import \{ (?:expected, )?(?=.*\/rules\.js';$)/m, 'import { expected, '),
  );
  await edit('test/deposit-received.test.ts', (text) =>
    text.replace('const CONTRACT = `', '$&\nexpected  text       exampleText'),
  );
  await edit('fixtures/deposit-received.json', (text) => {
    const cases = parse(text) as { others?: string; warnings?: string[] }[];
    for (const one of cases.filter(({ others }) => others !== undefined)) {
      const received = one.others === 'null' ? 'null' : 'nothing';
      const warning = `missing_field exampleText: expected a non-empty string, received ${received}`;
      one.warnings = [warning, ...(one.warnings ?? [])];
    }
    const value = {
      ...{ id: 'deposit-received/example-rate', level: 'ours', shows: 'A new rate type.' },
      ...{ body: { rateType: 'EXAMPLE' }, gives: { rateType: 'EXAMPLE' } },
    };
    return `${stringify([...cases, value])}`;
  });

  await output(process.execPath, [TSC], folder);
  const env = { RUNS: '50' };
  if (isFull) {
    await output('npm', ['run', 'update'], folder, env);
    await output(process.execPath, [VITEST, 'run'], folder, env);
    // What the update has written stays as it is.
    await output('npm', ['run', 'test:package', 'surface', 'session'], folder);
    return;
  }
  // Without a build and a package, which the update needs for the public types and the session.
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const [pages = ''] = scripts.update.split(' && ');
  await output('npx', pages.split(' '), folder, env);
  const [, short = ''] = /^npx tsc && npx vitest run (.*)$/m.exec(guide) ?? [];
  await output(process.execPath, [VITEST, 'run', ...short.split(' '), ...MORE], folder, env);
});
