// The merchant's commands: `serve` (if none is given), `check`, `replay` and `dismiss`.
import { join } from 'node:path';
import { dismiss, replay } from './by-hand.js';
import { openEmbedded, openServer } from './database.js';
import { lockFolder } from './folder.js';
import { check, createTables } from './ledger.js';
import { serve } from './server.js';
import { openSpool } from './spool.js';

const { DATABASE_URL, DATA_FOLDER = './merchant-data', PORT = '3000' } = process.env;
const [command = 'serve', what = '', why = ''] = process.argv.slice(2);

const taken = lockFolder(DATA_FOLDER);
// Beside a running merchant, the other commands may use a database server, but not its folder.
if (taken !== null && (command === 'serve' || !DATABASE_URL)) {
  console.error(taken);
  process.exit(1);
}
const database = DATABASE_URL
  ? openServer(DATABASE_URL)
  : openEmbedded(join(DATA_FOLDER, 'database'));
const spool = taken === null ? await openSpool(DATA_FOLDER) : null;

if (command === 'serve' && spool) {
  await serve({ database, spool, port: Number(PORT) });
} else {
  await createTables(database);
  if (command === 'replay') {
    if (taken !== null) console.log(`The spool is left alone: ${taken}`);
    await replay(database.query, spool, console.log);
  }
  if (command === 'dismiss') {
    const problem = await dismiss(database, what, why);
    if (problem !== null) console.error(problem);
    if (problem !== null) process.exitCode = 1;
  }
  const books = await check(database.query);
  console.log(JSON.stringify(books, null, 2));
  if (!books.isBalanced) process.exitCode = 1;
  await database.close();
}
