/** @type {Record<import('payment-notifications').IssueCode, true>} */
const KNOWN = {
  invalid_json: true,
  body_too_large: true,
  not_an_object: true,
  unrecognized_notification: true,
  missing_field: true,
  wrong_type: true,
  invalid_amount: true,
  negative_amount: true,
  inexact_number: true,
  invalid_timestamp: true,
  invalid_id: true,
  unknown_value: true,
  invalid_tx_address: true,
  conflicting_fields: true,
};

/** Every code of an issue; the compiler misses none. @type {readonly string[]} */
export const ISSUE_CODES = Object.keys(KNOWN);
