import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { output } from './command.js';
import { copyProject, ROOT } from './pack.js';

test('every build gives the same files, whatever its folder', async () => {
  const folder = await copyProject('built');
  // A build may be started from anywhere.
  await output(process.execPath, [join(folder, 'scripts/build.js'), '--silent'], tmpdir());
  const folders = [join(ROOT, 'dist'), join(folder, 'dist')];
  expect(await output('diff', ['--recursive', ...folders], ROOT)).toBe('');
});
