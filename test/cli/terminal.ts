import { Readable } from 'node:stream';
import { type Clock, virtualClock } from 'payment-notifications/testing';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';

type Given = Partial<Terminal> & { readonly stdin?: string | Buffer };

/** A terminal of which is known what is given, and what is written to it. */
export function terminalOf({ stdin = '', ...given }: Given) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    input: Readable.from([Buffer.from(stdin)]),
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    columns: Number.POSITIVE_INFINITY,
    colours: false,
    watched: false,
    interrupt: new AbortController().signal,
    clock: virtualClock(),
    ...given,
  };
  return { terminal, out, err };
}

/** Runs a command line in this process. */
export async function command(args: readonly string[], given: Given = {}) {
  const { terminal, out, err } = terminalOf(given);
  const exit = await run([...args], terminal, '1.2.3');
  return { exit, out: out.join(''), err: err.join('') };
}

/** The lines of a text without those that are empty. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A clock that is later by a step whenever it is looked at. */
export function ticking(milliseconds: number): Clock {
  let now = 0;
  return { now: () => (now += milliseconds), sleep: async () => {} };
}
