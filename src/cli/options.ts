import { parseArgs } from 'node:util';
import type { NotificationType } from '../parser/errors.js';
import { quote } from '../parser/messages.js';
import { CommandError } from './errors.js';
import { beside, DURATIONS, wrap } from './terminal.js';

type Flag = { type: 'boolean'; help: string };
export type Text = { type: 'string'; value: string; help: string };
export type List = Text & { multiple: true };

/** An option for parseArgs, with its help and a placeholder for its value. */
type Option = (Flag | Text) & { short?: string; multiple?: boolean; default?: string };

export const flag = (help: string): Flag => ({ type: 'boolean', help });
export const text = (value: string, help: string): Text => ({ type: 'string', value, help });
export const list = (value: string, help: string): List =>
  Object.assign(text(value, help), { multiple: true } as const);

export const COMMON = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'v', help: 'show the version' },
} as const;

/** The help of a command, in up to 80 columns. */
export function helpOf(
  usage: string,
  about: string,
  options: Record<string, Option>,
  ...examples: string[]
): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const flags = `${short}--${name} ${option.type === 'string' ? option.value : ''}`;
    const repeated = option.multiple ? ' (repeatable)' : '';
    const preset = option.default === undefined ? '' : ` (default: ${option.default})`;
    return [`  ${flags.trim()}  `, option.help + repeated + preset] as const;
  });
  const width = Math.max(...rows.map(([flags]) => flags.length));
  const lines = rows.flatMap(([flags, help]) => beside(flags.padEnd(width), [help], 80));
  const fill = (text: string) => (text.includes('\n') ? text : wrap(text, 80).join('\n'));
  const shown = examples.map((example) => `\n  payment-notifications ${example}`);
  const sections = [
    `payment-notifications ${usage}`,
    fill(about),
    lines.join('\n'),
    `Examples:\n${shown.join('')}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

export function readArguments<const T extends Record<string, Option>>(
  args: string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  // Finds mistakes first: the messages of Node.js have another form, and differ between versions.
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      throw new CommandError(`option: expected one that --help lists, received ${quote(rawName)}`);
    }
    const isMissing = value === undefined || (!inlineValue && /^-./.test(value));
    if (option.type === 'string' ? isMissing : value !== undefined) {
      const expected = option.type === 'string' ? 'a value' : 'no value';
      throw new CommandError(`${rawName}: expected ${expected}, received ${quote(value)}`);
    }
  }
  return parseArgs({ args, options, allowPositionals: true });
}

export function readType(word: string | undefined): NotificationType | undefined {
  if (word === undefined) return undefined;
  if (word === 'deposit') return 'deposit.received';
  if (word === 'withdrawal') return 'withdrawal.broadcast';
  throw new CommandError(`--as: expected deposit or withdrawal, received ${quote(word)}`);
}

/** Parses `500ms`, `10s`, `2m` or `24h` into milliseconds. */
export function readDuration(option: string, text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * DURATIONS[unit as keyof typeof DURATIONS];
  if (milliseconds > 0) return milliseconds;
  const expected = 'expected a duration such as 500ms, 10s, 2m or 24h';
  throw new CommandError(`${option}: ${expected}, received ${quote(text)}`);
}

export function readCount(option: string, text: string, least: number, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const expected = `a whole number from ${least} to ${most}`;
  throw new CommandError(`${option}: expected ${expected}, received ${quote(text)}`);
}
