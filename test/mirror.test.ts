import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Where a file of src is tested that has no test of its own name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  index: 'package/surface',
  'internal/fields': 'deposit-received',
  'wire/members': 'inspect/index',
  'wire/sample': 'testing/bodies',
  'testing/index': 'package/surface',
  'testing/attempt': 'testing/deliver',
  'testing/clock': 'testing/deliver',
  'cli/body': 'cli/send',
  'cli/check-report': 'cli/check',
  'cli/endpoint': 'cli/send',
  'cli/input': 'cli/check',
  'cli/main': 'process/command',
  'cli/options': 'cli/run',
  'cli/report': 'cli/send',
  'cli/terminal': 'cli/inspect',
  'cli/usage': 'cli/run',
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).flatMap(
  (file) => /^(.*)\.ts$/.exec(file)?.[1] ?? [],
);

test.each(files)('the test of src/%s.ts has its name, or is listed here', (file) => {
  const own = existsSync(`test/${file}.test.ts`);
  expect(own ? file in ELSEWHERE : !existsSync(`test/${ELSEWHERE[file]}.test.ts`)).toBe(false);
});
