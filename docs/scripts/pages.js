// Parts of pages that are written elsewhere: the threats in SECURITY.md, the command's own help.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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

/** The help of the built command and of each of its own commands. */
export function writeHelp() {
  const build = fileURLToPath(new URL('scripts/build.js', ROOT));
  execFileSync(process.execPath, [build, '--if-older', '--silent'], { stdio: 'inherit' });
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
