import { spawnSync } from 'node:child_process';
import { ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Each locks file descriptor 3, or exits with 1 if it is locked. macOS has only the second. */
const LOCKERS = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'open(my $file, "+<&=", 3) or exit 2; exit(flock($file, 6) ? 0 : 1)'],
];

/**
 * Locks a folder for this process. The kernel holds the lock as long as this process has the file
 * open, so it ends with the process, however that ends.
 *
 * @param {string} folder
 * @returns {string | null} Whose folder it is, if another process has locked it.
 */
export function lockFolder(folder) {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'lock'), 'a+');
  for (const [program = '', ...args] of LOCKERS) {
    const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit']);
    const { error, status } = spawnSync(program, args, { stdio: [...stdio, file] });
    if (error) continue; // not installed
    if (status !== 0) return `${folder} belongs to ${readFileSync(file)}`;
    try {
      ftruncateSync(file);
      writeSync(file, `process ${process.pid}, started at ${new Date().toISOString()}`);
    } catch (error) {
      console.error(`The lock doesn't say whose it is: ${error}`); // on a full disk
    }
    return null;
  }
  throw new Error(`${folder} can't be locked: that takes flock (of util-linux) or perl`);
}
