import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Body What is parsed.
 * @property {string} name
 * @property {'deposit' | 'withdrawal'} kind
 * @property {string} text
 * @property {boolean} isParsed Whether it is handed over as an object.
 * @property {boolean} isExact Whether it needs the exact reader: a number has more digits than a double.
 * @property {number} faults How many fields are faulty.
 */

/** @type {Body[]} */
export const bodies = [
  body('deposit', fixture('deposit-received/sample')),
  body('withdrawal, strings', fixture('withdrawal-broadcast/sample')),
  body('withdrawal, numbers', fixture('withdrawal-broadcast/amounts-as-numbers')),
  body('deposit, parsed object', fixture('deposit-received/sample'), { isParsed: true }),
  body('deposit, 18 decimals', fixture('deposit-received/eighteen-decimals'), { isExact: true }),
  body('deposit, 1 fault', faultyDeposit({ actualDepositAmount: '0,01523' }), { faults: 1 }),
  body(
    'deposit, 10 faults',
    faultyDeposit({
      status: 'PENDING',
      depositId: 'deposit-1',
      paymentId: 17,
      clientPaymentId: '',
      depositCurrency: null,
      actualDepositAmount: '0,01523',
      actualDisplayAmount: '9e999',
      settlementAmount: -950.25,
      fromAddress: 1,
      paymentReceivedAt: 'today',
    }),
    { faults: 10 },
  ),
];

/**
 * @param {string} name
 * @param {string} text
 * @param {Partial<Body>} [rest]
 * @returns {Body}
 */
function body(name, text, rest) {
  const kind = name.startsWith('deposit') ? 'deposit' : 'withdrawal';
  return { name, kind, text, isParsed: false, isExact: false, faults: 0, ...rest };
}

/** @param {string} name */
function fixture(name) {
  return readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8');
}

/** The sample deposit with some fields replaced, written as the sample is. */
function faultyDeposit(fields) {
  return JSON.stringify({ ...JSON.parse(fixture('deposit-received/sample')), ...fields }, null, 2);
}
