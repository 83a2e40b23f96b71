#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '../testing/clock.js';
import { run } from './run.js';
import type { Terminal } from './terminal.js';
import { EXIT, warn } from './usage.js';

const { stdin, stdout, stderr, env } = process;

/** Where standard output is no terminal, `COLUMNS` may still say how wide a reader's is. */
const columns = stdout.columns || Number(env.COLUMNS) || Number.POSITIVE_INFINITY;

const controller = new AbortController();
// Once: a second Ctrl-C ends the process at once.
process.once('SIGINT', () => controller.abort());

// A reader that has seen enough, e.g. head, closes the pipe. Whoever asks for the exit code must not be told
// that all went well.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    warn({ warn: (text) => void stderr.write(text) }, `can't write the output: ${error.message}`);
  }
  process.exit(error.code === 'EPIPE' ? EXIT.pipe : EXIT.output);
});
// Without a reader of the messages there is nobody to tell.
stderr.on('error', () => {});

const terminal: Terminal = {
  input: stdin,
  print: (text) => void stdout.write(text),
  warn: (text) => void stderr.write(text),
  columns,
  // Heeds NO_COLOR, FORCE_COLOR and TERM.
  colours: stdout.isTTY && stdout.hasColors(),
  interactive: stdout.isTTY,
  watched: stderr.isTTY,
  interrupt: controller.signal,
  clock: systemClock,
};

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

process.exitCode = await run(process.argv.slice(2), terminal, manifest.version);
