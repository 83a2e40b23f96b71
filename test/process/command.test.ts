import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../cli/terminal.js';
import { answers, endpoint } from '../endpoint.js';
import { COMMAND, run, start } from './command.js';

const SAMPLE = 'fixtures/deposit-received/sample.json';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Runs the command on a terminal of so many columns. */
async function onTerminal(args: string[], columns: number, env: Record<string, string> = {}) {
  const words = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${columns} rows 40; exec ${words}`;
  const { out, exit } = await start('script', ['-qec', line, '/dev/null'], {
    env: { TERM: 'xterm-256color', ...env },
    stdin: '',
  }).ended;
  return { out: out.replaceAll('\r\n', '\n'), exit };
}

const PROGRAM = `'${process.execPath}' '${COMMAND}'`;

/** Runs a command line in a shell. */
const inShell = (line: string, cwd = '.') => start('bash', ['-c', line], { cwd, stdin: '' }).ended;

const { folder, write } = temporaryFolder();

describe('the command', () => {
  test('runs by itself, by its first line', async () => {
    const { out, exit } = await start(COMMAND, ['--version'], { stdin: '' }).ended;
    expect({ out, exit }).toStrictEqual({ out: `${version}\n`, exit: 0 });
  });

  test.each(['', 'inspect', 'sample', 'send'])(
    'payment-notifications %s --help has examples that work',
    async (name) => {
      const { out, err, exit } = await run([...name.split(' ').filter(Boolean), '--help']);
      expect({ err, exit }).toStrictEqual({ err: '', exit: 0 });
      const [, examples = ''] = out.split('\nExamples:\n\n');
      expect(examples).toMatch(/^ {2}payment-notifications /);

      await using merchant = await endpoint(answers(200));
      const body = `${depositReceivedBody()}\n`;
      for (const path of ['callbacks', 'webhooks/retry', 'webhooks/review']) {
        mkdirSync(join(folder, path), { recursive: true });
      }
      const saved = `webhooks/review/deposit.received.x.${'0'.repeat(16)}.json`;
      for (const file of ['body.json', 'callbacks/1.json', saved]) write(file, body);
      const script = [
        'set -euo pipefail',
        `payment-notifications() { ${PROGRAM} "$@"; }`,
        'export TOKEN=secret',
        // Not every machine has it.
        'type jq > /dev/null || jq() { cat; }',
        examples.replaceAll('http://127.0.0.1:3000/0123456789abcdef', merchant.url),
      ];
      const ran = await inShell(script.join('\n'), folder);
      expect({ err: ran.err, exit: ran.exit }, ran.out).toStrictEqual({ err: '', exit: 0 });
    },
  );
});

describe('inspect', () => {
  test('fits a terminal', async () => {
    const { out, exit } = await onTerminal(['inspect', SAMPLE], 80);
    expect(exit).toBe(0);
    const lines = stripVTControlCharacters(out).split('\n').slice(1);
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
  ])('in %s with %j has colours: %s', async (where, env, hasColors) => {
    const { out } = await (where === 'a pipe'
      ? run(['inspect', SAMPLE], { env })
      : onTerminal(['inspect', SAMPLE], 80, env));
    expect(out.includes('\u001b[32m✓')).toBe(hasColors);
    expect(stripVTControlCharacters(out) === out).toBe(!hasColors);
    // In a pipe, nothing is wrapped, so that grep finds it.
    const value = '"c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655"';
    if (where === 'a pipe') expect(stripVTControlCharacters(out)).toContain(value);
  });

  test('ends quietly for head, as a closed pipe ends programs', async () => {
    // More than a pipe holds.
    const file = write('pipe.ndjson', `${depositReceivedBody()}\n`.repeat(5000));
    const line = `${PROGRAM} inspect ${file} | head -1; exit \${PIPESTATUS[0]}`;
    expect(await inShell(line)).toMatchObject({
      ...{ out: expect.stringMatching(/^✓ .*\n$/), err: '', exit: 141 },
    });
  });

  test('says so in one line when its output can not be written', async () => {
    const { err, exit } = await inShell(`${PROGRAM} inspect ${SAMPLE} > /dev/full`);
    expect(exit).toBe(3);
    expect(err).toMatch(/^payment-notifications: can't write the output: ENOSPC.*\n$/);
  });

  test('of many bodies is ended by Ctrl-C, with what was found so far', async () => {
    const { child, ended } = start(process.execPath, [COMMAND, 'inspect', '--quiet']);
    // More than a pipe holds: what is written was read, so that the process is up.
    child.stdin.write(`${depositReceivedBody()}\n`.repeat(5000), () => child.kill('SIGINT'));
    const { out, err, exit } = await ended;
    expect({ err, exit }).toStrictEqual({ err: '', exit: 130 });
    expect(out).toMatch(/^\nInterrupted: /);
  });
});

describe('send', () => {
  test('shows its progress on a terminal after a second, and leaves nothing of it', async () => {
    await using merchant = await endpoint((response) => {
      setTimeout(() => response.end('ok'), 1100);
    });
    const file = write('progress.jsonl', `${depositReceivedBody()}\n`);
    const { out } = await onTerminal(['send', file, '--to', merchant.url], 80);
    const [, progress, cleared, end] = out.split('\r');
    expect(progress).toMatch(/^1 sent, \d a second, 0 failed$/);
    expect(cleared).toMatch(/^ +$/);
    expect(stripVTControlCharacters(`${end}`)).toMatch(/^1 of 1 delivered in \S+\n$/);
  });

  test('is ended by Ctrl-C while it waits for a retry, with a summary', async () => {
    await using merchant = await endpoint(answers(500));
    const args = [COMMAND, 'send', 'deposit', '--to', merchant.url, '--retry'];
    const { child, ended } = start(process.execPath, args);
    onTestFinished(() => void child.kill());
    child.stdout.on('data', (chunk) => {
      if (`${chunk}`.includes('✗ 500')) child.kill('SIGINT');
    });
    expect(await ended).toMatchObject({
      ...{ out: expect.stringMatching(/Interrupted: 0 of 1 delivered in /), err: '' },
      ...{ exit: 130, signal: null },
    });
    expect(merchant.received).toHaveLength(1);
  });
});

describe('listen', () => {
  /** Starts `listen` on a free port, in a shell, and waits for its URL. */
  async function startListen(line: string) {
    const { child, ended } = start('bash', ['-c', line], { cwd: folder, stdin: '' });
    onTestFinished(() => void child.kill());
    let out = '';
    const url = await new Promise<string>((resolve) => {
      child.stdout.on('data', (chunk) => {
        out += chunk;
        const [, found] = /^listening at (\S+)\n/.exec(out) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const post = (body: string) => fetch(url, { method: 'POST', body });
    return { child, ended, post };
  }

  test('has examples that work', async () => {
    const { out } = await run(['listen', '--help']);
    const [, example, next] =
      /Examples:\n\n {2}payment-notifications (.*)\n {2}payment-notifications (.*)\n/.exec(out) ??
      [];
    const { child, ended, post } = await startListen(`exec ${PROGRAM} ${example} --port 0`);
    expect((await post(depositReceivedBody())).status).toBe(200);
    child.kill('SIGINT');
    const { err, exit } = await ended;
    expect({ err, exit }).toStrictEqual({ err: '', exit: 130 });
    expect((await inShell(`${PROGRAM} ${next}`, folder)).exit).toBe(0);
  });

  test('answers 500 while the disk is full, and leaves no part of a body', async () => {
    // No file may have more than 1,024 bytes, so that the second body is written in part.
    const line = `ulimit -f 1; exec ${PROGRAM} listen --port 0 --save full`;
    const { child, ended, post } = await startListen(line);
    expect((await post('{}')).status).toBe(400);
    expect((await post(depositReceivedBody().padEnd(2000))).status).toBe(500);
    child.kill('SIGINT');
    const { out, exit } = await ended;
    expect(exit).toBe(130);
    expect(out).toMatch(/\n✗ \S+Z {2}not saved, answered with 500: EFBIG \(file too large\)\n/);
    expect(out).toMatch(/\n2 callbacks, 1 refused, 1 not read or not saved, 1 saved in full\n$/);
    expect(readdirSync(join(folder, 'full'))).toHaveLength(1);
  });
});
