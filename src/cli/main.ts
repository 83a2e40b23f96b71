#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../testing/clock.js';
import { run } from './run.js';
import type { Terminal } from './terminal.js';
import { serve } from './threads.js';
import { EXIT, printError } from './usage.js';

/** More threads than this take more memory than they are worth. */
const MAX_THREADS = 8;
/** A thread's garbage is short-lived: a larger young generation would only be collected later. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8 };

// This file is also what another thread runs.
if (parentPort === null) await main();
else serve(parentPort, workerData);

async function main(): Promise<void> {
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
    interactive: stdout.isTTY,
    watched: stderr.isTTY,
    interrupt: controller.signal,
    clock: systemClock,
    threads: Math.min(availableParallelism(), MAX_THREADS),
    startThread: (options) =>
      new Worker(new URL(import.meta.url), { workerData: options, resourceLimits: THREAD_LIMITS }),
  };

  // A reader that has seen enough, e.g. head, closes the pipe. Whoever asks for the exit code must not be told
  // that all went well.
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(EXIT.pipe);
    printError(terminal, `can't write the output: ${message}`);
    process.exit(EXIT.output);
  });
  // Without a reader of the messages there is nobody to tell.
  stderr.on('error', () => {});

  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  process.exitCode = await run(process.argv.slice(2), terminal, manifest.version);
}
