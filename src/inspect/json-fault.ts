import { findSyntaxError, lineAndColumn } from '../parser/json-syntax.js';
import { escapeUnprintable } from '../parser/messages.js';

/** The position of an error in the syntax of JSON. */
export interface JsonFault {
  /** The number of the line, starting at 1. */
  readonly line: number;
  /** The column in UTF-16 code units, starting at 1. */
  readonly column: number;
  /** The text before the error in its line, truncated and escaped. */
  readonly before: string;
  /** The rest of the line, truncated and escaped. Empty if the line or the text ends there. */
  readonly after: string;
}

/** Maximum length of the text before an error, and of the text after it. */
const [MAX_BEFORE, MAX_AFTER] = [40, 20];

export function findJsonFault(text: string): JsonFault {
  const at = findSyntaxError(text);
  const { line, column } = lineAndColumn(text, at);
  const start = Math.max(at - column + 1, at - MAX_BEFORE);
  const [rest = ''] = text.slice(at).split(/\r?\n/, 1);
  return {
    line,
    column,
    before: `${start > at - column + 1 ? '…' : ''}${escapeUnprintable(text.slice(start, at))}`,
    after: `${escapeUnprintable(rest.slice(0, MAX_AFTER))}${rest.length > MAX_AFTER ? '…' : ''}`,
  };
}
