// The cases: 2,000 bodies each, with different digits, because V8 caches the text of repeated
// numbers.
import { fixture } from '../fixtures/index.js';

const BODIES = 2000;
let seed = 7;
const deposit = textOf('deposit-received/sample');
const FAULTS = { depositId: 'deposit-1', actualDepositAmount: '0,01523', settlementCurrency: '' };

export const cases = [
  caseOf('deposit', deposit),
  caseOf('withdrawal', textOf('withdrawal-broadcast/sample')),
  caseOf('deposit, 18 decimals', textOf('deposit-received/eighteen-decimals')),
  caseOf('deposit, 1 unknown field', withFields({ unknown: 'new' })),
  caseOf('deposit, 3 faults', withFields(FAULTS)),
];

function caseOf(name, text) {
  const kind = name.startsWith('deposit') ? 'deposit' : 'withdrawal';
  return { name, kind, texts: Array.from({ length: BODIES }, () => withOtherDigits(text)) };
}

function textOf(id) {
  return fixture(id).body.toString();
}

function withFields(fields) {
  return JSON.stringify({ ...JSON.parse(deposit), ...fields }, null, 2);
}

/** Replaces the digits of amounts and identifiers, except zeros. */
function withOtherDigits(text) {
  const other = text.replace(/": "?\d+\.\d+|Id": "[^"]+/g, (part) =>
    part.replace(/[1-9]/g, randomDigit),
  );
  // A flat string, like the text of a request.
  return Buffer.from(other).toString();
}

/** From 1 to 9, and the same in every run: Lehmer's generator. */
function randomDigit() {
  seed = (seed * 48271) % 2147483647;
  return String((seed % 9) + 1);
}
