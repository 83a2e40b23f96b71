#!/usr/bin/env node
import { createRequire } from 'node:module';
import process from 'node:process';
import { WriteStream } from 'node:tty';
import { EXIT, printError } from './errors.js';
import { run } from './run.js';
import type { Terminal } from './terminal.js';

const { stdin, stdout, stderr, env } = process;

const controller = new AbortController();
// Only once: a second Ctrl-C ends the process immediately.
process.once('SIGINT', () => controller.abort());

const terminal: Terminal = {
  input: stdin,
  print: (text) => void stdout.write(text),
  warn: (text) => void stderr.write(text),
  // COLUMNS sets the width if standard output is not a terminal.
  columns: stdout.columns || Number(env.COLUMNS) || Number.POSITIVE_INFINITY,
  // hasColors respects NO_COLOR, FORCE_COLOR and TERM. A pipe lacks it, but not the prototype.
  colors: (stdout.isTTY || env.FORCE_COLOR !== undefined) && WriteStream.prototype.hasColors(),
  showsProgress: stderr.isTTY,
  interrupt: controller.signal,
  now: () => performance.now(),
};

// A reader such as head may close the pipe early. The exit code must not report success then.
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.pipe);
  printError(terminal, `can't write the output: ${message}`);
  process.exit(EXIT.output);
});
// If stderr is closed, there is nowhere to report errors.
stderr.on('error', () => {});

// By the package's name, so that it is found from the sources as well.
const { version } = createRequire(import.meta.url)('payment-notifications/package.json');
process.exitCode = await run(process.argv.slice(2), terminal, version);
