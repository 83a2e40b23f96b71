// What is measured: 2,000 bodies a case, each with digits of its own. A body that is repeated would
// keep the text of its numbers in the engine's cache, which no real traffic has.

import fc from 'fast-check';
import { Decimal } from '../dist/index.js';
import { fixture } from '../fixtures/index.js';

const BODIES = 2000;
/** The same in each run. They are a prime number of digits, so that no two bodies get the same. */
const DIGITS = fc.sample(fc.nat(9), { seed: 7, numRuns: 200_003, unbiased: true });
let used = 0;
const digit = () => DIGITS[used++ % DIGITS.length];

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {'deposit' | 'withdrawal'} kind
 * @property {string[]} texts
 * @property {boolean} isParsed Whether they are handed over as objects.
 * @property {boolean} isExact Whether their numbers have more digits than a double carries.
 * @property {boolean} isRefused
 */

const faults = {
  actualDepositAmount: '0,01523',
  status: 'PENDING',
  depositId: 'deposit-1',
  paymentId: 17,
  clientPaymentId: '',
  depositCurrency: null,
  displayCurrency: 1,
  actualDisplayAmount: '9e999',
  settlementCurrency: '',
  settlementAmount: -950.25,
};
const sample = textOf('deposit-received/sample');

/** @type {Case[]} */
export const cases = [
  createCase('deposit', sample),
  createCase('deposit, 8 decimals', withDecimals(sample, 8)),
  createCase('withdrawal, strings', textOf('withdrawal-broadcast/sample')),
  createCase('withdrawal, numbers', textOf('withdrawal-broadcast/amounts-as-numbers')),
  createCase('deposit, 18 decimals', textOf('deposit-received/eighteen-decimals')),
  createCase('deposit, 1 unknown field', withFields(sample, { unknown: 'new' })),
  createCase('deposit, parsed object', sample),
  createCase('deposit, 1 fault', withFields(sample, { actualDepositAmount: '0,01523' })),
  createCase('deposit, 10 faults', withFields(sample, faults)),
];

/**
 * @param {string} name Says of what kind it is.
 * @param {string} text The body on which all are modelled.
 * @returns {Case}
 */
function createCase(name, text) {
  return {
    name,
    kind: name.startsWith('deposit') ? 'deposit' : 'withdrawal',
    texts: Array.from({ length: BODIES }, () => withOtherDigits(text)),
    isParsed: name.includes('parsed'),
    isExact: name.includes('18 decimals'),
    isRefused: name.includes('fault'),
  };
}

/** @param {string} id */
function textOf(id) {
  return fixture(id).body.toString();
}

/** A body with some fields replaced or added, written as the sample is. */
function withFields(text, fields) {
  return JSON.stringify({ ...JSON.parse(text), ...fields }, null, 2);
}

/** A body with this number of decimals in its amounts. */
function withDecimals(text, count) {
  return text.replace(/(\d+\.)(\d+)/g, (_, whole, decimals) => whole + decimals.padEnd(count, '1'));
}

/**
 * A body with other digits in each of its amounts and identifiers, but as many of them. Its text is
 * one flat string, as a request's is.
 */
function withOtherDigits(text) {
  const digits = ({ length }) =>
    Array.from({ length }, (_, at) =>
      // No zero that could be left out.
      at === 0 || at === length - 1 ? Math.max(1, digit()) : digit(),
    ).join('');
  const other = text
    .replace(/(?<=": "?)0\.(0*)(\d+)/g, (_, zeros, rest) => `0.${zeros}${digits(rest)}`)
    .replace(/(?<=": "?)([1-9]\d*)\.(\d+)/g, (_, whole, rest) => `${digits(whole)}.${digits(rest)}`)
    .replace(/(?<=Id": "[^"]*)\d/g, digit);
  return Buffer.from(other).toString();
}

/**
 * The least that an exact parser has to do with a valid body: JSON.parse, and a Decimal of each
 * amount. For digits that a double loses, the literals stand ready: how they are found is left out.
 *
 * @param {Case} one
 * @returns {(body: any, index: number) => unknown}
 */
export function floorOf({ kind, texts, isParsed, isExact }) {
  const amountsOf = kind === 'deposit' ? depositAmounts : withdrawalAmounts;
  if (isParsed) return amountsOf;
  if (!isExact) return (text) => amountsOf(JSON.parse(text));
  const exact = texts.map((text) => JSON.parse(text.replace(/(?<=": )(\d+\.\d+)/g, '"$1"')));
  return (text, index) => [JSON.parse(text), amountsOf(exact[index])];
}

// Property by property, so that the floor is as low as JavaScript allows. The sample's depeg losses
// are null.

function depositAmounts(fields) {
  return [
    new Decimal(fields.actualDepositAmount),
    new Decimal(fields.expectedDepositAmount),
    new Decimal(fields.actualDisplayAmount),
    new Decimal(fields.expectedDisplayAmount),
    new Decimal(fields.displayServiceFee),
    new Decimal(fields.settlementAmount),
    new Decimal(fields.settlementServiceFee),
    new Decimal(fields.onChainFee),
    new Decimal(fields.displayDistributedUserServiceFee),
    new Decimal(fields.settlementDistributedUserServiceFee),
  ];
}

function withdrawalAmounts(fields) {
  return [
    new Decimal(fields.estimatedWithdrawAmount),
    new Decimal(fields.actualWithdrawAmount),
    new Decimal(fields.withdrawFee),
    new Decimal(fields.expectedDisplayAmount),
    new Decimal(fields.actualDisplayAmount),
    new Decimal(fields.displayFee),
    new Decimal(fields.deductedSettlementAmount),
    new Decimal(fields.displayRateDepegLossAmount),
    new Decimal(fields.settlementRateDepegLossAmount),
  ];
}
