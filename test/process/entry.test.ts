import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as esm from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';

const BUILT = [
  ['dist/testing.js', /\b(?:from|import) ["'](.*?)["']/g],
  ['dist/testing.cjs', /\brequire\(["'](.*?)["']\)/g],
] as const;

describe.each(BUILT)('%s', (file, imports) => {
  const code = readFileSync(file, 'utf8');

  test('shares no file with the root, and needs no runtime of its own', () => {
    expect([...code.matchAll(imports)].map(([, name]) => name)).toStrictEqual(
      [...code.matchAll(imports)].map(() => 'lossless-json'),
    );
    expect(code).toMatch(imports);
  });

  test('uses nothing that only Node.js has', () => {
    expect(code.match(/\b(process|Buffer|setImmediate|__dirname|import\.meta)\b/g)).toBeNull();
  });
});

test('the kit has the same names in either format', () => {
  const cjs = createRequire(import.meta.url)('payment-notifications/testing');
  expect(Object.keys(cjs).sort()).toStrictEqual(Object.keys(esm).sort());
  expect(cjs.depositReceivedBody()).toBe(esm.depositReceivedBody());
});
