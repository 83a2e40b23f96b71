import { INSPECT_HELP, inspect } from './inspect.js';
import { LISTEN_HELP, listen } from './listen.js';
import { COMMON, readArguments } from './options.js';
import { SAMPLE_HELP, sample } from './sample.js';
import { SEND_HELP, send } from './send.js';
import { CommandError, EXIT, printError, type Terminal } from './terminal.js';

const HELP = `payment-notifications <command>

  inspect [FILE|FOLDER…]           explain one webhook, or list many
  sample deposit|withdrawal        print a sample webhook
  send deposit|withdrawal|FILE…    post webhooks to your endpoint
  listen                           print the webhooks that arrive

  -h, --help     show this help, or the options of a command
  -v, --version  show the version

Exit codes:

  0    no webhook was refused, and every answer was as it should be
  1    a webhook was refused, an answer was wrong, or there was no webhook
  2    the command could not run: wrong usage, or a file it can't read or write
  130  Ctrl-C

Examples:

  payment-notifications sample deposit | payment-notifications inspect
  payment-notifications inspect webhooks
  payment-notifications send deposit --to http://127.0.0.1:3000/0123456789abcdef
`;

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
    if (command !== undefined) return await command.run(rest, terminal);
    readArguments(args, COMMON);
    throw new CommandError('command: expected inspect, sample, send or listen');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    const topic = command === undefined ? '' : `${name} `;
    terminal.warn(`Run payment-notifications ${topic}--help\n`);
    return EXIT.unable;
  }
}
