// Parts of pages that are written elsewhere: the threats in SECURITY.md, what the examples say of themselves,
// the command's own help.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const TARGET = new URL('../generated/', import.meta.url);

export function writeThreats() {
  const text = readFileSync(new URL('SECURITY.md', ROOT), 'utf8');
  const [, threats] = /^## Threats\n.*?(^\|.*?)(?=^## )/ms.exec(text) ?? [];
  if (!threats) throw new Error('SECURITY.md has no table of threats');
  writeFileSync(new URL('threats.md', TARGET), threats);
}

export function writeExamples() {
  const merchant = readExample('examples/README.md');
  const [, section] = /^## `merchant\/`.*?\n(.*?)(?=^## )/ms.exec(`${merchant}\n## `) ?? [];
  if (!section) throw new Error('examples/README.md says nothing of the merchant');
  writeFileSync(new URL('merchant.md', TARGET), section);

  const pipeline = readExample('examples/pipeline/README.md');
  writeFileSync(new URL('pipeline.md', TARGET), pipeline.replace(/^# .*\n/, ''));
}

/**
 * A text of the examples, with its links as they are from a page here; empty where there is none.
 *
 * @param {string} file
 */
function readExample(file) {
  const url = new URL(file, ROOT);
  if (!existsSync(url)) return '';
  const text = readFileSync(url, 'utf8');
  return text.replace(/(?<=\]\()(?![a-z]+:|#)[^)]*/g, (target) =>
    posix.join('..', posix.dirname(file), target),
  );
}

/** The help of the built command and of each of its own commands. */
export function writeHelp() {
  const build = fileURLToPath(new URL('scripts/build.js', ROOT));
  // From where esbuild is started, it looks for the sources.
  const options = /** @type {const} */ ({ cwd: fileURLToPath(ROOT), stdio: 'inherit' });
  execFileSync(process.execPath, [build, '--if-older', '--silent'], options);
  const help = helpOf();
  const commands = [...help.matchAll(/^ {2}(\w+) .*? {2}/gm)].map(([, name = '']) => name);
  const parts = ['', ...commands].map(
    (name) => `### ${name || 'payment-notifications'}\n\n\`\`\`text\n${helpOf(name)}\n\`\`\`\n`,
  );
  writeFileSync(new URL('command.md', TARGET), parts.join('\n'));
}

/** @param {string} [command] */
function helpOf(command) {
  const cli = fileURLToPath(new URL('dist/cli.js', ROOT));
  const args = [cli, ...(command ? [command] : []), '--help'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} --help exits with ${status}`);
  return stdout.trim();
}
