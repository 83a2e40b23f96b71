import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { output, run } from './command.js';
import { ROOT } from './pack.js';

test('the next release gets a version, and every changeset its line in the changelog', async () => {
  const folder = join(inject('folder'), 'release');
  await mkdir(folder);
  for (const name of ['package.json', 'CHANGELOG.md', '.changeset']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
  const changesets = (await readdir(join(folder, '.changeset'))).filter((name) =>
    /\.md$/.test(name),
  );
  const sentences = await Promise.all(
    changesets.map(async (name) =>
      (await readFile(join(folder, '.changeset', name), 'utf8')).split('---').at(-1)?.trim(),
    ),
  );
  const { version: before } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

  await output('git', ['init', '--quiet'], folder);
  const changeset = join(ROOT, 'node_modules/@changesets/cli/bin.js');
  await output(process.execPath, [changeset, 'version'], folder);

  const { version: after } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
  // Right after a release there is no changeset.
  expect(after !== before).toBe(changesets.length > 0);
  for (const sentence of sentences) expect(changelog).toContain(sentence);
});

test('the very file that was tested is published, once', async () => {
  const sha256 = sha256Of(await readFile(inject('tarball')));
  const registry = await startRegistry();
  const publish = (sum: string) =>
    run(process.execPath, ['scripts/publish.js'], ROOT, { ...registry.env, TARBALL_SHA256: sum });

  const other = await publish(sha256Of('another tarball'));
  expect(other).toMatchObject({ status: 1 });
  expect(registry.published).toStrictEqual([]);

  for (let time = 0; time < 2; time += 1) {
    const { status, stdout, stderr } = await publish(sha256);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(`${sha256}  pack/payment-notifications.tgz`);
  }
  expect(registry.published.map(sha256Of)).toStrictEqual([sha256]);
});

/** A registry on loopback that keeps the tarballs it is given, and the configuration of npm for it. */
async function startRegistry() {
  const published: Buffer[] = [];
  let known: unknown = null;
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') {
      const sent = (await json(request)) as { _attachments: Record<string, { data: string }> };
      known = sent;
      for (const { data } of Object.values(sent._attachments)) {
        published.push(Buffer.from(data, 'base64'));
      }
    }
    response.writeHead(known === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const address = `//127.0.0.1:${port}/`;
  const config = join(inject('folder'), 'registry.npmrc');
  await writeFile(config, `${address}:_authToken=any`);
  // In lower case, as `npm run` itself sets them: these must win.
  const env = {
    npm_config_registry: `http:${address}`,
    npm_config_userconfig: config,
    npm_config_cache: join(inject('folder'), 'registry-cache'),
    npm_config_provenance: 'false',
  };
  return { published, env };
}

function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
