import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';

/** What the parser checks, but a schema can't. */
export const LIMITS = {
  size: 'The parser refuses a body of more than 64 KiB. A schema doesn’t know the size.',
  digits: `A validator sees a number as a rounded double. So it can’t notice more than ${MAX_DIGITS} digits or ${MAX_LENGTH} characters, or an exact value beyond 1e±${MAX_DIGITS}. In a string, it sees every digit.`,
  exponent: `The parser refuses an amount beyond 1e±${MAX_DIGITS}. In a string, a schema notices only an exponent of four or more digits.`,
  surrogates:
    'The parser refuses text with a lone surrogate, which databases would replace. A schema accepts it.',
  notification:
    'The parser refuses the JSON of a notification. A schema accepts the JSON of a deposit as a body.',
  identifiers:
    'parseNotification refuses a body that has both a depositId and a withdrawalId. The parser of one type accepts it, as its schema does.',
  spellings:
    'The parser warns if deductedSettlementAmount and deducedSettlementAmount differ. A schema can’t compare them.',
  offsets:
    'A time before 1970 or after 9999 is unreadable. The parser compares in UTC, a schema by the year as written.',
} as const;
