import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { patientTests } from '../../src/testing/handler-tests.js';
import { FAULTS } from './old-faults.js';
import { merchant } from './old-merchant.js';

test('matrix', async () => {
  const out: Record<string, unknown> = {};
  for (const [name, faults] of Object.entries(FAULTS)) for (const [fault, parts] of faults) {
    const failures: Record<string, string> = {};
    const type = name.split(':')[0];
    for (const one of patientTests(merchant(parts), { brokenMs: 1, answeredMs: 0, mendedMs: 0 })) {
      if (!one.name.startsWith(`${type}`)) continue;
      await one.run().catch((error: Error) => { failures[one.name] = error.message; });
    }
    out[`${name} | ${fault}`] = failures;
  }
  writeFileSync(process.env.MATRIX ?? '/tmp/kit/matrix.json', JSON.stringify(out, null, 1));
}, 1_200_000);
