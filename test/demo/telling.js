/**
 * The fixtures that the demo shows, and what code that doesn't expect them would do.
 *
 * @type {Record<string, string>}
 */
export const TELLING = {
  'deposit-received/sample': 'typeof amount === "number" refuses it, and + glues strings together',
  'deposit-received/eighteen-decimals': 'JSON.parse makes 0.12345678901234568 of it',
  'deposit-received/exponent': 'decimal.js prints 1e-8 back, which few ledgers take',
  'deposit-received/timestamps-in-milliseconds': 'new Date(seconds) is in January 1970',
  'deposit-received/unreadable-fields':
    'a schema refuses it, each retry too; after 24 hours the deposit is lost',
  'withdrawal-broadcast/tag-with-leading-zeros':
    'sent on as it is, it is no address; the tag as a number has lost its zeros',
  'withdrawal-broadcast/deduced-spelling': 'the amount that the account was debited is undefined',
  'withdrawal-broadcast/conflicting-spellings':
    'one of the two is booked, and nobody notices the other',
  'withdrawal-broadcast/failed-without-address':
    'a schema refuses it, and the failure goes unnoticed',
  'invalid/amount-with-comma': 'parseFloat credits 12',
  'invalid/log-injection': 'a message that quotes the value as it came writes them',
  'invalid/many-faults': 'a check that stops at the first takes a failed delivery for each',
};
