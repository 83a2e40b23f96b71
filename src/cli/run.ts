import { CHECK_HELP, check } from './check.js';
import { INSPECT_HELP, inspect } from './inspect.js';
import { SEND_HELP, send } from './send.js';
import type { Terminal } from './terminal.js';
import { CommandError, EXIT, printError, suggest, UsageError } from './usage.js';

const HELP = `payment-notifications <command>

  inspect [FILE…]                   show how a notification body is parsed
  send deposit|withdrawal --to URL  post a notification to an endpoint of yours
  check [FILE…]                     read archives of bodies, and say what is wrong

  payment-notifications <command> --help tells more, with examples.

  -h, --help
  -v, --version

Examples:

  payment-notifications inspect body.json
  payment-notifications send deposit --to http://127.0.0.1:3000/callbacks
  payment-notifications check archive.ndjson
`;

interface Command {
  readonly help: string;
  run(args: string[], terminal: Terminal): Promise<number>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['inspect', { help: INSPECT_HELP, run: inspect }],
  ['send', { help: SEND_HELP, run: send }],
  ['check', { help: CHECK_HELP, run: check }],
]);

/**
 * Runs the command line.
 *
 * @returns The exit code: what went wrong has been told, in one line on standard error.
 */
export async function run(args: string[], terminal: Terminal, version: string): Promise<number> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  // Behind -- there are only files, whatever they are called.
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const asked = (...names: string[]): boolean => names.some((flag) => flags.includes(flag));
  if (asked('-h', '--help')) {
    terminal.print(command?.help ?? HELP);
    return EXIT.ok;
  }
  if (asked('-v', '--version')) {
    terminal.print(`${version}\n`);
    return EXIT.ok;
  }
  try {
    if (command === undefined) {
      const commands = [...COMMANDS.keys()];
      const what = name === '' ? 'no command' : `unknown command "${name}"`;
      const near = suggest(name, [...commands, '--version']) || `: ${commands.join(', ')}`;
      throw new UsageError(`${what}${near} (--help tells more)`);
    }
    return await command.run(rest, terminal);
  } catch (error) {
    if (terminal.interrupt.aborted) return EXIT.interrupted;
    if (!(error instanceof CommandError)) throw error;
    printError(terminal, error.message);
    return error.exit;
  }
}
