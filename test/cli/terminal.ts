import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';

type Given = Partial<Terminal> & {
  readonly stdin?: string;
};

/** Runs a command line in this process. */
export async function command(
  line: string | readonly string[],
  { stdin = '', ...given }: Given = {},
) {
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : [...line];
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    input: Readable.from([Buffer.from(stdin)]),
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    onInterrupt() {},
    ...given,
  };
  const exit = await run(args, terminal, '1.2.3');
  return { exit, out: out.join(''), err: err.join('') };
}

/** Runs `listen` on a free port until `act` has ended. `told` is what it prints after its hint. */
export async function listening(
  options: string,
  act: (url: string, stop: () => void) => Promise<unknown>,
) {
  let stop = () => {};
  const onInterrupt = (listener: () => void) => {
    stop = listener;
  };
  const printed: string[] = [];
  const start = new EventEmitter();
  const started = once(start, 'url');
  const print = (text: string) => {
    printed.push(text);
    const [, url] = /^listening at (\S+)/.exec(text) ?? [];
    if (url !== undefined) start.emit('url', url);
  };
  const ended = command(`listen --port 0 ${options}`, { print, onInterrupt });
  const [url] = await started;
  await act(url, stop);
  stop();
  const { exit, err } = await ended;
  const [first = '', ...lines] = linesOf(printed.join(''));
  return { url: `${url}`, exit, err, first, told: lines.slice(1) };
}

/** The lines of a text without those that are empty. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A folder that lasts as long as the tests of a file, and a function that writes a file to it. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  return { folder, write };
}
