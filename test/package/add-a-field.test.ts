import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'lossless-json';
import { expect, test } from 'vitest';
import { output, run } from './command.js';
import { copyProject, ROOT } from './pack.js';

/** Further tests in which a field shows. The pages, the public types and the command's session are generated. */
const MORE = 'from-json inspect/ schemas/files testing/ cli/'.split(' ');

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

test('the changes in CONTRIBUTING.md need no other edits', async () => {
  const folder = await copyProject('add-a-field');
  for (const path of ['test', 'vitest.config.ts']) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    const changed = change(text);
    expect(changed, file).not.toBe(text);
    await writeFile(path, changed);
  };

  const guide = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const steps = [...guide.matchAll(/^```diff (\S+)\n (.*)\n((?:\+.*\n)+)```$/gm)];
  expect(steps).toHaveLength(5);
  for (const [, file = '', before = '', added = ''] of steps) {
    await edit(file, (text) => {
      const lines = text.split('\n');
      expect(lines.filter((line) => line === before)).toStrictEqual([before]);
      const more = added.trimEnd().replace(/^\+/gm, '').split('\n');
      return lines.flatMap((line) => (line === before ? [line, ...more] : [line])).join('\n');
    });
    if (added.includes('readonly')) {
      const { stdout } = await run(process.execPath, [TSC], folder);
      expect(stdout).toMatch(
        /src\/deposit-received\.ts\S+ error TS2739: .*exampleText, exampleAmount, exampleTime$/m,
      );
    }
  }

  // The messages that list the values.
  for (const file of ['fixtures/deposit-received.json', 'test/receiver/index.test.ts']) {
    await edit(file, (text) => text.replace(/(?<=rateType: expected (\\?"))/g, 'EXAMPLE$1 or $1'));
  }
  // A new field becomes expected: no other change is likely to touch its lines.
  await edit('src/deposit-received.ts', (text) =>
    text
      .replace('exampleText: optional(', 'exampleText: expected(')
      // It may be imported already.
      .replace(/^(?: {2}expected,\n)?(?= {2}notificationReader,$)/m, '  expected,\n'),
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
  const [, short = ''] = /^npx vitest run (.*)$/m.exec(guide) ?? [];
  const args = [VITEST, 'run', ...short.split(' '), ...MORE];
  await output(process.execPath, args, folder, { RUNS: '50' });
});
