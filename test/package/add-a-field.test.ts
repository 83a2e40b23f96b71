import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
    await writeFile(path, change(await readFile(path, 'utf8')));
  };

  const guide = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const steps = [...guide.matchAll(/^```diff (\S+)\n (.*)\n((?:\+.*\n)+)```$/gm)];
  expect(steps).toHaveLength(6);
  for (const [, file = '', before = '', added = ''] of steps) {
    await edit(file, (text) => {
      const lines = text.split('\n');
      expect(lines.filter((line) => line === before)).toStrictEqual([before]);
      const more = added.trimEnd().replace(/^\+/gm, '').split('\n');
      return lines.flatMap((line) => (line === before ? [line, ...more] : [line])).join('\n');
    });
    if (added.includes('readonly')) {
      // The compiler names the reader that lacks the fields.
      const { stdout } = await run(process.execPath, [TSC], folder);
      expect(stdout).toContain('src/deposit-received.ts');
    }
  }

  // The new value's case, and the messages that list the values.
  const value = {
    ...{ id: 'deposit-received/hybrid-rate', level: 'ours', shows: 'A new rate type.' },
    ...{ body: { rateType: 'HYBRID' }, gives: { rateType: 'HYBRID' } },
  };
  await edit('fixtures/deposit-received.json', (text) =>
    text.replace(/\n\]\n$/, () => `,\n${JSON.stringify(value)}\n]\n`),
  );
  for (const file of ['fixtures/deposit-received.json', 'test/receiver/receive.test.ts']) {
    await edit(file, (text) => text.replace(/(?<=expected (\\?"))(?=FIXED)/g, 'HYBRID$1 or $1'));
  }
  // A new field becomes expected: no other change is likely to touch its lines.
  await edit('src/deposit-received.ts', (text) =>
    text
      .replace('memo: optional(', 'memo: expected(')
      .replace(/^ {2}optional,$/m, '$&\n  expected,'),
  );
  await edit('test/deposit-received.test.ts', (text) =>
    text.replace('optional  text       memo', 'expected  text       memo'),
  );
  await edit('fixtures/deposit-received.json', (text) =>
    text.replace(/^ {4}"others": "(.*)"$/gm, (line, value) => {
      const received = value === 'null' ? 'null' : 'nothing';
      const warning = `missing_field memo: expected a non-empty string, received ${received}`;
      return `${line}, "warnings": ["${warning}"]`;
    }),
  );

  await output(process.execPath, ['scripts/build.js', '--silent'], folder);
  const schema = JSON.parse(
    await readFile(join(folder, 'schemas/deposit-received.schema.json'), 'utf8'),
  );
  expect(schema.properties.memo.description).toContain('Text that the end-user sent.');
  const { parseDepositReceived } = await import(pathToFileURL(join(folder, 'dist/index.js')).href);
  const { depositReceivedBody } = await import(pathToFileURL(join(folder, 'dist/testing.js')).href);
  const given = { memo: 'Thanks', exchangeRate: '0.123456789012345678', confirmedAt: 1 };
  const read = parseDepositReceived(depositReceivedBody({ ...given, rateType: 'HYBRID' }));
  expect(JSON.parse(JSON.stringify(read))).toMatchObject({
    ...{ ...given, confirmedAt: '1970-01-01T00:00:01.000Z', rateType: 'HYBRID' },
    ...{ additionalFields: {}, warnings: [] },
  });

  const [, short = ''] = /^npx vitest run (.*)$/m.exec(guide) ?? [];
  const args = [VITEST, 'run', ...short.split(' '), ...MORE];
  await output(process.execPath, args, folder, { RUNS: '50' });
});
