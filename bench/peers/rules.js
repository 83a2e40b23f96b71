// What a merchant writes once, whichever library checks the fields: the same rules as this package's.
// The Decimal is this package's own as well, so that no peer gains or loses by another constructor.
import { Decimal } from '../../dist/index.js';

export const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
export const MAX_LENGTH = 128;
export const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
export const DIGITS = /^\d+$/;
export const DEPOSIT_STATUSES = ['CONFIRMED'];
export const WITHDRAWAL_STATUSES = ['COMPLETED', 'FAILED', 'BLOCKED'];
export const RATE_TYPES = ['FIXED', 'FLOATING'];

const ZERO = new Decimal(0);

/** An amount from a number, a decimal string, or the LosslessNumber that lossless-json makes of a number. */
export function toDecimal(value) {
  const amount = new Decimal(typeof value === 'object' ? value.value : value);
  return amount.isZero() ? ZERO : amount;
}

export function isWithinLimits(amount) {
  return Math.abs(amount.e) <= 78 && amount.precision() <= 78;
}

/** A UNIX time in seconds, or in milliseconds where it is too large for seconds. */
export function toDate(time) {
  const unix = Number(time);
  return new Date(unix < 1e11 ? Math.round(unix * 1000) : unix);
}

/** Whether `toDate` gave a time, and one after 1970. */
export function isTime(date) {
  return date.getTime() >= 0;
}

/** A rate type that is not listed must not cost a deposit. */
export function toRateType(value) {
  return RATE_TYPES.includes(value) ? value : null;
}

export function hasAddress(raw) {
  return raw !== '' && !raw.startsWith('?dt=');
}

export function splitAddress(raw) {
  const mark = raw.indexOf('?dt=');
  if (mark === -1) return { raw, address: raw, destinationTag: null };
  return { raw, address: raw.slice(0, mark), destinationTag: raw.slice(mark + 4) || null };
}

/** The wire has two spellings of one field; both with different amounts are a fault. */
export function isUnambiguous({ deductedSettlementAmount, deducedSettlementAmount }) {
  if (!deductedSettlementAmount || !deducedSettlementAmount) return true;
  return deductedSettlementAmount.equals(deducedSettlementAmount);
}

export function withOneSpelling(withdrawal) {
  // Rare, so that the usual body pays for no copy.
  if (!withdrawal.deducedSettlementAmount) return withdrawal;
  const { deducedSettlementAmount, ...rest } = withdrawal;
  return { ...rest, deductedSettlementAmount: deducedSettlementAmount };
}
