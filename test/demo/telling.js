// The bodies that the demo shows: what is odd about each, and what code that doesn't expect it would do.

/** @type {Record<string, { what: string, otherwise: string }>} By the ids of the fixtures. */
export const TELLING = {
  'deposit-received/sample': {
    what: 'the sample of the documentation: amounts as numbers, and two as strings',
    otherwise: 'typeof amount === "number" refuses it, and + glues strings together',
  },
  'deposit-received/eighteen-decimals': {
    what: '0.123456789012345678 as a JSON number',
    otherwise: 'JSON.parse makes 0.12345678901234568 of it',
  },
  'deposit-received/exponent': {
    what: 'one satoshi as 1E-8',
    otherwise: 'decimal.js prints 1e-8 back, which few ledgers take',
  },
  'deposit-received/timestamps-in-milliseconds': {
    what: 'two times in milliseconds, one in seconds',
    otherwise: 'new Date(seconds) is in January 1970',
  },
  'deposit-received/unreadable-fields': {
    what: 'fields that no money hangs on, unreadable',
    otherwise: 'a schema refuses it, each retry too; after 24 hours the deposit is lost',
  },
  'withdrawal-broadcast/tag-with-leading-zeros': {
    what: 'an XRP address with ?dt=00482',
    otherwise: 'sent on as it is, it is no address; the tag as a number has lost its zeros',
  },
  'withdrawal-broadcast/deduced-spelling': {
    what: 'deducedSettlementAmount, the other spelling of deductedSettlementAmount',
    otherwise: 'the amount that the account was debited is undefined',
  },
  'withdrawal-broadcast/conflicting-spellings': {
    what: 'both spellings, with different amounts',
    otherwise: 'one of the two is booked, and nobody notices the other',
  },
  'withdrawal-broadcast/failed-without-address': {
    what: 'a withdrawal that failed, without an address',
    otherwise: 'a schema refuses it, and the failure goes unnoticed',
  },
  'invalid/amount-with-comma': {
    what: 'an amount of "12,5"',
    otherwise: 'parseFloat credits 12',
  },
  'invalid/log-injection': {
    what: 'a body made to forge lines of a log',
    otherwise: 'a message that quotes the value as it came writes them',
  },
  'invalid/many-faults': {
    what: 'many faults at once',
    otherwise: 'a check that stops at the first takes a failed delivery for each',
  },
};
