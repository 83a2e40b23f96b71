import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { install, run } from './command.js';

const COMPILERS = ['5.0.4', '5.4.5', '5.9.3', '6.0.3', '7.0.2'];

interface Resolution {
  readonly moduleResolution: string;
  readonly module: string;
  /** Each source is checked once as each of them. */
  readonly extensions: readonly string[];
  readonly ignoreDeprecations?: Readonly<Record<string, string>>;
  /** Versions that no longer have it, and what they say. */
  readonly removedIn?: Readonly<Record<string, string>>;
}

const RESOLUTIONS: readonly Resolution[] = [
  {
    moduleResolution: 'node10',
    module: 'CommonJS',
    extensions: ['ts'],
    ignoreDeprecations: { '6.0.3': '6.0' },
    removedIn: { '7.0.2': 'TS5108' },
  },
  { moduleResolution: 'node16', module: 'Node16', extensions: ['mts', 'cts'] },
  { moduleResolution: 'nodenext', module: 'NodeNext', extensions: ['mts', 'cts'] },
  { moduleResolution: 'bundler', module: 'ESNext', extensions: ['ts'] },
];

/**
 * One line an entry: the sources that use it, the library it needs beside the language's own, and the
 * compilers that its dependencies don't support, with the code of their error.
 */
const ENTRIES = [
  { entry: '.', sources: ['handler', 'mistakes'], lib: [], unsupported: {} },
  {
    entry: './valibot',
    sources: ['schemas'],
    // valibot's own declarations name Blob and File, and an inference that TypeScript 5.0 doesn't make.
    lib: ['DOM'],
    unsupported: { '5.0.4': 'TS2344' } as Readonly<Record<string, string>>,
  },
  { entry: './inspect', sources: ['inspection'], lib: [], unsupported: {} },
  { entry: './testing', sources: ['kit'], lib: [], unsupported: {} },
];

const SOURCES = fileURLToPath(new URL('consumer', import.meta.url));
const consumer = inject('consumer');
const compilers = join(inject('folder'), 'compilers');

beforeAll(async () => {
  await mkdir(compilers);
  await install(
    COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`),
    compilers,
  );
  for (const source of ENTRIES.flatMap(({ sources }) => sources)) {
    for (const extension of ['ts', 'mts', 'cts']) {
      await copyFile(join(SOURCES, `${source}.ts`), join(consumer, `${source}.${extension}`));
    }
  }
});

test('every entry of the package has a line above', async () => {
  const { exports } = JSON.parse(
    await readFile(join(consumer, 'node_modules/payment-notifications/package.json'), 'utf8'),
  );
  // JSON has no declarations.
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
  expect(ENTRIES.map(({ entry }) => entry)).toStrictEqual(entries);
});

describe.concurrent.each(COMPILERS)('TypeScript %s', (version) => {
  describe.each(RESOLUTIONS)('$moduleResolution', (resolution) => {
    const removed = resolution.removedIn?.[version];
    if (removed !== undefined) {
      test('is gone from this compiler', async () => {
        const errors = await check(version, resolution, ['handler'], []);
        expect(errors).toStrictEqual([expect.objectContaining({ code: removed })]);
      });
      return;
    }

    test.each(ENTRIES)('$entry', async ({ sources, lib, unsupported }) => {
      const errors = await check(version, resolution, sources, lib);
      const code = unsupported[version];
      if (code !== undefined) {
        const places = errors.map(place);
        expect(places).toContainEqual(expect.stringContaining(code));
        // The fault is theirs, and nobody else has one.
        expect(places.filter((at) => !at.startsWith('node_modules/valibot/'))).toStrictEqual([]);
        return;
      }
      const expected = sources.includes('mistakes') ? await mistakes(resolution) : [];
      // Compilers tell the files in different orders.
      expect(errors.map(place).sort()).toStrictEqual(expected.map(place).sort());
    });
  });
});

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
): Promise<CompilerError[]> {
  const deprecations = ignoreDeprecations?.[version];
  const config = {
    compilerOptions: {
      module,
      moduleResolution,
      ...(deprecations && { ignoreDeprecations: deprecations }),
      target: 'ES2022',
      lib: ['ES2022', ...lib],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
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
