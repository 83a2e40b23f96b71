import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { depositReceivedBody } from 'payment-notifications/testing';
import { beforeAll, describe, expect, inject, type TestContext, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { install, output, pinned } from './command.js';
import type {} from './pack.js';

/** The runtimes that run a module from the command line: package, binary, and arguments. */
const PROGRAMS: readonly [name: string, binary: string, ...args: string[]][] = [
  ['node-20', 'bin/node'],
  ['node-26', 'bin/node'],
  ['@oven/bun-linux-x64', 'bin/bun'],
  ['@deno/linux-x64-glibc', 'deno', 'run', '--no-remote', '--allow-read', '--allow-write'],
];

const OUTCOMES = Object.fromEntries(fixtures.map(({ id, expected }) => [id, expected]));

const consumer = inject('consumer');
const place = (name: string, text: string) => writeFile(join(consumer, name), text);

beforeAll(async () => {
  const sent = fixtures.map(({ id, parser, body }) => {
    return { id, parser, base64: body.toString('base64') };
  });
  await place('fixtures.mjs', `export default ${JSON.stringify(sent)};`);
  const source = fileURLToPath(new URL('outcomes.js', import.meta.url));
  await copyFile(source, join(consumer, 'outcomes.mjs'));
  await place(
    'all.mjs',
    `import * as library from 'payment-notifications';
    import fixtures from './fixtures.mjs';
    import { outcomes } from './outcomes.mjs';
    export const all = outcomes(library, fixtures);`,
  );
  await place(
    'print.mjs',
    `import { all } from './all.mjs';
    console.log(all);`,
  );
  await place('storing.mjs', STORING);
});

describe.each(PROGRAMS)('%s', (name, binary, ...args) => {
  test('parses every fixture', async (context) => {
    const program = await binaryOf(name, binary, context);
    // Without a permission.
    const options = args.filter((arg) => !arg.startsWith('--allow'));
    const printed = await output(program, [...options, 'print.mjs'], consumer);
    expect(JSON.parse(printed)).toStrictEqual(OUTCOMES);
  });

  test('saves bodies and settles them later', async (context) => {
    const program = await binaryOf(name, binary, context);
    const folder = `webhooks-${name.replaceAll('/', '-')}`;
    const printed = await output(program, [...args, 'storing.mjs', folder], consumer);
    expect(JSON.parse(printed)).toStrictEqual({
      ...{ whileDown: 500, waiting: 2, modes: ['700', '600', '600'], settled: 1, left: [] },
    });
  });
});

test('Cloudflare’s workerd', async (context) => {
  const program = await binaryOf('@cloudflare/workerd-linux-64', 'bin/workerd', context);
  // Bundled under the conditions that Cloudflare's own tool sets.
  await build({
    stdin: { contents: WORKER, resolveDir: consumer },
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    outfile: join(consumer, 'worker.js'),
  });
  await place(
    'workerd.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = (
        modules = [(name = "worker.js", esModule = embed "worker.js")],
        compatibilityDate = "2026-01-01",
      ))],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );`,
  );
  const server = spawn(program, ['serve', 'workerd.capnp', '--control-fd=3'], {
    cwd: consumer,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  try {
    const [line] = await once(server.stdio[3] as Readable, 'data');
    const url = `http://127.0.0.1:${JSON.parse(String(line)).port}/`;
    expect(await (await fetch(url)).json()).toStrictEqual(OUTCOMES);
    const body = depositReceivedBody();
    for (const [sent, status] of [
      [body, 200],
      ['{', 400],
      [body.padEnd(65_537), 413],
    ] as const)
      expect((await fetch(url, { method: 'POST', body: sent })).status).toBe(status);
  } finally {
    server.kill();
  }
});

/** A receiver that settles what the kit makes, without anything that only Node.js has. */
const WORKER = `
  import { createReceiver } from 'payment-notifications/receiver';
  import { depositReceivedBody } from 'payment-notifications/testing';
  import { all } from './all.mjs';
  const receiver = createReceiver({
    ...{ secret: null, verify: () => true, store: null },
    onDepositReceived(_, { body }) {
      const text = new TextDecoder().decode(body);
      if (text !== depositReceivedBody()) throw new Error(text);
    },
  });
  export default {
    fetch: (request) => (request.method === 'GET' ? new Response(all) : receiver.fetch(request)),
  };`;

/** A receiver whose database is down at first. */
const STORING = `
  import { readdirSync, statSync } from 'node:fs';
  import { join } from 'node:path';
  import { createReceiver } from 'payment-notifications/receiver';
  import { createStore } from 'payment-notifications/store';
  import { depositReceivedBody } from 'payment-notifications/testing';
  const [, , folder] = process.argv;
  const keys = new Set();
  let isUp = false;
  const receiver = createReceiver({
    secret: ['the-old-secret-of-2025', 'the-new-secret-of-2026'],
    store: createStore(folder),
    log() {},
    async onDepositReceived(_, { key }) {
      if (!isUp) throw new Error('the database is down');
      keys.add(key);
    },
  });
  const url = 'http://127.0.0.1/the-new-secret-of-2026';
  const request = new Request(url, { method: 'POST', body: depositReceivedBody() });
  const { status: whileDown } = await receiver.fetch(request);
  const retry = join(folder, 'retry');
  const waiting = readdirSync(retry).length;
  const paths = [retry, ...readdirSync(retry).map((name) => join(retry, name))];
  const modes = paths.map((path) => (statSync(path).mode & 0o777).toString(8));
  isUp = true;
  receiver.start();
  while (keys.size === 0) await new Promise((again) => setTimeout(again, 1));
  await receiver.stop();
  const left = ['progress', 'retry', 'review'].flatMap((name) => readdirSync(join(folder, name)));
  console.log(JSON.stringify({ whileDown, waiting, modes, settled: keys.size, left }));`;

/** The registry has no such package for this machine. Any other failure to install is a failure. */
const MISSING = /\b(?:E403|E404|ETARGET|EBADPLATFORM)\b/;

/** Installs a runtime into its own folder; where the machine can't get it, skips and says why. */
async function binaryOf(name: string, binary: string, { skip }: TestContext): Promise<string> {
  const folder = join(inject('folder'), name.replaceAll('/', '-'));
  await mkdir(folder, { recursive: true });
  await install([pinned(name)], folder).catch((error) => {
    const [reason] = MISSING.exec(error) ?? [];
    if (reason === undefined) throw error;
    skip(`this machine can't get ${pinned(name)}: ${reason}`);
  });
  return join(folder, 'node_modules', name, binary);
}
