import { type ParseArgsConfig, parseArgs } from 'node:util';
import { beside } from './terminal.js';
import { CommandError, usageErrorOf } from './usage.js';

/** `help` or `version`, its message: the command has nothing else to do. */
export class Asked extends Error {}

/** An option, as parseArgs reads it and the help shows it. */
type Option = NonNullable<ParseArgsConfig['options']>[string] & {
  /** A word for its value. */
  readonly value?: string;
  readonly help: string;
};

type Options = Readonly<Record<string, Option>>;

/** An option that has a value. */
export function text(value: string, help: string): { type: 'string'; value: string; help: string } {
  return { type: 'string', value, help };
}

/** An option that is there or not. */
export function flag(help: string): { type: 'boolean'; help: string } {
  return { type: 'boolean', help };
}

/** The options of every command. */
export const COMMON = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'v', help: 'show the version' },
} as const;

/** The lines of the help about options, of up to 80 columns. */
export function helpOf(options: Options): string {
  const rows = Object.entries(options).map(([name, { short, value = '', ...option }]) => {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name} ${value}`;
    const repeated = option.multiple ? '; may be repeated' : '';
    const preset = option.default === undefined ? '' : ` (default: ${option.default})`;
    return [`  ${flags.trim()}  `, option.help + repeated + preset] as const;
  });
  const width = Math.max(...rows.map(([flags]) => flags.length));
  return rows.flatMap(([flags, help]) => beside(flags.padEnd(width), [help], 80)).join('\n');
}

/**
 * A command's options and operands.
 *
 * @throws CommandError for wrong usage, {@link Asked} if the help or the version is asked for.
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
    // Node.js goes on about operands that look like options.
    throw new CommandError(message.replace(/\. To specify a positional.*/, ' (--help lists all)'));
  }
}
