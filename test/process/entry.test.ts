import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** What a merchant's bundler takes in for a line of code. */
async function bundled(code: string): Promise<{ files: string[]; text: string }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: '.' },
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file);
  return { files, text: outputFiles[0]?.text ?? '' };
}

test('the testing kit brings none of the parser, and uses nothing that only Node.js has', async () => {
  const { files, text } = await bundled("export * from './dist/testing.js'");
  expect(text).toContain('DEPOSIT_RETRY');
  expect(files.filter((file) => /decimal|valibot/.test(file))).toStrictEqual([]);
  expect(text).not.toContain('refused:');
  expect(text.match(/\b(process|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
});

test('the testing kit adds nothing to a merchant that only parses', async () => {
  const { text } = await bundled("export { parseDepositReceived } from './dist/index.js'");
  expect(text).toContain('refused:');
  expect(text).not.toMatch(/DEPOSIT_RETRY|depositReceivedBody|bodyVariants/);
});
