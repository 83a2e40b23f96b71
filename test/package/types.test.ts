import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type ts from 'typescript';
import { beforeAll, expect, inject, test } from 'vitest';
import { install, pinned, run } from './command.js';
import { isFull } from './pack.js';

/** The oldest, the oldest for `/valibot`, those in use, and the newest. */
const COMPILERS = ['5.0', '5.4', '5.9', '6.0', '7.0'] as const;
/** 7.0 has no interface for editors that a test can ask. */
const EDITORS = ['5.0', '5.9', '6.0'] as const;

/** Each source is checked with each of the extensions. */
const RESOLUTIONS = {
  node10: { module: 'CommonJS', extensions: ['ts'] },
  // It differs from nodenext only in what a later Node.js allows.
  node16: { module: 'Node16', extensions: ['mts', 'cts'] },
  nodenext: { module: 'NodeNext', extensions: ['mts', 'cts'] },
  bundler: { module: 'ESNext', extensions: ['ts'] },
};

/** What is compiled together: sources, and the libraries and types that they need. */
const PROJECTS = {
  '., /inspect, /receiver, /testing': {
    sources: ['handler', 'mistakes', 'inspection', 'receiving', 'kit'],
  },
  // A project without them has no Request; one for Node.js has that of Node's types.
  '/receiver for Node.js': { sources: ['receiving'], types: ['node'] },
  // valibot's own declarations name Blob and File.
  '/valibot': { sources: ['schemas'], lib: ['DOM'] },
};

const SOURCES = fileURLToPath(new URL('consumer', import.meta.url));
const consumer = inject('consumer');
const compilers = join(inject('folder'), 'compilers');

type Check = readonly [
  compiler: (typeof COMPILERS)[number],
  resolution: keyof typeof RESOLUTIONS,
  project: keyof typeof PROJECTS,
];

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];
const EACH = COMPILERS.flatMap((compiler) =>
  keysOf(RESOLUTIONS).flatMap((resolution) =>
    keysOf(PROJECTS).map((project): Check => [compiler, resolution, project]),
  ),
);
/** All of them each night. The tarball's test resolves every entry in each way. */
const CHECKS = EACH.filter(([compiler, resolution, project]) => {
  if (compiler === '7.0' && resolution === 'node10') return false;
  if (isFull) return true;
  if (project === '/valibot' && compiler === '5.4') return resolution === 'bundler';
  const isNewest = compiler === '7.0' && resolution === 'nodenext';
  return (
    isNewest || (project.startsWith('.,') && /[57]\.0/.test(compiler) && resolution !== 'node16')
  );
});

beforeAll(async () => {
  await mkdir(compilers);
  await install(
    COMPILERS.map((version) => pinned(`typescript-${version}`)),
    compilers,
  );
  for (const source of Object.values(PROJECTS).flatMap(({ sources }) => sources)) {
    for (const extension of ['ts', 'mts', 'cts']) {
      await copyFile(join(SOURCES, `${source}.ts`), join(consumer, `${source}.${extension}`));
    }
  }
});

test.concurrent.each(CHECKS)(
  'TypeScript %s, %s: %s',
  async (version, moduleResolution, project) => {
    const { module, extensions } = RESOLUTIONS[moduleResolution];
    const { sources, lib = [], types = [] }: Project = PROJECTS[project];
    // As a strict merchant does: nothing ambient, every library checked, and declarations that can
    // name each type.
    const compilerOptions = {
      ...{ module, moduleResolution, types, lib: ['ES2022', ...lib], target: 'ES2022' },
      ...{ strict: true, exactOptionalPropertyTypes: true, declaration: true, noEmit: true },
      ...(version === '6.0' && moduleResolution === 'node10' && { ignoreDeprecations: '6.0' }),
    };
    const files = sources.flatMap((source) =>
      extensions.map((extension) => `${source}.${extension}`),
    );
    // Several compilers run at the same time.
    const config = `${randomUUID()}.json`;
    await writeFile(join(consumer, config), JSON.stringify({ compilerOptions, files }));
    const tsc = join(compilers, `node_modules/typescript-${version}/bin/tsc`);
    const args = [tsc, '--project', config, '--pretty', 'false'];
    const { status, stdout, stderr } = await run(process.execPath, args, consumer);
    const errors = [...stdout.matchAll(/^(.+)\((\d+),\d+\): error (TS\d+)/gm)]
      .map(([, file, line, code]) => `${file}:${line} ${code}`)
      // The oldest compiler finds faults in valibot's own declarations, the newest in Node's.
      .filter((error) => !error.startsWith('node_modules/@types/node/'))
      .filter((error) => version !== '5.0' || !error.startsWith('node_modules/valibot/'));
    const expected = sources.includes('mistakes') ? await mistakesIn(extensions) : [];
    expect(errors.sort(), stdout + stderr).toStrictEqual(expected.sort());
    // One that fails without telling where must not pass for one that found nothing.
    if (status !== 0) expect(stdout, stderr).toMatch(/: error TS\d+/);
  },
);

interface Project {
  readonly sources: readonly string[];
  readonly lib?: readonly string[];
  readonly types?: readonly string[];
}

/** What the compiler must report: each line of mistakes.ts with a code at its end. */
async function mistakesIn(extensions: readonly string[]): Promise<string[]> {
  const lines = (await readFile(join(SOURCES, 'mistakes.ts'), 'utf8')).split('\n');
  const codes = lines.map((line) => / \/\/ (TS\d+)$/.exec(line)?.[1]);
  return extensions.flatMap((extension) =>
    codes.flatMap((code, index) => (code ? [`mistakes.${extension}:${index + 1} ${code}`] : [])),
  );
}

const CALLS = `import * as pn from 'payment-notifications';
import { parseDepositReceived } from 'payment-notifications';
declare class Buffer extends Uint8Array {}
declare const json: string, bytes: Uint8Array, buffer: Buffer, memory: ArrayBuffer;
declare const request: { body: any }, event: { withdrawalId: string }, message: unknown;
pn.parseDepositReceived(json);
pn.parseDepositReceived(bytes);
pn.parseWithdrawalBroadcast(buffer);
pn.safeParseNotification(memory);
pn.parseNotification(request.body); // struck
pn.safeParseDepositReceived(JSON.parse(json)); // struck
pn.parseWithdrawalBroadcast(event); // struck
pn.safeParseNotification(JSON.parse(json) as { depositId: string }); // struck
pn.parseNotification(message); // an error
export const read = pn.parseDepositReceived;
export type Amount = pn.Decimal;
export const Coarse = pn.Decimal.clone({ precision: 3 });
`;

/** The numbers of the lines of {@link CALLS} that end like that. */
function linesOf(ending: string): number[] {
  return CALLS.split('\n').flatMap((line, index) => (line.endsWith(ending) ? [index + 1] : []));
}

test.each(EDITORS)(
  'an editor with TypeScript %s shows the docblocks, and strikes through a body parsed already, also one of type any',
  (version) => {
    const require = createRequire(join(compilers, 'package.json'));
    const compiler: typeof ts = require(`typescript-${version}`);
    const file = join(consumer, 'calls.mts');
    const service = compiler.createLanguageService({
      ...compiler.sys,
      useCaseSensitiveFileNames: () => compiler.sys.useCaseSensitiveFileNames,
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (path) => {
        const text = path === file ? CALLS : compiler.sys.readFile(path);
        return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
      },
      getCompilationSettings: () => ({ module: compiler.ModuleKind.NodeNext, types: [] }),
      getDefaultLibFileName: compiler.getDefaultLibFilePath,
    });
    const lineOf = ({ start }: ts.Diagnostic) => CALLS.slice(0, start).split('\n').length;
    const errors = service.getSemanticDiagnostics(file);
    expect(errors.map(lineOf)).toStrictEqual(linesOf('// an error'));
    const [text] = errors.map(({ messageText }) =>
      compiler.flattenDiagnosticMessageText(messageText, '\n'),
    );
    expect(text?.trimEnd().split('\n').at(-1)).toContain("parameter of type 'RawBody'");
    const struck = service
      .getSuggestionDiagnostics(file)
      .filter(({ reportsDeprecated }) => reportsDeprecated);
    // Some compilers also strike through what is an error.
    const isError = (line: number) => linesOf('// an error').includes(line);
    expect(struck.map(lineOf).filter((line) => !isError(line))).toStrictEqual(linesOf('// struck'));
    const hoverOf = (code: string) => service.getQuickInfoAtPosition(file, CALLS.indexOf(code));
    // A link at the start of @throws would be cut in two.
    const tags = ['param', 'returns', 'throws', 'example'];
    const hovered = hoverOf('parseDepositReceived(json)');
    expect(hovered?.tags?.map(({ name }) => name)).toStrictEqual(tags);
    expect(compiler.displayPartsToString(hovered?.displayParts)).toContain(
      'parseDepositReceived(body: pn.RawBody): pn.DepositReceived',
    );
    for (const code of ['Decimal;', 'Decimal.clone']) {
      const docblock = hoverOf(code)?.documentation?.map((part) => part.text);
      expect(docblock?.join('')).toMatch(/Compare with `gte`, `lt` or `equals`.*operators/s);
    }
  },
);
