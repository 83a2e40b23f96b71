// Writes the code of the pages as files: at the depth of examples/frameworks, since packages are
// looked up from there. The frameworks' code stands among the settings that some of them need.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeAdapters } from './adapters.js';
import { copied, copy, filesOn, write } from './code.js';

const PAGE = filesOn('docs/frameworks.md');

/** What docs/serverless.md calls `yours`. */
const OWN_QUEUE = `const messages: Uint8Array[] = [];
export const queue = {
  send: async (body: Uint8Array) => void messages.push(body),
  async onMessage(settle: (body: Uint8Array) => Promise<void>) {
    for (const body of messages) await settle(body);
  },
};
`;

/** What README's route calls `yours`. */
const OWN_LEDGER = `import type { DepositReceived } from 'payment-notifications';
import type { Settle } from 'payment-notifications/receiver';
export declare const credit: Settle<DepositReceived>;
export declare function saveForReview(body: Uint8Array, reason: string): Promise<void>;
`;

/** Writes the servers of the page Frameworks. @param {URL} folder Next to examples/frameworks. */
export function writeServers(folder) {
  cpSync(new URL('../frameworks/', import.meta.url), folder, { recursive: true });
  // On a port that the system picks.
  for (const [name, code] of PAGE) write(folder, name, code.replace('3000', '0'));
  write(folder, 'http-server.cjs', required(PAGE.get('http-server.ts')).replace('3000', '0'));
  // However slow a machine is, it cuts no connection before a test is done with it.
  write(folder, 'stop.mjs', copied('stop.mjs').replace(', 5_000)', ', 500_000)'));
  // Where they import it from.
  write(folder, 'next/receiver.ts', "export { receiver } from '../receiver.ts';\n");
  write(folder, 'receiver.mjs', "export { receiver } from './receiver.ts';\n");
  // For tsx, which compiles the decorators of NestJS by it.
  write(folder, 'tsconfig.json', '{ "extends": "../tsconfig.json" }');
}

/**
 * Writes the files of Credit once, Databases, Serverless and Orders, each page in a folder of its
 * name.
 *
 * @param {URL} folder
 */
export function writePages(folder) {
  const ledger = filesOn('docs/credit-once.md').get('ledger.ts');
  const folders = ['credit-once', 'credit-once/own', 'serverless', 'serverless/queue', 'orders'];
  folders.push('databases/postgres', 'databases/mysql', 'databases/sqlite');
  for (const name of folders) {
    for (const file of ['postgres.mjs', 'settle.mjs']) copy(folder, `${name}/${file}`);
    write(folder, `${name}/ledger.ts`, ledger);
    write(folder, `${name}/receiver.ts`, PAGE.get('receiver.ts'));
  }
  for (const name of ['credit-once', 'serverless', 'orders'])
    for (const [file, code] of filesOn(`docs/${name}.md`)) write(folder, `${name}/${file}`, code);
  const databases = filesOn('docs/databases.md');
  write(folder, 'databases/postgres/ledger.ts', databases.get('postgres/ledger.ts'));
  for (const name of ['mysql', 'sqlite']) {
    write(folder, `databases/${name}/database.mjs`, copied(`${name}.mjs`));
    write(folder, `databases/${name}/ledger.ts`, databases.get('ledger.ts'));
  }
  write(folder, 'serverless/queue/queue.ts', OWN_QUEUE);
  for (const name of ['bucket-store', 's3-store', 'table-store'])
    copy(folder, `serverless/${name}.mjs`);
}

/** JavaScript as it is in a `.cjs` file. @param {string} [code] */
const required = (code = '') =>
  code
    .replaceAll(/^import (.+) from (.+);$/gm, 'const $1 = require($2);')
    .replace('./receiver.ts', './receiver.mjs');

// What the compiler and the linter check.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = new URL('../pages-checked/', import.meta.url);
  rmSync(folder, { recursive: true, force: true });
  writeServers(folder);
  writePages(folder);
  writeAdapters(new URL('databases/adapters/', folder));
  write(folder, 'credit-once/one-deposit.ts', filesOn('docs/testing.md').get('one-deposit.ts'));
  write(folder, 'own/route.ts', filesOn('README.md').get('own-route.ts'));
  write(folder, 'own/ledger.ts', OWN_LEDGER);
  // With the types of Express 4, whose handlers may return nothing.
  for (const name of ['express', 'existing-app']) {
    const code = PAGE.get(`${name}.ts`)?.replace(/(?<=from 'express)(?=')/, '-4');
    write(folder, `${name}-4.ts`, code);
  }
}
