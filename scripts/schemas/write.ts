// Writes the schemas from the tables of rules, the docblocks of the types and the testing kit's samples.
import { mkdirSync, writeFileSync } from 'node:fs';
import { FOLDER, schemaFiles } from './files.js';

mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of schemaFiles()) {
  writeFileSync(new URL(name, FOLDER), text);
  console.log(`schemas/${name}: ${text.length} characters`);
}
