// Writes the schemas from the rules, the docblocks of the types and the testing kit's samples.
import { writeFileSync } from 'node:fs';
import { FOLDER, schemaFiles } from './files.js';

for (const [name, text] of schemaFiles()) {
  writeFileSync(new URL(name, FOLDER), text);
  console.log(`schemas/${name}: ${text.length} characters`);
}
