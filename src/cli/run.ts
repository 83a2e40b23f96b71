import { CHECK_HELP, check } from './check.js';
import { INSPECT_HELP, inspect } from './inspect.js';
import { SEND_HELP, send } from './send.js';
import type { Terminal } from './terminal.js';
import { Asked, COMMON, CommandError, EXIT, helpOf, printError, readArguments } from './usage.js';

const HELP = `payment-notifications <command>

  inspect [FILE…]                   show how a notification body is parsed
  send deposit|withdrawal|FILE…     post notifications to your endpoint
  check [FILE…]                     tell which kept bodies can't be read

  payment-notifications <command> --help tells more, with examples.

${helpOf(COMMON)}
`;

const COMMANDS = new Map([
  ['inspect', { help: INSPECT_HELP, run: inspect }],
  ['send', { help: SEND_HELP, run: send }],
  ['check', { help: CHECK_HELP, run: check }],
]);

/**
 * Runs the command line.
 *
 * @returns The exit code: an error has been told, in one line on standard error.
 */
export async function run(args: string[], terminal: Terminal, version: string): Promise<number> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  try {
    return await (command === undefined ? refuse(args) : command.run(rest, terminal));
  } catch (error) {
    if (error instanceof Asked) {
      terminal.print(error.message === 'help' ? (command?.help ?? HELP) : `${version}\n`);
      return EXIT.ok;
    }
    if (terminal.interrupt.aborted) return EXIT.interrupted;
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    return error.exit;
  }
}

/** Reads a command line that begins with no known command. */
async function refuse(args: string[]): Promise<never> {
  const [name] = readArguments(args, COMMON).positionals;
  if (name === undefined || name === 'help') throw new Asked('help');
  throw new CommandError(`unknown command "${name}": expected inspect, send or check`);
}
