import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
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

test('the testing kit uses nothing that only Node.js has', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './dist/testing.js'", resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    minify: true, // without the comments
    write: false,
  });
  const text = `${outputFiles[0]?.text}`;
  expect(text).toContain('DEPOSIT_RETRY');
  expect(text.match(/\b(process\.|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
});
