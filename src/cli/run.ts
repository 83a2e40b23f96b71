import { CHECK_HELP, check } from './check.js';
import { CommandError, EXIT, printError } from './errors.js';
import { INSPECT_HELP, inspect } from './inspect.js';
import { LISTEN_HELP, listen } from './listen.js';
import { COMMON, helpOf, readArguments } from './options.js';
import { SAMPLE_HELP, sample } from './sample.js';
import { SEND_HELP, send } from './send.js';
import type { Terminal } from './terminal.js';

const HELP = helpOf(
  '<command>',
  `  inspect [FILE…]                  show how a body is parsed
  sample deposit|withdrawal        print a sample body
  send deposit|withdrawal|FILE…    post bodies to your endpoint
  check [FILE|FOLDER…]             find saved bodies that can't be parsed
  listen                           print and save the callbacks that arrive

  payment-notifications <command> --help shows options and examples.`,
  COMMON,
  'sample deposit | payment-notifications inspect',
);

const COMMANDS = new Map([
  ['inspect', { help: INSPECT_HELP, run: inspect }],
  ['sample', { help: SAMPLE_HELP, run: sample }],
  ['send', { help: SEND_HELP, run: send }],
  ['check', { help: CHECK_HELP, run: check }],
  ['listen', { help: LISTEN_HELP, run: listen }],
]);

/** Runs a command line. Returns the exit code; an error is printed in one line. */
export async function run(args: string[], terminal: Terminal, version: string): Promise<number> {
  const [name = 'help', ...rest] = args;
  const command = COMMANDS.get(name);
  // What follows -- is an operand.
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  if (options.includes('--version') || options.includes('-v')) {
    terminal.print(`${version}\n`);
    return EXIT.ok;
  }
  if (name === 'help' || options.includes('--help') || options.includes('-h')) {
    terminal.print(command?.help ?? HELP);
    return EXIT.ok;
  }
  try {
    if (command === undefined) {
      readArguments(args, COMMON);
      throw new CommandError(
        `unknown command "${name}": expected inspect, sample, send, check or listen`,
      );
    }
    const exit = await command.run(rest, terminal);
    return terminal.interrupt.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    return error.exit;
  }
}
