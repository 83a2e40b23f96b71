import { type ParseArgsConfig, parseArgs } from 'node:util';
import { beside } from './terminal.js';
import { CommandError, usageErrorOf } from './usage.js';

/** Thrown for --help and --version. The message is the option's name. */
export class Asked extends Error {}

/** An option for parseArgs, with its help. */
type Option = NonNullable<ParseArgsConfig['options']>[string] & {
  /** Placeholder for the value, in the help. */
  readonly value?: string;
  readonly help: string;
};

type Options = Readonly<Record<string, Option>>;

type Text = { type: 'string'; value: string; help: string };

export const flag = (help: string): { type: 'boolean'; help: string } => ({
  type: 'boolean',
  help,
});
export const text = (value: string, help: string): Text => ({ type: 'string', value, help });
export const list = (value: string, help: string): Text & { multiple: true } => ({
  ...text(value, help),
  multiple: true,
});

export const COMMON = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'v', help: 'show the version' },
} as const;

const EXIT_CODES = `Exit code: 0 if there are bodies and each is valid or delivered, and each faulty
one refused; 1 if not; 2 for wrong usage or a file that can't be read; 3 if the
output can't be written; 130 for Ctrl-C.`;

/** Formats options and exit codes for the help, in up to 80 columns. */
export function helpOf(options: Options): string {
  const rows = Object.entries(options).map(([name, { short, value = '', ...option }]) => {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name} ${value}`;
    const notes = [
      option.multiple ? ' (repeatable)' : '',
      option.default === undefined ? '' : ` (default: ${option.default})`,
    ];
    return [`  ${flags.trim()}  `, option.help + notes.join('')] as const;
  });
  const width = Math.max(...rows.map(([flags]) => flags.length));
  const lines = rows.flatMap(([flags, help]) => beside(flags.padEnd(width), [help], 80));
  return [...lines, '', EXIT_CODES].join('\n');
}

/**
 * Parses the arguments of a command.
 *
 * @throws CommandError for wrong usage, {@link Asked} for --help and --version.
 */
export function readArguments<const T extends Options>(
  args: string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true });
    const asked = Object.keys(parsed.values).find((name) => Object.hasOwn(COMMON, name));
    if (asked !== undefined) throw new Asked(asked);
    return parsed;
  } catch (error) {
    if (error instanceof Asked) throw error;
    const { message } = usageErrorOf(error);
    // Shorten Node's advice about operands that look like options.
    const short = message.replace(/\. To specify a positional.*/, ' (--help lists all options)');
    throw new CommandError(short.charAt(0).toLowerCase() + short.slice(1));
  }
}
