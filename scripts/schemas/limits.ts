import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';

/** What the parser refuses, although its schema may accept it. */
export const LIMITS = {
  size: 'a body of more than 64 KiB',
  digits: `an amount, sent as a number, of more than ${MAX_DIGITS} digits or ${MAX_LENGTH} characters, or slightly outside the allowed range: a validator rounds it first`,
  exponent: `an amount, sent as text with an exponent, of 1e${MAX_DIGITS + 1} or more, or below 1e-${MAX_DIGITS}`,
  surrogates: 'text with a lone surrogate, which is half a character',
  notification: 'the JSON of a parsed deposit, or of a parsed `FAILED` or `BLOCKED` withdrawal',
  identifiers: 'a body with both a `depositId` and a `withdrawalId`, if you call `parseNotification`',
} as const;
