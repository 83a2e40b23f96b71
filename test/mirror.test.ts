import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The tests of the files in src that have no test of their own name, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  // They only export names, which are compared in the packed package.
  index: 'package/surface',
  'testing/index': 'package/surface',
  // Rules show in the notifications that they read.
  'internal/fields': 'deposit-received',
  // Each is a part of the file that is tested.
  'wire/members': 'inspect/index',
  'wire/sample': 'testing/bodies',
  'testing/attempt': 'testing/deliver',
  'testing/clock': 'testing/deliver',
  'cli/body': 'cli/send',
  'cli/check-report': 'cli/check',
  'cli/endpoint': 'cli/send',
  'cli/input': 'cli/check',
  'cli/options': 'cli/run',
  'cli/report': 'cli/send',
  'cli/terminal': 'cli/inspect',
  'cli/usage': 'cli/run',
  // It connects the command to its process.
  'cli/main': 'process/command',
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).flatMap(
  (file) => /^(.*)\.ts$/.exec(file)?.[1] ?? [],
);
const isTested = (name: string) => existsSync(`test/${name}.test.ts`);

test.each(files)('src/%s.ts has a test of its name, or is listed here', (file) => {
  const name = ELSEWHERE[file] ?? file;
  expect(isTested(name), `test/${name}.test.ts`).toBe(true);
});

test('the list has only files that are in src and have no test of their name', () => {
  const listed = Object.keys(ELSEWHERE);
  expect(listed.filter((file) => !files.includes(file) || isTested(file))).toStrictEqual([]);
});
