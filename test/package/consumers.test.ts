import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');

test('an imported and a required copy know each other’s errors and add up exactly', async () => {
  await copyFile(join(import.meta.dirname, 'consumer/both.mjs'), join(consumer, 'both.mjs'));
  const amount = BigInt('9'.repeat(78));
  expect(JSON.parse(await output(process.execPath, ['both.mjs'], consumer))).toStrictEqual({
    copies: 2,
    esmKnowsCjs: true,
    cjsKnowsEsm: true,
    printed: ['NotificationError', 'NotificationError'],
    esmPlusCjs: decimal(amount + amount, 39),
    cjsPlusEsm: decimal(amount + amount, 39),
    esmTimesCjs: decimal(amount * amount, 78),
    composed: ['deposit.received', 'deposit.received'],
  });
});

/** An integer with its last digits behind a decimal point. */
function decimal(value: bigint, decimals: number): string {
  const digits = value.toString();
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
