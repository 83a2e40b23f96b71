import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { displayName } from './files.js';
import { CommandError, describeSystemError } from './terminal.js';

/**
 * Prepares a folder for bodies, which only its owner can read, because they contain customers'
 * addresses. Finds out immediately whether it can be written to.
 *
 * @returns A function that writes a body to a new file, and returns the file's path.
 */
export function openFolder(folder: string): (time: Date, kind: string, body: Uint8Array) => string {
  try {
    // Not recursive: in Node.js 20, that never returns for a folder in /proc.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    const probe = join(folder, `.${randomUUID()}`);
    writeNew(probe, new Uint8Array());
    rmSync(probe);
  } catch (error) {
    const reason = `${displayName(folder)}: ${describeSystemError(error)}`;
    throw new CommandError(`--save: can't write to ${reason}`);
  }
  let saved = 0;
  return (time, kind, body) => {
    const stamp = time.toISOString().replaceAll(':', '-');
    // Two bodies may arrive in the same millisecond. The number keeps them in order.
    saved += 1;
    const path = join(folder, `${stamp}-${String(saved).padStart(4, '0')}-${kind}.json`);
    writeNew(path, body);
    return path;
  };
}

/** Never writes over a file, and leaves no part of one behind. */
function writeNew(path: string, body: Uint8Array): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, body);
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}
