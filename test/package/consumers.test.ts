import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');

test('an imported and a required copy know each other’s errors and add up exactly', async () => {
  await copyFile(join(import.meta.dirname, 'consumer/both.mjs'), join(consumer, 'both.mjs'));
  // Of 78 nines, half of them behind the point.
  const sum = `1${'9'.repeat(39)}.${'9'.repeat(38)}8`;
  expect(JSON.parse(await output(process.execPath, ['both.mjs'], consumer))).toStrictEqual({
    copies: 2,
    esmKnowsCjs: true,
    cjsKnowsEsm: true,
    printed: ['NotificationError', 'NotificationError'],
    esmPlusCjs: sum,
    cjsPlusEsm: sum,
    esmTimesCjs: `${'9'.repeat(77)}8.${'0'.repeat(77)}1`,
    composed: ['deposit.received', 'deposit.received'],
  });
});
