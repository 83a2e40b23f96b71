import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { output, run } from './command.js';
import { copyProject, ROOT } from './pack.js';

test('the walk in CONTRIBUTING.md adds a field, and the compiler names the reader that lacks it', async () => {
  const folder = await copyProject('add-a-field');
  const walk = (await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).replace(/^ {3}/gm, '');
  const steps = [...walk.matchAll(/^```diff (\S+)\n (.*)\n((?:\+.*\n)+)```$/gm)];
  expect(steps).toHaveLength(3);

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  let left = '';
  for (const [, file = '', before = '', added = ''] of steps) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    expect(text.split(`\n${before}\n`), before).toHaveLength(2);
    await writeFile(
      path,
      text.replace(`\n${before}\n`, (line) => line + added.replace(/^\+/gm, '')),
    );
    // The interface lacks a reader.
    left += (await run(process.execPath, [tsc], folder)).stdout;
  }
  expect(left).toContain('src/deposit-received.ts');
  await output(process.execPath, [tsc], folder);

  const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
  await output(process.execPath, [tsx, 'scripts/schemas/write.ts'], folder);
  const schema = JSON.parse(
    await readFile(join(folder, 'schemas/deposit-received.schema.json'), 'utf8'),
  );
  expect(schema.properties.memo.description).toContain('Text that the end-user sent along.');

  await output(process.execPath, ['scripts/build.js', '--silent'], folder);
  const { parseDepositReceived } = await import(pathToFileURL(join(folder, 'dist/index.js')).href);
  const { depositReceivedBody } = await import(pathToFileURL(join(folder, 'dist/testing.js')).href);
  expect(parseDepositReceived(depositReceivedBody())).toMatchObject({
    memo: 'Thank you',
    additionalFields: {},
  });
});
