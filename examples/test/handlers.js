// Writes the handlers of docs/handlers.md as files, among the settings that some of them need: at
// the depth of examples/frameworks, since packages are looked up from there.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesOn } from '../../scripts/pages/code.js';

export const FRAMEWORKS = new URL('../frameworks-under-test/', import.meta.url);

const WITH_EXPRESS_4 = {
  extends: '../../tsconfig.json',
  compilerOptions: { paths: { express: ['../../node_modules/@types/express-4'] } },
  include: ['*.ts'],
};

export function writeHandlers() {
  rmSync(FRAMEWORKS, { recursive: true, force: true });
  cpSync(new URL('../frameworks/', import.meta.url), FRAMEWORKS, { recursive: true });
  const files = filesOn('docs/handlers.md');
  // On a port that the system picks.
  for (const [name, code] of files) write(name, code.replace('3000', '0'));
  // Where they import it from.
  write('next/receiver.ts', "export { receiver } from '../receiver.ts';\n");
  write('receiver.cjs', "module.exports = require('./receiver.ts');\n");
  // With the types of Express 4, whose handlers may return nothing.
  for (const name of ['express.ts', 'existing-app.ts'])
    write(`express-4/${name}`, files.get(name)?.replace('./receiver', '../receiver') ?? '');
  write('express-4/tsconfig.json', JSON.stringify(WITH_EXPRESS_4));
  // Of the mounts alone, for the oldest compiler. NestJS takes its decorators' settings from it,
  // too.
  write('tsconfig.json', '{ "extends": "../tsconfig.json", "include": ["**/*.ts"] }');
}

/** @param {string} name @param {string} text */
function write(name, text) {
  const file = new URL(name, FRAMEWORKS);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeHandlers();
