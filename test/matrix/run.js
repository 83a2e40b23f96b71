// Runs `npm test` under every setting that a machine may have, one a row (a quarter of an hour on two cores); with
// --only TEXT the rows whose name holds the text.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { NODES } from './nodes.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A home in which nobody but root can write. */
const UNWRITABLE = '/';
const NOBODY = 65_534;
const SETTINGS = {
  CI: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '1',
  NODE_DISABLE_COLORS: '1',
  TERM: 'dumb',
  COLUMNS: '40',
  TZ: 'Pacific/Apia',
  LANG: 'C',
};

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {Record<string, string>} [env]
 * @property {boolean} [inCopy] In a copy without .git, whose path has a space; else in the project itself.
 * @property {boolean} [asNobody] In the copy, as its owner.
 * @property {string | undefined} [node] Another version of Node.js.
 */

/** @type {Row[]} */
const ROWS = [
  { name: 'nothing set' },
  ...Object.entries(SETTINGS).map(([name, value]) => ({
    name: `${name}=${value}`,
    env: { [name]: value },
  })),
  { name: 'without .git, in a path with a space', inCopy: true },
  { name: 'another user', inCopy: true, asNobody: true },
  { name: 'HOME unwritable', inCopy: true, asNobody: true, env: { HOME: UNWRITABLE } },
  ...NODES.map((node) => ({ name: `Node.js ${node}`, node })),
];

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-matrix-'));
chmodSync(folder, 0o755);
try {
  for (const row of ROWS.filter(({ name }) => name.includes(values.only))) {
    const { passed, tests, seconds, output } = await runRow(row);
    console.log(`${passed ? '✓' : '✗'} ${row.name}: ${tests}, ${seconds} s`);
    if (passed) continue;
    console.log(output);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {Row} row */
async function runRow({ env = {}, inCopy = false, asNobody = false, node }) {
  const cwd = inCopy ? copyProject() : ROOT;
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  // Who isn't root runs every row as another user than root.
  const user = asNobody && isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if ('uid' in user) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, cwd, home]);

  const inherited = Object.entries(process.env).filter(
    // npm's own variables would lead it back to the home that it was started with.
    ([name]) => !(name in SETTINGS) && !name.startsWith('npm_') && name !== 'HOME',
  );
  const path = node === undefined ? process.env.PATH : `${binOf(node)}:${process.env.PATH}`;
  const child = spawn('npm', ['test'], {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      HOME: asNobody ? home : process.env.HOME,
      PATH: path,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  const start = Date.now();
  const [out, err, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const output = stripVTControlCharacters(out + err);
  const [, tests = `ended with ${status}`] = /^ *Tests +(.+)$/m.exec(output) ?? [];
  const seconds = Math.round((Date.now() - start) / 1000);
  return { passed: status === 0, tests, seconds, output };
}

/** The copy of the project, as a fresh clone would be after `npm install`. */
function copyProject() {
  const copy = join(folder, 'a copy');
  if (existsSync(copy)) return copy;
  const made = ['.git', 'node_modules', 'dist', 'pack', 'coverage', '.next'];
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (path) => path === ROOT || !made.includes(basename(path)),
  });
  execFileSync('cp', ['-R', join(ROOT, 'node_modules'), copy]);
  return copy;
}

/** The folder of another Node.js, from the npm registry. @param {string} version */
function binOf(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(folder, `node-${version}`);
  mkdirSync(prefix, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', prefix, ...flags, `${name}@${version}`]);
  return join(prefix, 'node_modules', name, 'bin');
}
