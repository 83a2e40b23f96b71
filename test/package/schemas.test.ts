import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, test } from 'vitest';
import { install, output, pinned } from './command.js';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

const consumer = inject('consumer');
const tools = join(inject('folder'), 'openapi');
const description = join(consumer, 'node_modules/payment-notifications/schemas/openapi.json');

beforeAll(async () => {
  await mkdir(tools);
  // Not a devDependency: it brings 60 MB, and a compiler of its own.
  await install([pinned('openapi-typescript')], tools);
});

test('types generated from openapi.json compile, and so does an import of a schema', async () => {
  const generated = join(consumer, 'openapi.mts');
  await output(
    process.execPath,
    ['node_modules/openapi-typescript/bin/cli.js', description, '--output', generated],
    tools,
  );
  await writeFile(
    join(consumer, 'typed-schemas.mts'),
    `import schema from 'payment-notifications/schemas/openapi.json' with { type: 'json' };
    import type { components } from './openapi.mjs';
    type Deposit = components['schemas']['DepositReceived'];
    export const version: string = schema.openapi;
    export const amounts: Deposit['actualDepositAmount'][] = [1, '1'];
    // @ts-expect-error An amount is a number or a string.
    export const other: Deposit['actualDepositAmount'] = true;
    export const none: Deposit['rateType'] = null;
    // @ts-expect-error A rate type is one of two.
    export const unknown: Deposit['rateType'] = 'VARIABLE';
    `,
  );
  for (const module of ['NodeNext', 'Preserve']) {
    // Generated as code, which skipLibCheck does not skip.
    const flags = [
      '--module',
      module,
      '--resolveJsonModule',
      '--strict',
      '--noEmit',
      '--skipLibCheck',
    ];
    const args = [TSC, ...flags, '--ignoreConfig', 'typed-schemas.mts'];
    expect(await output(process.execPath, args, consumer)).toBe('');
  }
});
