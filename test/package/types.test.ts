import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type ts from 'typescript';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { install, pinned, run } from './command.js';
import { isFull } from './pack.js';

/**
 * The oldest, the oldest for `/valibot`, and the newest; with `.ci/run --full` those between, too.
 */
const COMPILERS = ['5.0', '5.4', ...(isFull ? ['5.9', '6.0'] : []), '7.0'];

/** The oldest, and those in use; 7.0 has no interface for editors that a test can ask. */
const EDITORS = ['5.0', '5.9', '6.0'];

interface Resolution {
  readonly moduleResolution: string;
  readonly module: string;
  /** Each source is checked once as each of them. */
  readonly extensions: readonly string[];
  readonly ignoreDeprecations?: Readonly<Record<string, string>>;
  /** The version that no longer has it. */
  readonly removedIn?: string;
}

const RESOLUTIONS: readonly Resolution[] = [
  {
    moduleResolution: 'node10',
    module: 'CommonJS',
    extensions: ['ts'],
    ignoreDeprecations: { '6.0': '6.0' },
    removedIn: '7.0',
  },
  // It differs from nodenext only in what a later Node.js allows.
  ...(isFull ? [{ moduleResolution: 'node16', module: 'Node16', extensions: ['mts', 'cts'] }] : []),
  { moduleResolution: 'nodenext', module: 'NodeNext', extensions: ['mts', 'cts'] },
  { moduleResolution: 'bundler', module: 'ESNext', extensions: ['ts'] },
];

/**
 * What is compiled at once: the sources that use an entry, and the library they need beside the
 * language's own.
 */
const PROJECTS = [
  {
    name: '., /inspect, /receiver, /testing',
    sources: ['handler', 'mistakes', 'inspection', 'receiving', 'kit'],
    lib: [],
  },
  // A project without them has no Request; one for Node.js has that of Node's types.
  { name: '/receiver for Node.js', sources: ['receiving'], lib: [], types: ['node'] },
  // valibot's own declarations name Blob and File.
  { name: '/valibot', sources: ['schemas'], lib: ['DOM'] },
];

const SOURCES = fileURLToPath(new URL('consumer', import.meta.url));
const consumer = inject('consumer');
const compilers = join(inject('folder'), 'compilers');

beforeAll(async () => {
  await mkdir(compilers);
  await install(
    [...new Set([...COMPILERS, ...EDITORS])].map((version) => pinned(`typescript-${version}`)),
    compilers,
  );
  for (const source of PROJECTS.flatMap(({ sources }) => sources)) {
    for (const extension of ['ts', 'mts', 'cts']) {
      await copyFile(join(SOURCES, `${source}.ts`), join(consumer, `${source}.${extension}`));
    }
  }
});

describe.concurrent.each(COMPILERS)('TypeScript %s', (version) => {
  const resolutions = RESOLUTIONS.filter(
    (resolution) => resolution.removedIn !== version && projectsOf(version, resolution).length > 0,
  );
  describe.each(resolutions)('$moduleResolution', (resolution) => {
    test.each(projectsOf(version, resolution))('$name', async ({ sources, lib, types }) => {
      const all = await check(version, resolution, sources, lib, types);
      const errors = all.filter(
        ({ file }) =>
          // The oldest compiler finds faults in valibot's own declarations, the newest in Node's.
          !file.startsWith('node_modules/@types/node/') &&
          !(version === '5.0' && file.startsWith('node_modules/valibot/')),
      );
      const expected = sources.includes('mistakes') ? await mistakes(resolution) : [];
      // Compilers tell the files in different orders.
      expect(errors.map(place).sort()).toStrictEqual(expected.map(place).sort());
    });
  });
});

/** What a compiler reads: all of it each night, or with the newest one in one way. */
function projectsOf(version: string, { moduleResolution }: Resolution): typeof PROJECTS {
  if (isFull || (version === '7.0' && moduleResolution === 'nodenext')) return PROJECTS;
  // The tarball's test resolves every entry in each way. An old compiler is slow with
  // the declarations of valibot and of Node.js, so it reads them once, or each night only.
  if (version !== '5.4') return PROJECTS.filter(({ name }) => name.startsWith('.,'));
  return moduleResolution === 'bundler' ? PROJECTS.filter(({ name }) => name === '/valibot') : [];
}

const CALLS = `import * as pn from 'payment-notifications';
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
    const compiler: typeof ts = createRequire(join(compilers, 'package.json'))(
      `typescript-${version}`,
    );
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
    const [text = ''] = errors.map(({ messageText }) =>
      compiler.flattenDiagnosticMessageText(messageText, '\n'),
    );
    expect(text.trimEnd().split('\n').at(-1)).toContain("parameter of type 'RawBody'");
    const struck = service
      .getSuggestionDiagnostics(file)
      .filter(({ reportsDeprecated }) => reportsDeprecated);
    // Some compilers strike through what is an error, too.
    expect(struck.map(lineOf)).toStrictEqual(expect.arrayContaining(linesOf('// struck')));
    expect([...linesOf('// struck'), ...linesOf('// an error')]).toStrictEqual(
      expect.arrayContaining(struck.map(lineOf)),
    );
    const hoverOf = (code: string) => service.getQuickInfoAtPosition(file, CALLS.indexOf(code));
    // A link at the start of @throws would be cut in two.
    const tags = ['param', 'returns', 'throws', 'example'];
    expect(hoverOf('parseDepositReceived;')?.tags?.map(({ name }) => name)).toStrictEqual(tags);
    for (const code of ['Decimal;', 'Decimal.clone']) {
      const docblock = hoverOf(code)
        ?.documentation?.map((part) => part.text)
        .join('');
      expect(docblock).toMatch(/Compare with `gte`, `lt` or `equals`.*operators/s);
    }
  },
);

interface CompilerError {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

function place({ file, line, code }: CompilerError): string {
  return `${file}:${line} ${code}`;
}

/** Compiles sources as a strict merchant does: nothing ambient, every library checked. */
async function check(
  version: string,
  { module, moduleResolution, extensions, ignoreDeprecations }: Resolution,
  sources: readonly string[],
  lib: readonly string[],
  types: readonly string[] = [],
): Promise<CompilerError[]> {
  const deprecations = ignoreDeprecations?.[version];
  const config = {
    compilerOptions: {
      module,
      moduleResolution,
      ...(deprecations && { ignoreDeprecations: deprecations }),
      target: 'ES2022',
      lib: ['ES2022', ...lib],
      types,
      strict: true,
      exactOptionalPropertyTypes: true,
      // A merchant's own library: what it exports must have types that declarations can name.
      declaration: true,
      skipLibCheck: false,
      noEmit: true,
    },
    files: sources.flatMap((source) => extensions.map((extension) => `${source}.${extension}`)),
  };
  // Several compilers run at once.
  const project = `${randomUUID()}.json`;
  await writeFile(join(consumer, project), JSON.stringify(config));
  const tsc = join(compilers, `node_modules/typescript-${version}/bin/tsc`);
  const { status, stdout, stderr } = await run(
    process.execPath,
    [tsc, '--project', project, '--pretty', 'false'],
    consumer,
  );
  const errors = [...stdout.matchAll(/^(.+)\((\d+),\d+\): error (TS\d+)/gm)].map(
    ([, file = '', line, code = '']) => ({ file, line: Number(line), code }),
  );
  // A compiler that fails without telling where must not pass for one that found nothing.
  if (status !== 0 && errors.length === 0) throw new Error(`tsc: ${status}\n${stdout}${stderr}`);
  return errors;
}

/** What the compiler must report: each line of mistakes.ts after its comment, and nothing else. */
async function mistakes({ extensions }: Resolution): Promise<CompilerError[]> {
  const lines = (await readFile(join(SOURCES, 'mistakes.ts'), 'utf8')).trimEnd().split('\n');
  const first = lines.findIndex((line) => line.startsWith('//')) + 1;
  return extensions.flatMap((extension) =>
    lines.slice(first).map((line, index) => ({
      file: `mistakes.${extension}`,
      line: first + index + 1,
      code: line.match(/ \/\/ (TS\d+)$/)?.[1] ?? 'no code at the end of this line',
    })),
  );
}
