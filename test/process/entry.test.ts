import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the testing kit brings none of the parser, and uses nothing that only Node.js has', async () => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: "export * from './dist/testing.js'", resolveDir: '.' },
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output?.inputs ?? {}).filter(([, part]) => part.bytesInOutput > 0);
  expect(used.filter(([file]) => /decimal|valibot/.test(file))).toStrictEqual([]);
  const text = `${outputFiles[0]?.text}`;
  expect(text).toContain('DEPOSIT_RETRY');
  expect(text).not.toContain('refused:');
  expect(text.match(/\b(process|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
});
