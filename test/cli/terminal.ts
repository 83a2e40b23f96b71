import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';

export type Given = Partial<Terminal> & { readonly stdin?: string | Buffer };

/** Runs a command line in this process. */
export async function command(args: readonly string[], { stdin = '', ...given }: Given = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    input: Readable.from([Buffer.from(stdin)]),
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    columns: Number.POSITIVE_INFINITY,
    colors: false,
    showsProgress: false,
    now: () => 0,
    interrupt: new AbortController().signal,
    ...given,
  };
  const exit = await run([...args], terminal, '1.2.3');
  return { exit, out: out.join(''), err: err.join('') };
}

/** The lines of a text without those that are empty. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/**
 * A folder that is there until the tests of a file are over, and a function that writes a file to
 * it.
 */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return { folder, write };
}
