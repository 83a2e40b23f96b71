import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';

/** What the parser checks, but a schema can't. */
export const LIMITS = {
  size: 'The parser refuses a body of more than 64 KiB.',
  digits: `A validator rounds a JSON number, so it can’t notice more than ${MAX_DIGITS} digits or ${MAX_LENGTH} characters, or an exact value beyond 1e±${MAX_DIGITS}.`,
  exponent: `In a string, a schema notices an amount beyond 1e±${MAX_DIGITS} only by an exponent of four or more digits.`,
  surrogates: 'The parser can’t read text with a lone surrogate, which databases would replace.',
  notification:
    'The parser refuses the JSON of a notification. A schema accepts that of a deposit.',
  identifiers: 'parseNotification refuses a body that has both a depositId and a withdrawalId.',
  spellings: 'The parser warns if deductedSettlementAmount and deducedSettlementAmount differ.',
  offsets: 'The parser reads times from 1970 to 9999 in UTC. A schema checks the year as written.',
} as const;
