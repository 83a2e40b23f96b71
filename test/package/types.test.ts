import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, inject, test } from 'vitest';
import { install, pinned, run } from './command.js';

/** The oldest and the newest. */
const COMPILERS = ['5.0', '7.0'] as const;

/** The test of the tarball resolves every entry in each way, older ones as well. */
const EXTENSIONS = ['mts', 'cts'];

/** What is compiled together. */
const PROJECTS = {
  // It has no Request, and no type that valibot's declarations name. So no type of the
  // main entry may be one of valibot.
  'without other types': {
    sources: ['handler', 'mistakes', 'receiving'],
    types: [],
    lib: ['ES2022'],
  },
  'for Node.js, with valibot': {
    sources: ['receiving', 'schemas'],
    types: ['node'],
    lib: ['ES2022', 'DOM'],
  },
};

const CHECKS = COMPILERS.flatMap((compiler) =>
  Object.entries(PROJECTS).map(([name, project]) => [compiler, name, project] as const),
);

const SOURCES = fileURLToPath(new URL('consumer', import.meta.url));
const consumer = inject('consumer');
const compilers = join(inject('folder'), 'compilers');

beforeAll(async () => {
  await mkdir(compilers);
  const packages = COMPILERS.map((version) => pinned(`typescript-${version}`));
  await install(packages, compilers);
  for (const source of Object.values(PROJECTS).flatMap(({ sources }) => sources)) {
    for (const extension of EXTENSIONS)
      await copyFile(join(SOURCES, `${source}.ts`), join(consumer, `${source}.${extension}`));
  }
});

test.concurrent.each(CHECKS)('TypeScript %s: %s', async (version, _, project) => {
  const { sources, types, lib } = project;
  // As a strict merchant does: every library is checked, and declarations can name each type.
  const compilerOptions = {
    ...{ module: 'Node16', types, lib, target: 'ES2022' },
    ...{ strict: true, exactOptionalPropertyTypes: true, declaration: true, noEmit: true },
  };
  const files = sources.flatMap((source) => EXTENSIONS.map((ending) => `${source}.${ending}`));
  // Several compilers run at the same time.
  const config = `${randomUUID()}.json`;
  await writeFile(join(consumer, config), JSON.stringify({ compilerOptions, files }));
  const tsc = join(compilers, `node_modules/typescript-${version}/bin/tsc`);
  const args = [tsc, '--project', config, '--pretty', 'false'];
  const { status, stdout, stderr } = await run(process.execPath, args, consumer);
  const errors = [...stdout.matchAll(/^(.+)\((\d+),\d+\): error (TS\d+)/gm)]
    .map(([, file, line, code]) => `${file}:${line} ${code}`)
    // The oldest compiler finds faults in valibot's own declarations, the newest in Node's.
    .filter((error) => types.length === 0 || !/^node_modules\/(?:@types|valibot)\//.test(error));
  const expected = sources.includes('mistakes') ? await mistakesIn() : [];
  expect(errors.sort(), stdout + stderr).toStrictEqual(expected.sort());
  // One that fails without telling where must not pass for one that found nothing.
  if (status !== 0) expect(stdout, stderr).toMatch(/: error TS\d+/);
});

/** What the compiler must report: each line of mistakes.ts with a code at its end. */
async function mistakesIn(): Promise<string[]> {
  const lines = (await readFile(join(SOURCES, 'mistakes.ts'), 'utf8')).split('\n');
  const codes = lines.map((line) => / \/\/ (TS\d+)$/.exec(line)?.[1]);
  return EXTENSIONS.flatMap((extension) =>
    codes.flatMap((code, index) => (code ? [`mistakes.${extension}:${index + 1} ${code}`] : [])),
  );
}

const CALLS = `import * as pn from 'payment-notifications';
import { parseDepositReceived } from 'payment-notifications';
declare const json: string, bytes: Uint8Array, memory: ArrayBuffer;
declare const request: { body: any }, event: { withdrawalId: string };
pn.parseDepositReceived(json);
pn.parseWithdrawalBroadcast(bytes);
pn.safeParseNotification(memory);
pn.parseNotification(request.body); // struck
pn.safeParseDepositReceived(JSON.parse(json)); // struck
pn.parseWithdrawalBroadcast(event); // struck
export const read = parseDepositReceived;
`;

test('an editor strikes through a body that is parsed already, also of type any, and nothing else', () => {
  const file = join(consumer, 'calls.mts');
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = path === file ? CALLS : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, types: [] }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  expect(service.getSemanticDiagnostics(file)).toStrictEqual([]);
  const struck = service
    .getSuggestionDiagnostics(file)
    .filter(({ reportsDeprecated }) => reportsDeprecated)
    .map(({ start }) => CALLS.slice(start, CALLS.indexOf('\n', start)).split('; ')[1]);
  expect(struck).toStrictEqual(Array(3).fill('// struck'));
});
