import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { output, run } from './command.js';
import { copyProject, ROOT } from './pack.js';

/** What a field shows up in. The pages, the public types and the command's session are written again. */
const TESTS = 'deposit-received parse from-json inspect/ schemas/files testing/ cli/'.split(' ');

test('the walk in CONTRIBUTING.md adds fields, and nothing else needs an edit', async () => {
  const folder = await copyProject('add-a-field');
  for (const path of ['test', 'vitest.config.ts']) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const walk = (await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).replace(/^ {3}/gm, '');
  const steps = [...walk.matchAll(/^```diff (\S+)\n (.*)\n((?:\+.*\n)+)```$/gm)];
  expect(steps).toHaveLength(5);

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const [, file = '', before = '', added = ''] of steps) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    expect(text.split(`\n${before}\n`), before).toHaveLength(2);
    const lines = added.replace(/^\+/gm, '');
    await writeFile(
      path,
      text.replace(`\n${before}\n`, (line) => line + lines),
    );
    if (lines.includes('readonly')) {
      // The compiler names the reader that lacks them.
      const { stdout } = await run(process.execPath, [tsc], folder);
      expect(stdout).toContain('src/deposit-received.ts');
    }
  }
  await output(process.execPath, [tsc], folder);

  await output(process.execPath, ['scripts/build.js', '--silent'], folder);
  const schema = JSON.parse(
    await readFile(join(folder, 'schemas/deposit-received.schema.json'), 'utf8'),
  );
  expect(schema.properties.memo.description).toContain('Text that the end-user sent along.');
  const { parseDepositReceived } = await import(pathToFileURL(join(folder, 'dist/index.js')).href);
  const { depositReceivedBody } = await import(pathToFileURL(join(folder, 'dist/testing.js')).href);
  const given = { memo: 'Thanks', exchangeRate: '0.123456789012345678', confirmedAt: 1 };
  const read = parseDepositReceived(depositReceivedBody(given));
  expect(JSON.parse(JSON.stringify(read))).toMatchObject({
    ...{ ...given, confirmedAt: '1970-01-01T00:00:01.000Z' },
    ...{ additionalFields: {}, warnings: [] },
  });

  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...TESTS.map((name) => join(folder, 'test', name))];
  const { status, stdout } = await run(process.execPath, args, folder, { RUNS: '50' });
  expect(status, stdout).toBe(0);
});
