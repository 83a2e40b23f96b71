// Rehearses a release from a fresh clone, on a registry of its own on loopback: publishes the version that is in the
// source, installs it in a new project, publishes again without effect, and then a patch with one changeset. What isn't
// the package comes from the registry that npm is set to.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../../scripts/manifest.js';

const VERDACCIO = '6.1.6';
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-rehearsal-'));
const env = { ...process.env, npm_config_cache: join(folder, 'cache') };
const upstream = run('npm', ['config', 'get', 'registry']).trim();
const registry = await startRegistry();
try {
  await rehearse();
} finally {
  registry.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function rehearse() {
  const clone = cloneProject();
  // Until they are gathered, as the release's pull request does it.
  if (readdirSync(join(clone, '.changeset')).length > 1) raise(clone);
  const { version } = manifestOf(clone);
  assert.match(publish(clone), /\+ payment-notifications@/);
  const commit = run('git', ['rev-parse', 'HEAD'], clone).trim();
  assert.equal(tagsOf(clone), `${commit}\trefs/tags/v${version}\n`);
  console.log(`Published ${version}, and tagged ${commit}.`);

  const project = createProject(version);
  useFrom(project);
  console.log('Installed it in a new project, and used it.');

  assert.match(publish(clone), /is published already/);
  assert.equal(tagsOf(clone), `${commit}\trefs/tags/v${version}\n`);
  console.log('Published it again: without effect.');

  const sentence = 'Mended a sentence.';
  const text = `---\n'payment-notifications': patch\n---\n\n${sentence}\n`;
  writeFileSync(join(clone, '.changeset/patch.md'), text);
  commitAll(clone, sentence);
  raise(clone);
  const { version: patch } = manifestOf(clone);
  const [, minor, last] = version.match(/(.*\.)(\d+)$/);
  assert.equal(patch, `${minor}${Number(last) + 1}`);
  assert.ok(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8').includes(sentence));
  publish(clone);
  assert.equal(tagsOf(clone).trim().split('\n').length, 2);
  run('npm', ['update', '--no-audit', '--no-fund'], project);
  assert.equal(manifestOf(join(project, 'node_modules/payment-notifications')).version, patch);
  useFrom(project);
  console.log(`Published ${patch} from a changeset, and updated the project.`);
}

/** A clone as its owner has it: `repository` is set, and its origin takes what is pushed. */
function cloneProject() {
  const origin = join(folder, 'origin.git');
  const clone = join(folder, 'clone');
  run('git', ['clone', '--quiet', '--bare', ROOT, origin]);
  run('git', ['clone', '--quiet', origin, clone]);
  const manifest = manifestOf(clone);
  const repository = { type: 'git', url: 'git+https://github.com/owner/payment-notifications.git' };
  const text = JSON.stringify({ repository, ...manifest }, null, 2);
  writeFileSync(join(clone, 'package.json'), `${text}\n`);
  commitAll(clone, 'Set the repository');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], clone);
  return clone;
}

/** @param {string} clone */
function raise(clone) {
  run('npm', ['run', '--silent', 'raise'], clone);
  commitAll(clone, 'Raise the version');
}

/** Packs and publishes as the workflow does. @param {string} clone */
function publish(clone) {
  const [sum] = run(process.execPath, ['scripts/pack.js'], clone).split(' ');
  const printed = run(process.execPath, ['scripts/publish.js'], clone, { TARBALL_SHA256: sum });
  process.stdout.write(printed);
  return printed;
}

/** @param {string} version */
function createProject(version) {
  const project = join(folder, 'project');
  mkdirSync(project);
  const text = JSON.stringify({ private: true, type: 'module' });
  writeFileSync(join(project, 'package.json'), text);
  const wanted = `payment-notifications@~${version}`;
  run('npm', ['install', '--no-audit', '--no-fund', wanted], project);
  return project;
}

/** Uses the package and its command; test/package proves the rest of the same tarball. @param {string} project */
function useFrom(project) {
  const script = `import { parseDepositReceived } from 'payment-notifications';
    import { depositReceivedBody } from 'payment-notifications/testing';
    console.log(parseDepositReceived(depositReceivedBody()).type);`;
  const args = ['--input-type=module', '--eval', script];
  assert.equal(run(process.execPath, args, project), 'deposit.received\n');
  const body = join(ROOT, 'fixtures/deposit-received/sample.json');
  assert.match(run('npx', ['payment-notifications', 'inspect', body], project), /depositId/);
}

/** Starts Verdaccio, and has npm use it from then on. */
async function startRegistry() {
  const home = join(folder, 'verdaccio');
  mkdirSync(home);
  // A plugin of it that isn't used asks for a tag that not every mirror of the registry has.
  const manifest = { private: true, overrides: { 'node-fetch': '2.7.0' } };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...flags, `verdaccio@${VERDACCIO}`], home);

  const probe = createServer().listen(0);
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  const config = {
    storage: join(home, 'storage'),
    uplinks: { upstream: { url: upstream } },
    packages: {
      'payment-notifications': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', level: 'error' },
  };
  // YAML reads JSON.
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config));
  const bin = join(home, 'node_modules/verdaccio/bin/verdaccio');
  const args = ['--config', join(home, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });

  const address = `http://127.0.0.1:${port}/`;
  const untilThere = ['--silent', '--retry', '60', '--retry-delay', '1', '--retry-connrefused'];
  run('curl', [...untilThere, `${address}-/ping`]);
  // npm sends nothing without a token; anyone may publish here.
  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, `//127.0.0.1:${port}/:_authToken=any\n`);
  Object.assign(env, {
    npm_config_registry: address,
    npm_config_userconfig: npmrc,
    npm_config_provenance: 'false',
  });
  return child;
}

/** @param {string} path @returns {any} */
function manifestOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

/** @param {string} clone */
function tagsOf(clone) {
  return run('git', ['ls-remote', '--tags', 'origin'], clone);
}

/** @param {string} clone @param {string} message */
function commitAll(clone, message) {
  run('git', ['add', '--all'], clone);
  const author = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@example.com'];
  run('git', [...author, 'commit', '--quiet', '--message', message], clone);
}

/**
 * What a command prints; fails if it fails.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {string} [cwd]
 * @param {Record<string, string | undefined>} [more] Of the environment.
 */
function run(program, args, cwd = folder, more = {}) {
  return execFileSync(program, args, {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
}
