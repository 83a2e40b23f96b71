/** What the parser refuses, although its schema may accept it. */
export const LIMITS = {
  size: 'a body of more than 64 KiB',
  digits:
    'an amount beyond the limits, sent as a number, because a validator rounds numbers before it checks them',
  exponent: 'an amount beyond the limits, sent as text with an exponent',
  surrogates: 'text with a lone surrogate, which is half a character',
  notification: 'the output of `JSON.stringify(notification)`',
  identifiers:
    'a body with both a `depositId` and a `withdrawalId`, if you call `parseNotification`',
} as const;
