// Writes the code of the pages as files: at the depth of examples/frameworks, since packages are
// looked up from there. The frameworks' code stands among the settings that some of them need.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeDatabases } from './adapters.js';
import { filesOn } from './code.js';

const START = new URL('../start/', import.meta.url);
const PAGE = filesOn('docs/frameworks.md');

/** What the recipes call `yours`, and how their files come together. */
const OWN = {
  'retry/own-ledger.ts': `import { type DeliveryContext, NeedsReview } from 'payment-notifications/receiver';
export const calls: string[] = [];
export async function creditOnce(_: unknown, { key }: DeliveryContext): Promise<void> {
  calls.push(key);
  throw new NeedsReview('the order is unknown');
}
`,
  'queue/queue.ts': `const messages: Uint8Array[] = [];
export const queue = {
  send: async (body: Uint8Array) => void messages.push(body),
  async onMessage(settle: (body: Uint8Array) => Promise<void>) {
    for (const body of messages) await settle(body);
  },
};
`,
  'queue/ledger.ts': "export { credit, debit } from '../credit-once/ledger.ts';\n",
};

/** What README's route calls `yours`. */
const OWN_LEDGER = `import type { DepositReceived } from 'payment-notifications';
import type { Settle } from 'payment-notifications/receiver';
export declare const credit: Settle<DepositReceived>;
export declare function keep(body: unknown, reason: string): Promise<void>;
`;

/** Writes the servers of the page Frameworks. @param {URL} folder Next to examples/frameworks. */
export function writeServers(folder) {
  rmSync(folder, { recursive: true, force: true });
  cpSync(new URL('../frameworks/', import.meta.url), folder, { recursive: true });
  // On a port that the system picks.
  for (const [name, code] of PAGE) write(folder, name, code.replace('3000', '0'));
  // Where they import it from.
  write(folder, 'next/receiver.ts', "export { receiver } from '../receiver.ts';\n");
  write(folder, 'receiver.cjs', "module.exports = require('./receiver.ts');\n");
  // For tsx, which compiles the decorators of NestJS by it.
  write(folder, 'tsconfig.json', '{ "extends": "../tsconfig.json" }');
}

/** Writes the recipes, and the receiver of Credit once. @param {URL} folder */
export function writeRecipes(folder) {
  for (const [name, code] of [...filesOn('docs/recipes.md'), ...Object.entries(OWN)])
    write(folder, name, code);
  for (const name of ['credit-once', 'paid'])
    for (const file of ['postgres.mjs', 'settle.mjs'])
      cpSync(new URL(file, START), new URL(`${name}/${file}`, folder));
  write(folder, 'credit-once/receiver.ts', PAGE.get('receiver.ts'));
  write(folder, 'credit-once/ledger.ts', filesOn('docs/credit-once.md').get('ledger.ts'));
}

/** @param {URL} folder @param {string} name @param {string} [text] */
function write(folder, name, text) {
  if (text === undefined) throw new Error(`no page has ${name}`);
  const file = new URL(name, folder);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}

// What the compiler and the linter check.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = new URL('../pages-checked/', import.meta.url);
  writeServers(folder);
  writeRecipes(new URL('recipes/', folder));
  writeDatabases(new URL('databases/', folder));
  const tests = filesOn('docs/testing.md').get('callbacks.test.ts');
  write(folder, 'recipes/credit-once/callbacks.test.ts', tests);
  write(folder, 'own/route.ts', filesOn('README.md').get('own-route.ts'));
  write(folder, 'own/ledger.ts', OWN_LEDGER);
  // With the types of Express 4, whose handlers may return nothing.
  for (const name of ['express', 'existing-app']) {
    const code = PAGE.get(`${name}.ts`)?.replace(/(?<=from 'express)(?=')/, '-4');
    write(folder, `${name}-4.ts`, code);
  }
}
