import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the testing kit uses nothing that only Node.js has', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './dist/testing.js'", resolveDir: '.' },
    bundle: true,
    format: 'esm',
    minify: true, // without the comments
    write: false,
  });
  const text = `${outputFiles[0]?.text}`;
  expect(text).toContain('DEPOSIT_RETRY');
  expect(text.match(/\b(process\.|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
});
