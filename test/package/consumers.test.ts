import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import { output } from './command.js';

const SOURCES = fileURLToPath(new URL('consumer', import.meta.url));
const DEPOSIT = fileURLToPath(
  new URL('../../fixtures/deposit-received/eighteen-decimals.json', import.meta.url),
);

const consumer = inject('consumer');

beforeAll(async () => {
  for (const file of await readdir(SOURCES)) {
    await copyFile(join(SOURCES, file), join(consumer, file));
  }
  await copyFile(DEPOSIT, join(consumer, 'deposit.json'));
});

async function runs(file: string): Promise<unknown> {
  return JSON.parse(await output(process.execPath, [file], consumer));
}

test.each([
  ['an ES module imports it', 'esm.mjs'],
  ['a CommonJS module requires it', 'cjs.cjs'],
  ['a CommonJS module imports it when it needs to', 'dynamic.cjs'],
])('%s', async (_title, file) => {
  expect(await runs(file)).toStrictEqual({
    amount: '0.123456789012345678',
    refusal: true,
    valibot: 'deposit.received',
  });
});

test('an imported and a required copy know each other’s errors and add up exactly', async () => {
  const amount = BigInt('9'.repeat(78));
  expect(await runs('both.mjs')).toStrictEqual({
    copies: 2,
    esmKnowsCjs: true,
    cjsKnowsEsm: true,
    printed: ['NotificationError', 'NotificationError'],
    esmPlusCjs: decimal(amount + amount, 39),
    cjsPlusEsm: decimal(amount + amount, 39),
    esmTimesCjs: decimal(amount * amount, 78),
  });
});

/** An integer with its last digits behind a decimal point. */
function decimal(value: bigint, decimals: number): string {
  const digits = value.toString();
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
