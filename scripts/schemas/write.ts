// Writes the schemas from the rules, the docblocks of the types and the fixtures: after an installation, before each
// build and before the tests.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { FOLDER, schemaFiles } from './files.js';

export default function write(): void {
  // A file that was renamed must not stay.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, FOLDER), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) write();
