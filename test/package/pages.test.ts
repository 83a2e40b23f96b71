// The code on the pages with the packed package, as a merchant has it: compiled by an older
// TypeScript than our own, run by a Node.js that strips types, and run by tsx.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeAll, expect, inject, test } from 'vitest';
import { filesOn } from '../../scripts/pages/code.js';
import { install, output, pinned } from './command.js';
import { ROOT } from './pack.js';

const TYPESCRIPT = 'typescript-5.9';
/** The first that strips types without being asked to. */
const NODE = 'node-22.18';

const ALL = `import { format } from 'node:util';
const printed = [];
for (const path of process.argv.slice(2)) {
  const lines = [];
  console.log = (...values) => lines.push(format(...values));
  await import('./' + path);
  printed.push([path, lines.join('\\n')]);
}
process.stdout.write(JSON.stringify(printed));`;

const SECRET = 'a-secret-of-this-test';

const SKILL = 'skills/payment-notifications/SKILL.md';

const folder = join(inject('folder'), 'pages');
const names = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
/** The tests of the examples run what needs a framework, a database or a test runner. */
const files = ['README.md', SKILL, ...names.map((name) => `docs/${name}`)]
  .filter((page) => page !== 'docs/handlers.md')
  .flatMap((page) => [...filesOn(page)].map(([name, code]) => ({ page, name, code })))
  .filter(({ code }) => !/from '(?:vitest|node:test)'/.test(code))
  .map(({ page, name, code }) => ({ path: join(page.replace(/\.md$/, ''), name), code }));

/** It doesn't end by itself, so a test of its own starts it. */
const SERVER = 'README/server.ts';
const scripts = files.filter(({ path }) => path !== SERVER);

test.each(scripts)('$path promises an output, or is a module', ({ code }) => {
  expect(promisedOutput(code).length > 0 || /^export /m.test(code)).toBe(true);
});

beforeAll(async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(folder, 'all.js'), ALL);
  const tools = [TYPESCRIPT, '@types/node', 'tsx'];
  await install([inject('tarball'), ...tools.map(pinned)], folder);
  for (const { path, code } of files) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), code);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    strict: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
});

test.concurrent(`it compiles with ${TYPESCRIPT}`, async () => {
  const tsc = join('node_modules', TYPESCRIPT, 'bin/tsc');
  expect(await output(process.execPath, [tsc], folder)).toBe('');
});

test.concurrent(`${NODE} prints what the comments say`, async ({ skip }) => {
  const node = join(inject('folder'), 'node');
  await mkdir(node);
  await install([pinned(NODE)], node).catch((error) => {
    if (!/EBADPLATFORM/.test(String(error))) throw error;
    skip(`${NODE} does not run on this machine`);
  });
  await runAll(join(node, 'node_modules', NODE, 'bin/node'));
});

test.concurrent('tsx prints what the comments say', () =>
  runAll(process.execPath, '--import', 'tsx'));

test.concurrent('the receiver of README keeps what its settleOnce does not settle yet', async () => {
  const cwd = join(folder, 'README');
  const port = await freePort();
  const own = files.find(({ path }) => path === SERVER)?.code.replace('3000', `${port}`) ?? '';
  await writeFile(join(cwd, 'own-server.ts'), own);
  const server = spawn(process.execPath, ['--import', 'tsx', 'own-server.ts'], {
    cwd,
    env: { ...process.env, CALLBACK_SECRET: SECRET },
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}/callbacks/${SECRET}`;
    const deposit = depositReceivedBody();
    expect(await statusOf(url, deposit)).toBe(500);
    expect(await statusOf(url, '{}')).toBe(400);
    expect(await statusOf(`${url}x`, deposit)).toBe(404);
    expect(await contentsOf(join(cwd, 'unsettled'))).toStrictEqual([deposit]);
    expect(await contentsOf(join(cwd, 'refused'))).toStrictEqual(['{}']);
  } finally {
    server.kill();
  }
});

/** Posts a body as soon as the server listens. */
async function statusOf(url: string, body: string): Promise<number> {
  for (;;) {
    try {
      return (await fetch(url, { method: 'POST', body })).status;
    } catch {
      await sleep(50);
    }
  }
}

async function contentsOf(path: string): Promise<string[]> {
  const names = await readdir(path);
  return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await promisify(server.close.bind(server))();
  return port;
}

/** Runs the scripts in one process. */
async function runAll(program: string, ...options: string[]): Promise<void> {
  const paths = scripts.map(({ path }) => path);
  const env = { CALLBACK_SECRET: SECRET };
  const printed = await output(program, [...options, 'all.js', ...paths], folder, env);
  expect(JSON.parse(printed)).toStrictEqual(
    scripts.map(({ path, code }) => [path, promisedOutput(code).join('\n')]),
  );
}

/**
 * What a snippet should print, by its comments: one behind each `console.log(…);`, or on the
 * lines below it.
 */
function promisedOutput(code: string): string[] {
  const calls = code.matchAll(/console\.log\([^\n]*\);(?: \/\/ (.*)|((?:\n *\/\/ .*)+))$/gm);
  return [...calls].map(
    ([, line, lines = '']) => line ?? lines.trim().replace(/(?<=^|\n) *\/\/ /g, ''),
  );
}
