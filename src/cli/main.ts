#!/usr/bin/env node
import { createRequire } from 'node:module';
import process from 'node:process';
import { run } from './run.js';
import { EXIT, printError, type Terminal } from './terminal.js';

const { stdin, stdout, stderr } = process;

const terminal: Terminal = {
  input: stdin,
  print: (text) => void stdout.write(text),
  warn: (text) => void stderr.write(text),
  // Only once: a second Ctrl-C ends the process.
  onInterrupt: (stop) => void process.once('SIGINT', stop),
};

// A reader such as head may close the pipe early. The exit code must not report success then.
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.pipe);
  printError(terminal, `can't write the output: ${message}`);
  process.exit(EXIT.unable);
});
// If stderr is closed, there is nowhere to report errors.
stderr.on('error', () => {});

// By the package's name, so that it is found from the sources as well.
const { version } = createRequire(import.meta.url)('payment-notifications/package.json');
process.exitCode = await run(process.argv.slice(2), terminal, version);
