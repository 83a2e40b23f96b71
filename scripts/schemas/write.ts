// Writes the schemas from the rules and from the docblocks of the types: before each build and
// before the tests.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { BODY_NAMES, bodySchema } from './body.js';

const FOLDER = new URL('../../schemas/', import.meta.url);

export default function write(): void {
  // A renamed file must not stay.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const name of BODY_NAMES) {
    const text = `${JSON.stringify(bodySchema(name), null, 2)}\n`;
    writeFileSync(new URL(`${name}.schema.json`, FOLDER), text);
  }
}
