// Does what README shows first: in a new folder, installs the package, starts the trial server, and
// sends it bodies.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGE = 'node_modules/payment-notifications';

/** What is sent, and how the lines end that the server prints. */
const SENT = [
  ['deposit --copies 5', 'settled, 0.01523 BTC', ...Array(4).fill('repeated, 0.01523 BTC')],
  ['deposit --set actualDepositAmount=7', 'settled before, with other values'],
  [
    'deposit --seed 1 --set clientPaymentId=order-10042 --set actualDepositAmount=0.123456789012345678',
    'settled, 0.123456789012345678 BTC',
  ],
  ['withdrawal', 'settled, -480.73 XRP'],
];

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
/** @param {string} command */
function run(command) {
  const [program = '', ...args] = command.split(' ');
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
}
const tarball = run(`npm pack --silent --ignore-scripts ${ROOT}`).trim();
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'examples/package.json'), 'utf8'));
const pglite = '@electric-sql/pglite';
console.log(`$ npm install payment-notifications ${pglite}`);
run(`npm install --silent --no-audit ./${tarball} ${pglite}@${dependencies[pglite]}`);

console.log(`$ node ${PACKAGE}/examples/start/server.mjs`);
const files = `${readdirSync(folder)}`;
const { CALLBACK_SECRET: _, DATABASE_URL: __, HOST: ___, ...env } = process.env;
const command = `exec node ${PACKAGE}/examples/start/server.mjs 2>&1`;
const server = spawn('sh', ['-c', command], { cwd: folder, env: { ...env, PORT: '0' } });
process.on('exit', () => server.kill());
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
/** Returns what the server prints next; an empty text after its end. */
async function nextLine() {
  const { value = '' } = await lines.next();
  console.log(`  ${value}`);
  return `${value}`;
}

await nextLine();
const url = (await nextLine()).replace('listening at ', '');
await nextLine();
let failed = url === '';
for (const [words = '', ...ends] of failed ? [] : SENT) {
  console.log(`$ npx payment-notifications send ${words} --to http://…`);
  run(`node ${PACKAGE}/dist/cli.js send ${words} --to ${url}`);
  for (const end of ends) failed = !(await nextLine()).endsWith(end) || failed;
}
server.kill();
server.on('close', () => {
  failed ||= `${readdirSync(folder)}` !== files;
  console.log(failed ? 'Something else was expected.' : 'Each event was settled once.');
  process.exitCode = failed ? 1 : 0;
});
