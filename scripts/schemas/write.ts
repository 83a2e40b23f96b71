// Writes the schemas from the rules, the docblocks of the types and the fixtures: before each build
// and before the tests.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { FOLDER, schemaFiles } from './files.js';

export default function write(): void {
  // A renamed file must not stay.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, FOLDER), text);
}
