// Writes the schemas from the rules and from the docblocks of the types: before each build and
// before the tests, which may run on several versions of Node.js at the same time.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BODY_NAMES, bodySchema } from './body.js';

const FOLDER = new URL('../../schemas/', import.meta.url);

export default function write(): void {
  mkdirSync(FOLDER, { recursive: true });
  const schemas = new Map(
    BODY_NAMES.map((name) => [`${name}.schema.json`, JSON.stringify(bodySchema(name), null, 2)]),
  );
  // A renamed file must not stay, and one that is right may be read at this moment.
  const found = readdirSync(FOLDER);
  for (const file of found) if (!schemas.has(file)) rmSync(new URL(file, FOLDER));
  for (const [file, schema] of schemas) {
    const [path, text] = [new URL(file, FOLDER), `${schema}\n`];
    if (!found.includes(file) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}
