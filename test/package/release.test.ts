import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Outcome, output, run } from './command.js';
import { copyDist, copyProject, ROOT } from './pack.js';

const CHANGESET = `---\n'payment-notifications': minor\n---\n\nRead one more field.\n`;

describe('a checkout as GitHub makes it for a pull request', () => {
  const change = (path: string, text: string) => (folder: string) =>
    writeFile(join(folder, path), text);
  const changeSource = change('src/new.ts', 'export {};\n');

  test.each([
    [
      'that changes the source and says why',
      0,
      [changeSource, change('.changeset/a.md', CHANGESET)],
    ],
    ['that changes the source and says nothing', 1, [changeSource]],
    ['that changes nothing of the package', 0, [change('README.md', 'Other words.\n')]],
    ['that raises the version', 0, [changeSource, raiseTo('99.0.0')]],
  ])('%s: %i', async (title, status, changes) => {
    const origin = await repository(`origin of one ${title}`);
    await git(origin, 'switch', '--quiet', '--create', 'change');
    for (const make of changes) await make(origin);
    const commit = await commitAll(origin);

    const checkout = `${origin} checked out`;
    await git(ROOT, 'init', '--quiet', checkout);
    await git(checkout, 'remote', 'add', 'origin', origin);
    await git(checkout, 'fetch', '--quiet', 'origin', 'main:refs/remotes/origin/main', commit);
    await git(checkout, 'checkout', '--quiet', '--detach', commit);
    const outcome = await run(process.execPath, ['scripts/changesets.js'], checkout);
    expect(outcome.status, outcome.stderr).toBe(status);
    expect(outcome.stdout + outcome.stderr).not.toContain('diverged');
  });
});

test('a changeset becomes the next version and a line of the changelog', async () => {
  const folder = await repository('next', [raiseTo('1.4.2')]);
  await writeFile(join(folder, '.changeset/one.md'), CHANGESET);
  await output('npm', ['run', '--silent', 'raise'], folder);
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  expect(JSON.parse(await read('package.json')).version).toBe('1.5.0');
  expect(await read('CHANGELOG.md')).toMatch(/## 1\.5\.0\n.*- Read one more field\./s);
});

describe('packing', () => {
  test('gives the same file under any umask', async () => {
    const sums = [];
    for (const umask of ['022', '077']) {
      // As in a clone and a build under this umask.
      const folder = await repository(`umask ${umask}`);
      await copyDist(folder);
      await output('chmod', ['-R', umask === '022' ? 'go=rX' : 'go=', folder], ROOT);
      sums.push(await output('sh', ['-c', `umask ${umask}; node scripts/pack.js`], folder));
    }
    expect(sums[0]).toBe(sums[1]);
  });

  test('reads what npm 12 prints', async () => {
    const folder = await repository('npm 12');
    await copyDist(folder);
    // npm, whose list of packed files becomes an object by their names.
    await writeFile(
      join(folder, 'npm'),
      `#!/bin/sh\nPATH=$REAL_PATH npm "$@" | node -e '
        const [packed] = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify({ [packed.name]: packed }));'`,
      { mode: 0o755 },
    );
    const path = process.env.PATH ?? '';
    const env = { PATH: `${folder}:${path}`, REAL_PATH: path };
    const { stdout, stderr } = await run(process.execPath, ['scripts/pack.js'], folder, env);
    expect(stdout, stderr).toMatch(/^[\da-f]{64} {2}pack\/payment-notifications\.tgz\n$/);
  });
});

describe('publishing', () => {
  let folder: string;
  let sum: string;

  beforeAll(async () => {
    const named = { type: 'git', url: 'git+https://github.com/owner/name.git' };
    const name = edit((manifest) => ({ ...manifest, repository: named }));
    folder = await repository('published', [raiseTo('1.2.3'), name]);
    await git(folder, 'init', '--bare', '--quiet', `${folder}.git`);
    await git(folder, 'remote', 'add', 'origin', `${folder}.git`);
    await copyDist(folder);
    [sum = ''] = (await output(process.execPath, ['scripts/pack.js'], folder)).split(' ');
  });

  const publish = (env: Record<string, string>): Promise<Outcome> =>
    run(process.execPath, ['scripts/publish.js'], folder, { TARBALL_SHA256: sum, ...env });

  test.each([
    ['version 0.0.0', 'version 0.0.0 is not a release', raiseTo('0.0.0')],
    ['a pending changeset', 'changesets are pending (one.md)', addChangeset],
    [
      'no repository',
      'package.json names no repository, without which',
      edit(({ repository: _, ...manifest }) => manifest),
    ],
    ['a tarball of another version', 'the tarball holds version 1.2.3', raiseTo('1.2.4')],
  ])('refuses %s', async (_title, reason, change) => {
    await change(folder);
    await commitAll(folder);
    onTestFinished(async () => {
      await git(folder, 'reset', '--quiet', '--hard', 'HEAD~');
    });
    await expectRefusal({}, reason);
  });

  test('refuses a tree that differs from the commit', async () => {
    await writeFile(join(folder, 'new.txt'), '');
    onTestFinished(() => rm(join(folder, 'new.txt')));
    await expectRefusal({}, 'the working tree differs from the commit');
  });

  test.each(['', 'a'.repeat(64)])('refuses a tarball with another sum than "%s"', async (other) => {
    await expectRefusal({ TARBALL_SHA256: other }, 'the checks printed another sum, or none');
  });

  test('publishes the very file that was tested, and tags its commit, once', async () => {
    const registry = await startRegistry();
    for (let time = 0; time < 2; time += 1) {
      const { status, stdout, stderr } = await publish(registry.env);
      expect(status, stderr).toBe(0);
      expect(stdout).toContain(`${sum}  pack/payment-notifications.tgz`);
    }
    const tarball = await readFile(join(folder, 'pack/payment-notifications.tgz'));
    expect(registry.published).toStrictEqual([tarball]);
    const [commit] = (await git(folder, 'rev-parse', 'HEAD')).split('\n');
    expect(await git(folder, 'ls-remote', '--tags', 'origin')).toBe(
      `${commit}\trefs/tags/v1.2.3\n`,
    );
  });

  test('leaves a version alone that is published from another file', async () => {
    const registry = await startRegistry();
    expect(await publish(registry.env)).toMatchObject({ status: 0 });
    await git(folder, 'push', '--quiet', '--delete', 'origin', 'v1.2.3');
    await writeFile(join(folder, 'README.md'), 'Other words.\n');
    await commitAll(folder);
    await copyDist(folder);
    const [other = ''] = (await output(process.execPath, ['scripts/pack.js'], folder)).split(' ');
    expect(await publish({ ...registry.env, TARBALL_SHA256: other })).toMatchObject({ status: 0 });
    expect(registry.published).toHaveLength(1);
    expect(await git(folder, 'ls-remote', '--tags', 'origin')).toBe('');
  });

  /** One sentence, and nothing reaches a registry. */
  async function expectRefusal(env: Record<string, string>, reason: string): Promise<void> {
    const registry = await startRegistry();
    const { status, stderr } = await publish({ ...registry.env, ...env });
    expect(stderr).toMatch(/^Nothing is published: [^\n]*\.\n$/);
    expect(stderr).toContain(reason);
    expect(status).toBe(1);
    expect(registry.published).toStrictEqual([]);
  }
});

/** A repository with a first commit, and one more of each of the changes. */
async function repository(name: string, changes: readonly Change[] = []): Promise<string> {
  const folder = await copyProject(name);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  for (const change of changes) await change(folder);
  await commitAll(folder);
  return folder;
}

type Change = (folder: string) => Promise<void>;
type Manifest = Record<string, unknown>;

function edit(change: (manifest: Manifest) => Manifest): Change {
  return async (folder) => {
    const path = join(folder, 'package.json');
    await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')))));
  };
}

function raiseTo(version: string): Change {
  return edit((manifest) => ({ ...manifest, version }));
}

async function addChangeset(folder: string): Promise<void> {
  await writeFile(join(folder, '.changeset/one.md'), CHANGESET);
}

/** Commits all changes and gives the commit. */
async function commitAll(folder: string): Promise<string> {
  await git(folder, 'add', '--all');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  await git(folder, ...author, 'commit', '--quiet', '--message', 'Change');
  return (await git(folder, 'rev-parse', 'HEAD')).trim();
}

function git(folder: string, ...args: readonly string[]): Promise<string> {
  return output('git', args, folder);
}

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
