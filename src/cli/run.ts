import { CHECK_HELP, check } from './check.js';
import { INSPECT_HELP, inspect } from './inspect.js';
import { Asked, COMMON, helpOf, readArguments } from './options.js';
import { SAMPLE_HELP, sample } from './sample.js';
import { SEND_HELP, send } from './send.js';
import type { Terminal } from './terminal.js';
import { CommandError, EXIT, printError } from './usage.js';

const HELP = `payment-notifications <command>

  inspect [FILE…]                  show how a body is parsed
  sample deposit|withdrawal        print a sample body
  send deposit|withdrawal|FILE…    post bodies to your endpoint
  check [FILE…]                    find saved bodies that can't be parsed

  payment-notifications <command> --help shows options and examples.

${helpOf(COMMON)}
`;

const COMMANDS = new Map([
  ['inspect', { help: INSPECT_HELP, run: inspect }],
  ['sample', { help: SAMPLE_HELP, run: sample }],
  ['send', { help: SEND_HELP, run: send }],
  ['check', { help: CHECK_HELP, run: check }],
]);

/**
 * Runs the command line.
 *
 * @returns The exit code. An error has been printed to standard error, in one line.
 */
export async function run(args: string[], terminal: Terminal, version: string): Promise<number> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  try {
    const exit = await (command === undefined ? refuse(args) : command.run(rest, terminal));
    return terminal.interrupt.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    if (error instanceof Asked) {
      terminal.print(error.message === 'help' ? (command?.help ?? HELP) : `${version}\n`);
      return EXIT.ok;
    }
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    return error.exit;
  }
}

/** Handles arguments that don't start with a known command. */
async function refuse(args: string[]): Promise<never> {
  const [name] = readArguments(args, COMMON).positionals;
  if (name === undefined || name === 'help') throw new Asked('help');
  throw new CommandError(`unknown command "${name}": expected inspect, sample, send or check`);
}
