import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';

/** Cases in which a schema can't tell what the parser tells. */
export const LIMITS = {
  size: 'The parser refuses a body of more than 64 KiB unread. A schema sees no size.',
  digits: `A validator judges the double that JSON parsers make of a number, the parser its digits. So a schema doesn’t see that an amount, written as a number, has more than ${MAX_DIGITS} digits or ${MAX_LENGTH} characters, or that rounding took it across 1e±${MAX_DIGITS}. An amount in a string is judged by its digits.`,
  exponent: `The parser refuses an amount beyond 1e±${MAX_DIGITS}. In a string with an exponent, a schema sees this only from an exponent of four digits on.`,
  surrogates:
    'Text with half of a UTF-16 surrogate pair is no text to the parser, since databases would store it as another one. A schema takes it.',
  notification:
    'The parser refuses the JSON of a notification, and names notificationFromJSON. A schema takes that of a deposit for a body.',
  identifiers:
    'parseNotification refuses a body that has both a depositId and a withdrawalId. The parse function of one notification reads it, and its schema takes it.',
  spellings:
    'The parser warns of a body that has deductedSettlementAmount and deducedSettlementAmount with different amounts. A schema can’t compare them.',
  offsets:
    'A date-time before 1970 or after 9999 is unreadable. The parser looks at the time in UTC, a schema at the year as it is written.',
} as const;
