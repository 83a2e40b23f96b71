import { createRequire } from 'node:module';
import { build } from 'esbuild';
import * as esm from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';

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

describe('the testing kit', () => {
  test('brings none of the parser with it', async () => {
    const { files, text } = await bundled("export * from './dist/testing.js'");
    expect(text).toContain('DEPOSIT_RETRY');
    expect(files.filter((file) => /decimal|valibot/.test(file))).toStrictEqual([]);
    expect(text).not.toContain('refused:');
  });

  test('uses nothing that only Node.js has', async () => {
    const { text } = await bundled("export * from './dist/testing.js'");
    expect(text.match(/\b(process|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
  });

  test('has the same names in either format', () => {
    const cjs = createRequire(import.meta.url)('payment-notifications/testing');
    expect(Object.keys(cjs).sort()).toStrictEqual(Object.keys(esm).sort());
    expect(cjs.depositReceivedBody()).toBe(esm.depositReceivedBody());
  });

  test('adds nothing to a merchant that only parses', async () => {
    const { text } = await bundled("export { parseDepositReceived } from './dist/index.js'");
    expect(text).toContain('refused:');
    expect(text).not.toMatch(/DEPOSIT_RETRY|depositReceivedBody|bodyVariants/);
  });
});
