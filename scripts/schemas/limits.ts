import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';

/** What the parser checks, but a schema can't, or not in the same way. */
export const LIMITS = {
  size: 'The parser refuses a body of more than 64 KiB.',
  digits: `A validator rounds JSON numbers. A schema therefore accepts more than ${MAX_DIGITS} digits or ${MAX_LENGTH} characters, and a number slightly outside the allowed range. The parser refuses them.`,
  exponent: `In a string with an exponent, the parser refuses a magnitude of 1e${MAX_DIGITS + 1} or more, or below 1e-${MAX_DIGITS}. A schema refuses only exponents beyond ±999.`,
  surrogates: 'The parser can’t read text with a lone surrogate, which databases would replace.',
  notification:
    'The parser refuses the JSON of a parsed notification. A schema accepts it, unless it is of a `COMPLETED` withdrawal.',
  identifiers: 'parseNotification refuses a body with both a depositId and a withdrawalId.',
} as const;
