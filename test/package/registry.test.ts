import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { install, output, pinned } from './command.js';
import { isFull, ROOT } from './pack.js';

const home = join(inject('folder'), 'registry');

beforeAll(async () => {
  if (!isFull) return;
  await mkdir(home);
  // A plugin of it that isn't used asks for a tag that not every mirror of the registry has.
  const manifest = { private: true, overrides: { 'node-fetch': '2.7.0' } };
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
  // Not a devDependency: it brings 50 MB, which only this test needs.
  await install([pinned('verdaccio')], home);
});

test('the lines of the release publish the tarball once', async ({ skip }) => {
  skip(!isFull, 'takes long: .ci/run --full');
  const { address, env } = await startRegistry();
  const release = parse(await readFile(join(ROOT, '.github/workflows/release.yml'), 'utf8'));
  const steps: { name?: string; run: string }[] = release.jobs.publish.steps;
  const lines = steps.find(({ name }) => name === 'Publish')?.run ?? '';
  const publish = () => output('bash', ['-euc', lines], ROOT, env);
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(await publish()).toBe(`+ payment-notifications@${version}\n`);
  expect(await publish()).toBe('');

  const tarball = await readFile(inject('tarball'));
  const published = await fetch(
    `${address}payment-notifications/-/payment-notifications-${version}.tgz`,
  );
  expect(Buffer.from(await published.arrayBuffer()).equals(tarball)).toBe(true);
});

/** Starts a registry on loopback, and the settings of npm for it. */
async function startRegistry() {
  const config = {
    self_path: home,
    storage: join(home, 'storage'),
    packages: { '**': { access: '$all', publish: '$all' } },
    logs: { type: 'stdout', level: 'error' },
  };
  const { runServer } = createRequire(join(home, 'package.json'))('verdaccio');
  const server: Server = await runServer(config);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/`;
  // npm sends nothing without a token; anyone may publish here.
  const npmrc = join(home, 'npmrc');
  await writeFile(npmrc, `//127.0.0.1:${port}/:_authToken=any\n`);
  // In lower case, as `npm run` itself sets them: these must win.
  const env = {
    npm_config_registry: address,
    npm_config_userconfig: npmrc,
    npm_config_cache: join(home, 'cache'),
    npm_config_provenance: 'false',
    npm_config_loglevel: 'error',
  };
  return { address, env };
}
