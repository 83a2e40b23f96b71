import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { NotificationType } from '../parser/errors.js';
import { quote } from '../parser/messages.js';
import { CommandError } from './terminal.js';

export const FLAG = { type: 'boolean' } as const;
export const STRING = { type: 'string' } as const;
export const LIST = { type: 'string', multiple: true } as const;

export const COMMON = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export function readArguments<const T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The rest of the message is advice about operands.
    const [message = ''] = String(Object(error).message).split(/\. |\.?\n/, 1);
    // What looks like an option may be a header or a URL.
    const isHidden = /[:/@]/.test(message);
    throw new CommandError(isHidden ? 'Unknown option, which is not shown' : message);
  }
}

export function readType(word: string | undefined): NotificationType | undefined {
  if (word === undefined) return undefined;
  if (word === 'deposit') return 'deposit.received';
  if (word === 'withdrawal') return 'withdrawal.broadcast';
  throw new CommandError(`--as: expected deposit or withdrawal, received ${quote(word)}`);
}

export function readCount(option: string, text: string, least: number, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const expected = `a whole number from ${least} to ${most}`;
  throw new CommandError(`${option}: expected ${expected}, received ${quote(text)}`);
}
