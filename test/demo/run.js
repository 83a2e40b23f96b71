// Does what README shows, in a new folder: installs the package, parses both bodies, starts the
// trial, and sends it webhooks.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGE = 'node_modules/payment-notifications';

/** What is parsed, and what its output contains. */
const PARSED = [
  [
    'deposit --set actualDepositAmount=0.123456789012345678',
    'parseDepositReceived',
    '"actualDepositAmount": "0.123456789012345678"',
  ],
  ['withdrawal', 'parseWithdrawalBroadcast', '"destinationTag": "48291"'],
];

/** What is sent, and how the lines end that the trial prints. */
const SENT = [
  ['deposit --copies 5', 'settled, 0.01523 BTC', ...Array(4).fill('repeated, 0.01523 BTC')],
  ['deposit --set actualDepositAmount=7', 'settled before, with another customer or amount'],
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

let failed = false;
for (const [sample = '', parser = '', expected = ''] of PARSED) {
  const body = run(`node ${PACKAGE}/dist/cli.js sample ${sample}`);
  console.log(`\nThe service sends this body:\n\n${body}\n${parser}(rawBody) returns:\n`);
  writeFileSync(join(folder, 'body.json'), body);
  const script = `import { readFileSync } from 'node:fs';
import { ${parser} } from 'payment-notifications';
console.log(JSON.stringify(${parser}(readFileSync('body.json')), null, 2));`;
  writeFileSync(join(folder, 'parse.mjs'), script);
  const printed = run('node parse.mjs');
  console.log(printed);
  failed ||= !printed.includes(expected);
}

console.log(`$ node ${PACKAGE}/examples/start/trial.mjs`);
const files = `${readdirSync(folder)}`;
const command = `exec node ${PACKAGE}/examples/start/trial.mjs 2>&1`;
// Its temporary files count as well.
const env = { ...process.env, PORT: '0', TMPDIR: folder };
const trial = spawn('sh', ['-c', command], { cwd: folder, env });
process.on('exit', () => trial.kill());
const lines = createInterface({ input: trial.stdout })[Symbol.asyncIterator]();
/** Returns what the trial prints next; an empty text after its end. */
async function nextLine() {
  const { value = '' } = await lines.next();
  console.log(`  ${value}`);
  return `${value}`;
}

await nextLine();
const [, url] = (await nextLine()).split(' --to ');
failed ||= url === undefined;
for (const [words = '', ...ends] of url === undefined ? [] : SENT) {
  console.log(`$ npx payment-notifications send ${words} --to http://…`);
  run(`node ${PACKAGE}/dist/cli.js send ${words} --to ${url}`);
  for (const end of ends) failed = !(await nextLine()).endsWith(end) || failed;
}
const stranger = await fetch(`${url}x`, { method: 'POST', body: '{}' });
failed ||= stranger.status !== 404;
trial.kill();
trial.on('close', () => {
  failed ||= `${readdirSync(folder)}` !== files;
  console.log(failed ? 'Something else was expected.' : 'Each event was settled once.');
  process.exitCode = failed ? 1 : 0;
});
