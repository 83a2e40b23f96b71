#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '../testing/clock.js';
import { run } from './run.js';
import type { Terminal } from './terminal.js';
import { EXIT, printError } from './usage.js';

const { stdin, stdout, stderr, env } = process;

const controller = new AbortController();
// Once: a second Ctrl-C ends the process at once.
process.once('SIGINT', () => controller.abort());

const terminal: Terminal = {
  input: stdin,
  print: (text) => void stdout.write(text),
  warn: (text) => void stderr.write(text),
  // Where standard output is no terminal, COLUMNS may still say how wide a reader's is.
  columns: stdout.columns || Number(env.COLUMNS) || Number.POSITIVE_INFINITY,
  // Heeds NO_COLOR, FORCE_COLOR and TERM.
  colours: stdout.isTTY && stdout.hasColors(),
  watched: stderr.isTTY,
  interrupt: controller.signal,
  clock: systemClock,
};

// A reader that has seen enough, e.g. head, closes the pipe: the exit code must not say that all went well.
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.pipe);
  printError(terminal, `can't write the output: ${message}`);
  process.exit(EXIT.output);
});
// stderr is closed: nothing can be reported.
stderr.on('error', () => {});

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
process.exitCode = await run(process.argv.slice(2), terminal, manifest.version);
