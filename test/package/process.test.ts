import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../cli/terminal.js';
import { answers, endpoint } from '../endpoint.js';

const SAMPLE = fileURLToPath(
  new URL('../../fixtures/deposit-received/sample.json', import.meta.url),
);
const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** The built command, in a shell. */
const PROGRAM = `'${process.execPath}' '${COMMAND}'`;
const BODY = depositReceivedBody();

const { folder, write } = temporaryFolder();

/** Starts a line in a shell, whose output is collected. */
function start(line: string) {
  const child = spawn('bash', ['-c', line], { cwd: folder });
  onTestFinished(() => void child.kill());
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, err, [exit, signal]]) => ({ out, err, exit: exit ?? signal }),
  );
  return { child, ended };
}

function inShell(line: string) {
  const { child, ended } = start(line);
  child.stdin.end();
  return ended;
}

const run = (line: string) => inShell(`${PROGRAM} ${line}`);

test('the command runs by itself, by its first line', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await inShell(`'${COMMAND}' --version`)).toMatchObject({ out: `${version}\n`, exit: 0 });
});

test.each(['', 'inspect', 'sample', 'send'])('%s --help has examples that work', async (name) => {
  const { out } = await run(`${name} --help`);
  const [, examples = ''] = out.split('\nExamples:\n\n');
  await using merchant = await endpoint(answers(200));
  const saved = `webhooks/review/deposit.received.x.${'0'.repeat(16)}.json`;
  for (const file of ['body.json', 'received/1.json', saved]) write(file, `${BODY}\n`);
  for (const place of ['progress', 'retry'])
    mkdirSync(join(folder, 'webhooks', place), { recursive: true });
  const script = [
    'set -euo pipefail',
    `payment-notifications() { ${PROGRAM} "$@"; }`,
    // Not every machine has it.
    'type jq > /dev/null || jq() { cat; }',
    examples.replaceAll('http://127.0.0.1:3000/0123456789abcdef', merchant.url),
  ];
  expect(await inShell(script.join('\n'))).toMatchObject({ err: '', exit: 0 });
});

test('the output of inspect ends quietly for head, as a closed pipe ends programs', async () => {
  // More than a pipe holds.
  write('pipe.ndjson', `${BODY}\n`.repeat(5000));
  const line = `${PROGRAM} inspect pipe.ndjson | head -1; exit \${PIPESTATUS[0]}`;
  const out = expect.stringMatching(/^✓ .*\n$/);
  expect(await inShell(line)).toStrictEqual({ out, err: '', exit: 141 });
});

test('output that can not be written is reported in one line', async () => {
  const err = expect.stringMatching(/^payment-notifications: can't write the output: ENOSPC.*\n$/);
  expect(await run(`inspect ${SAMPLE} > /dev/full`)).toStrictEqual({ out: '', err, exit: 2 });
});

test('listen --help has examples that work, and Ctrl-C ends them', async () => {
  const { out } = await run('listen --help');
  const [first, next] = [...out.matchAll(/^ {2}payment-notifications (.*)$/gm)].map(
    ([, line]) => line,
  );
  const { child, ended } = start(`exec ${PROGRAM} ${first} --port 0`);
  const [chunk] = await once(child.stdout, 'data');
  const [, url = ''] = /^listening at (\S+)\n/.exec(chunk) ?? [];
  expect((await fetch(url, { method: 'POST', body: BODY })).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ err: '', exit: 130 });
  expect(await run(`${next}`)).toMatchObject({ exit: 0 });
});
