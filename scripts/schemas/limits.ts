/** What the parser refuses, although its schema may accept it. */
export const LIMITS = {
  size: 'a body of more than 64 KiB',
  digits:
    'a required amount that is beyond the limits and was sent as a number (a validator rounds it before the check)',
  exponent: 'a required amount that is beyond the limits and was sent as text with an exponent',
  surrogates: 'a required text with a lone surrogate, which is half a character',
  notification: 'the output of `JSON.stringify(notification)`',
  identifiers:
    'a body with both a `depositId` and a `withdrawalId`, if you call `parseNotification`',
} as const;
