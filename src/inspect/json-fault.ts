import { findSyntaxError, lineAndColumn } from '../parser/json-syntax.js';
import { escapeUnprintable } from '../parser/messages.js';

/** The position of an error in the syntax of JSON. */
export interface JsonFault {
  /** The number of the line, starting at 1. */
  readonly line: number;
  /** The column in UTF-16 code units, starting at 1. */
  readonly column: number;
  /** The text before the error, truncated, and escaped to one printable line. */
  readonly before: string;
  /**
   * The text that starts with the error, truncated and escaped. Empty if the text ends too early.
   */
  readonly after: string;
}

/** Finds the first error in the JSON syntax of a text; null if there is none. */
export function findJsonFault(text: string): JsonFault | null {
  const at = findSyntaxError(text);
  if (at === -1) return null;
  return {
    ...lineAndColumn(text, at),
    before: `${at > 20 ? '…' : ''}${escapeUnprintable(text.slice(Math.max(0, at - 20), at))}`,
    after: `${escapeUnprintable(text.slice(at, at + 12))}${text.length - at > 12 ? '…' : ''}`,
  };
}
