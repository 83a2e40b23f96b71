import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
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
function start(line: string, env: Record<string, string> = {}) {
  // Colors depend on each test, not on where the tests run.
  const names = ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'COLUMNS', 'CI'];
  const neutral = Object.fromEntries(names.map((name) => [name, undefined]));
  const options = { cwd: folder, env: { ...process.env, ...neutral, ...env } };
  const child = spawn('bash', ['-c', line], options);
  onTestFinished(() => void child.kill());
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, err, [exit]]) => ({ out, err, exit }),
  );
  return { child, ended };
}

function inShell(line: string, env: Record<string, string> = {}) {
  const { child, ended } = start(line, env);
  child.stdin.end();
  return ended;
}

const run = (line: string) => inShell(`${PROGRAM} ${line}`);

/** Runs the command on a terminal of 80 columns. */
async function onTerminal(line: string, env: Record<string, string> = {}) {
  const script = `stty cols 80 rows 40; exec ${PROGRAM} ${line}`;
  const terminal = `script -qec "${script}" /dev/null`;
  const { out } = await inShell(terminal, { TERM: 'xterm-256color', ...env });
  return out.replaceAll('\r\n', '\n');
}

test('the command runs by itself, by its first line', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await inShell(`'${COMMAND}' --version`)).toMatchObject({ out: `${version}\n`, exit: 0 });
});

test.each(['', 'inspect', 'sample', 'send'])('%s --help has examples that work', async (name) => {
  const { out } = await run(`${name} --help`);
  const [, examples = ''] = out.split('\nExamples:\n\n');
  expect(examples).toMatch(/^ {2}payment-notifications /);
  await using merchant = await endpoint(answers(200));
  const saved = `webhooks/review/deposit.received.x.${'0'.repeat(16)}.json`;
  for (const file of ['body.json', 'callbacks/1.json', saved]) write(file, `${BODY}\n`);
  mkdirSync(join(folder, 'webhooks/retry'), { recursive: true });
  const script = [
    'set -euo pipefail',
    `payment-notifications() { ${PROGRAM} "$@"; }`,
    // Not every machine has it.
    'type jq > /dev/null || jq() { cat; }',
    examples.replaceAll('http://127.0.0.1:3000/0123456789abcdef', merchant.url),
  ];
  expect(await inShell(script.join('\n'))).toMatchObject({ err: '', exit: 0 });
});

describe('inspect', () => {
  test('fits a terminal', async () => {
    const out = await onTerminal(`inspect ${SAMPLE}`);
    const [, ...lines] = stripVTControlCharacters(out).split('\n');
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.filter((line) => line.length > 80)).toStrictEqual([]);
  });

  test.each<[where: string, env: Record<string, string>, hasColors: boolean]>([
    ['a terminal', {}, true],
    ['a terminal', { NO_COLOR: '1' }, false],
    ['a terminal', { TERM: 'dumb' }, false],
    ['a pipe', {}, false],
    ['a pipe', { FORCE_COLOR: '0' }, false],
    ['a pipe', { FORCE_COLOR: '1' }, true],
  ])('in %s with %j has colors: %s', async (where, env, hasColors) => {
    const out = await (where === 'a terminal'
      ? onTerminal(`inspect ${SAMPLE}`, env)
      : inShell(`${PROGRAM} inspect ${SAMPLE}`, env).then((ran) => ran.out));
    expect(out.includes('\u001b[32m✓')).toBe(hasColors);
    expect(stripVTControlCharacters(out) === out).toBe(!hasColors);
    // In a pipe, nothing is wrapped, so that grep finds it.
    const value = '"c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655"';
    if (where === 'a pipe') expect(stripVTControlCharacters(out)).toContain(value);
  });

  test('ends quietly for head, as a closed pipe ends programs', async () => {
    // More than a pipe holds.
    write('pipe.ndjson', `${BODY}\n`.repeat(5000));
    const line = `${PROGRAM} inspect pipe.ndjson | head -1; exit \${PIPESTATUS[0]}`;
    const out = expect.stringMatching(/^✓ .*\n$/);
    expect(await inShell(line)).toStrictEqual({ out, err: '', exit: 141 });
  });

  test('says so in one line when its output can not be written', async () => {
    const err = expect.stringMatching(
      /^payment-notifications: can't write the output: ENOSPC.*\n$/,
    );
    expect(await run(`inspect ${SAMPLE} > /dev/full`)).toStrictEqual({ out: '', err, exit: 3 });
  });

  test('of many bodies is ended by Ctrl-C, with what was found so far', async () => {
    const { child, ended } = start(`exec ${PROGRAM} inspect --quiet`);
    // More than a pipe holds: what is written was read, so that the process is up.
    child.stdin.write(`${BODY}\n`.repeat(5000), () => child.kill('SIGINT'));
    const out = expect.stringMatching(/^\nInterrupted: /);
    expect(await ended).toStrictEqual({ out, err: '', exit: 130 });
  });
});

describe('send', () => {
  test('shows its progress on a terminal after a second, and leaves nothing of it', async () => {
    await using merchant = await endpoint((response) => {
      setTimeout(() => response.end('ok'), 1100);
    });
    const file = write('progress.jsonl', `${BODY}\n`);
    const [, progress, cleared, end] = (
      await onTerminal(`send ${file} --to ${merchant.url}`)
    ).split('\r');
    expect(progress).toMatch(/^1 sent, \d a second, 0 failed$/);
    expect(cleared).toMatch(/^ +$/);
    expect(stripVTControlCharacters(`${end}`)).toMatch(/^1 of 1 delivered in \S+\n$/);
  });

  test('is ended by Ctrl-C while it waits for a retry, with a summary', async () => {
    await using merchant = await endpoint(answers(500));
    const { child, ended } = start(`exec ${PROGRAM} send deposit --to ${merchant.url} --retry`);
    child.stdout.on('data', (chunk) => {
      if (`${chunk}`.includes('✗ 500')) child.kill('SIGINT');
    });
    const out = expect.stringMatching(/Interrupted: 0 of 1 delivered in /);
    expect(await ended).toStrictEqual({ out, err: '', exit: 130 });
    expect(merchant.received).toHaveLength(1);
  });
});

describe('listen', () => {
  /** Starts `listen` on a free port, posts bodies, and ends it. */
  async function listen(line: string, ...bodies: string[]) {
    const { child, ended } = start(`${line} --port 0`);
    const [chunk] = await once(child.stdout, 'data');
    const [, url = ''] = /^listening at (\S+)\n/.exec(chunk) ?? [];
    const statuses: number[] = [];
    for (const body of bodies) statuses.push((await fetch(url, { method: 'POST', body })).status);
    child.kill('SIGINT');
    return { statuses, ...(await ended) };
  }

  test('has examples that work', async () => {
    const { out } = await run('listen --help');
    const [first = '', next = ''] = [...out.matchAll(/^ {2}payment-notifications (.*)$/gm)].map(
      ([, line = '']) => line,
    );
    const ran = await listen(`exec ${PROGRAM} ${first}`, BODY);
    expect(ran).toMatchObject({ statuses: [200], err: '', exit: 130 });
    expect(await run(next)).toMatchObject({ exit: 0 });
  });

  test('answers 500 while the disk is full, and leaves no part of a body', async () => {
    // No file may have more than 1,024 bytes, so that the second body is written in part.
    const line = `ulimit -f 1; exec ${PROGRAM} listen --save full`;
    const { statuses, out, exit } = await listen(line, '{}', BODY.padEnd(2000));
    expect({ statuses, exit }).toStrictEqual({ statuses: [400, 500], exit: 130 });
    expect(out).toMatch(/\n✗ \S+Z {2}not saved, answered with 500: EFBIG \(file too large\)\n/);
    expect(out).toMatch(/\n2 callbacks, 1 refused, 1 not read or not saved, 1 saved in full\n$/);
    expect(readdirSync(join(folder, 'full'))).toHaveLength(1);
  });
});
