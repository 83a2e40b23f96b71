import { quote } from '../parser/messages.js';
import { CommandError, EXIT, printError } from './errors.js';
import { INSPECT_HELP, inspect } from './inspect.js';
import { LISTEN_HELP, listen } from './listen.js';
import { COMMON, helpOf, readArguments } from './options.js';
import { SAMPLE_HELP, sample } from './sample.js';
import { SEND_HELP, send } from './send.js';
import type { Terminal } from './terminal.js';

const HELP = helpOf(
  '<command>',
  `  inspect [FILE|FOLDER…]           explain one body, or list many
  sample deposit|withdrawal        print a sample body
  send deposit|withdrawal|FILE…    post bodies to your endpoint
  listen                           print and save the callbacks that arrive

  payment-notifications <command> --help shows options and examples.

Exit code: 0 for success; 1 if inspect refuses a body, if your endpoint doesn't
accept a valid body of send or refuse a faulty one, or if there is no body; 2
for wrong usage or a file that can't be read; 3 if the output can't be written;
130 for Ctrl-C.`,
  COMMON,
  'sample deposit | payment-notifications inspect',
  'inspect webhooks',
);

const COMMANDS = new Map([
  ['inspect', { help: INSPECT_HELP, run: inspect }],
  ['sample', { help: SAMPLE_HELP, run: sample }],
  ['send', { help: SEND_HELP, run: send }],
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
      const expected = 'expected inspect, sample, send or listen';
      throw new CommandError(`command: ${expected}, received ${quote(name)}`);
    }
    const exit = await command.run(rest, terminal);
    return terminal.interrupt.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    return EXIT.usage;
  }
}
