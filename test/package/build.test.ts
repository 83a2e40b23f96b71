import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { output } from './command.js';
import { copyProject, ROOT } from './pack.js';

test('every build gives the same files, whatever its folder', async () => {
  const folder = await copyProject('built');
  // A build may be started from anywhere.
  await output(process.execPath, [join(folder, 'scripts/build.js'), '--silent'], tmpdir());
  // But for comments on where the code of others comes from.
  const args = ['--recursive', '--ignore-matching-lines=^// .*node_modules/', join(ROOT, 'dist')];
  expect(await output('diff', [...args, join(folder, 'dist')], ROOT)).toBe('');
});
