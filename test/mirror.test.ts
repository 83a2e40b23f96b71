import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Tests that also cover files of src without a test of their own name. */
const ALSO_TESTED_BY: Readonly<Record<string, readonly string[]>> = {
  // These only export names, which are compared in the packed package.
  'package/surface': ['index', 'testing/index'],
  // Rules show in the notifications that they read.
  'deposit-received': ['internal/fields'],
  // Each is a part of the tested file.
  'inspect/index': ['wire/members'],
  'internal/body': ['internal/objects'],
  'receiver/index': ['internal/report-or-print'],
  'testing/bodies': ['wire/sample'],
  'testing/deliver': ['testing/attempt', 'testing/clock'],
  'cli/check': ['cli/check-report', 'cli/input'],
  'cli/inspect': ['cli/terminal'],
  'cli/run': ['cli/errors', 'cli/options'],
  'cli/send': ['cli/endpoint', 'cli/send-bodies', 'cli/send-report'],
  // It connects the command to its process.
  'process/command': ['cli/main'],
};

test('each file of src has a test of its name, or is listed here', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const names = files.flatMap((file) => /^(.*)\.ts$/.exec(file)?.[1] ?? []);
  const isTested = (name: string) => existsSync(`test/${name}.test.ts`);
  const listed = Object.values(ALSO_TESTED_BY).flat();
  expect(names.filter((name) => !isTested(name)).sort()).toStrictEqual(listed.sort());
  expect(Object.keys(ALSO_TESTED_BY).filter((name) => !isTested(name))).toStrictEqual([]);
});
