// The code on the pages with the packed package, as a merchant has it: compiled by the newest
// TypeScript, and run by tsx.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeAll, expect, inject, test } from 'vitest';
import { filesOn } from '../../examples/test/code.js';
import { install, output, pinned } from './command.js';
import { ROOT } from './pack.js';

const TYPESCRIPT = 'typescript-7.0';

const ALL = `import { format } from 'node:util';
const printed = [];
for (const path of process.argv.slice(2)) {
  const lines = [];
  console.log = (...values) => lines.push(format(...values));
  await import('./' + path);
  printed.push([path, lines.join('\\n')]);
}
process.stdout.write(JSON.stringify(printed));`;

const folder = join(inject('folder'), 'pages');
const names = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
const SKILL = 'skills/payment-notifications/SKILL.md';
const pages = ['README.md', SKILL, ...names.map((name) => `docs/${name}`)];

const files = pages
  .flatMap((page) => [...filesOn(page)].map(([name, code]) => ({ page, name, code })))
  .filter(({ name }) => /[jt]s$/.test(name))
  // The tests of the examples run what needs a framework, a database or a test runner.
  .filter(({ code }) => importsOf(code).every((name) => /^(?:node:|payment-n|valibot$)/.test(name)))
  .map(({ page, name, code }) => ({ path: join(page.replace(/\.md$/, ''), name), code }));

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
    // Node.js, which only strips types, needs these two.
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
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

test.concurrent('it prints what the comments say, or is a module', async () => {
  const promised = files.map(({ path, code }) => [path, promisedOutput(code).join('\n')]);
  const modules = files.filter(({ code }) => /^export /m.test(code)).map(({ path }) => path);
  const silent = promised.filter(([, text]) => text === '').map(([path]) => path);
  expect(modules).toStrictEqual(expect.arrayContaining(silent));
  const args = ['--import', 'tsx', 'all.js', ...files.map(({ path }) => path)];
  const printed = await output(process.execPath, args, folder);
  expect(JSON.parse(printed)).toStrictEqual(promised);
});

test.concurrent('the signature of Security passes only what its key has signed', async () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const body = depositReceivedBody();
  const signer = createSign('RSA-SHA512').update(`1790001260${body}`);
  const signature = signer.sign(keys.privateKey, 'base64');
  const headers = { 'X-Timestamp': '1790001260', 'X-Signature': signature };
  const requests = [
    { body, headers },
    { body: `${body} `, headers },
    { body, headers: { ...headers, 'X-Timestamp': '1790001261' } },
    { body, headers: { ...headers, 'X-Signature': 'none' } },
    { body, headers: {} },
  ].map((request) => ({ url: '/', ...request }));
  const script = `import { createReceiver } from 'payment-notifications/receiver';
import { verify } from './docs/security/verify.ts';
const onDepositReceived = async () => {};
const receiver = createReceiver({ secret: null, store: null, verify, onDepositReceived });
const statuses = [];
for (const request of ${JSON.stringify(requests)})
  statuses.push((await receiver.receive(request)).status);
process.stdout.write(JSON.stringify(statuses));`;
  await writeFile(join(folder, 'script.ts'), script);
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' });
  const env = { SERVICE_PUBLIC_KEY: `${publicKey}` };
  const args = ['--import', 'tsx', 'script.ts'];
  const statuses = JSON.parse(await output(process.execPath, args, folder, env));
  expect(statuses).toStrictEqual([200, 401, 401, 401, 401]);
});

function importsOf(code: string): string[] {
  const names = code.matchAll(/(?: from |\b(?:require|import)\()'([^']+)'/g);
  return [...names].map(([, name = '']) => name);
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
