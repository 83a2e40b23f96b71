import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { output } from './command.js';
import { copyRepository, isFull, ROOT } from './pack.js';

test('every build gives the same files, whatever its folder', async ({ skip }) => {
  skip(!isFull, 'takes long: .ci/run --full');
  const folder = await copyRepository('built');
  // A build may be started from anywhere.
  await output(process.execPath, [join(folder, 'scripts/build.js'), '--silent'], tmpdir());
  for (const path of ['dist', 'inspector.html']) {
    const both = [join(ROOT, path), join(folder, path)];
    expect(await output('diff', ['--recursive', ...both], ROOT)).toBe('');
  }
});

test.each([
  ['testing', 'faultyBodies'],
  ['receiver', 'body_too_large'],
])('%s uses nothing that only Node.js has', async (entry, name) => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from './dist/${entry}.js'`, resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    minify: true, // without the comments
    logLevel: 'error', // it would warn of a chunk that it leaves out, as it should
    write: false,
  });
  const text = `${outputFiles[0]?.text}`;
  expect(text).toContain(name);
  // The parser's messages name a Buffer.
  const code = text.replace(/Buffer\.from\(data\)|["'`](?:a )?Buffer\b/g, '');
  expect(code.match(/\b(process\.|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
});
