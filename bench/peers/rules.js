// The rules that a merchant writes once, whichever library checks the fields. The Decimal is this
// package's own, so that no peer gains or loses by another constructor.
import { tsImport } from 'tsx/esm/api';
import { Decimal, DepositStatus, RateType, WithdrawalStatus } from '../../dist/index.js';

/**
 * The tables of the fields, which dist doesn't export.
 *
 * @type {typeof import('../../scripts/schemas/tables.js')}
 */
const tables = await tsImport('../../scripts/schemas/tables.ts', import.meta.url);

/**
 * The fields by name, with what each needs: peers build their schemas from them, so that none is
 * forgotten.
 */
export const { DEPOSIT_RECEIVED_FIELDS: DEPOSIT, WITHDRAWAL_BROADCAST_FIELDS: WITHDRAWAL } = tables;
export const DEPOSIT_STATUSES = Object.values(DepositStatus);
export const WITHDRAWAL_STATUSES = Object.values(WithdrawalStatus);
export const RATE_TYPES = Object.values(RateType);
export const MAX_LENGTH = 160;
export const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
export const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** UNIX time or a date-time. */
export const TIME = /^(?:\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/i;
const ZERO = new Decimal(0);

/**
 * An amount from a number, a decimal string, or the LosslessNumber that lossless-json makes of a
 * number.
 */
export function toDecimal(value) {
  const amount = new Decimal(typeof value === 'object' ? value.value : value);
  return amount.isZero() ? ZERO : amount;
}

export function isWithinLimits(amount) {
  return Math.abs(amount.e) <= 78 && amount.precision() <= 78;
}

/** Whether amounts of a field may be below zero: fees and losses may. */
export function isSigned({ name }) {
  return /(?:Fee|LossAmount)$/.test(name);
}

/**
 * A peer's schemas of the fields: what isn't required may be absent, null or unreadable.
 *
 * @param {typeof DEPOSIT | typeof WITHDRAWAL} table
 * @param {Record<string, (field: any) => any>} types The peer's schema of each kind of field.
 * @param {(type: any) => any} lenient
 */
export function schemasOf(table, types, lenient) {
  const schemaOf = (field) => {
    const type = types[field.type.kind](field);
    return field.need === 'required' ? type : lenient(type);
  };
  return Object.fromEntries(Object.values(table).map((field) => [field.name, schemaOf(field)]));
}

/** A UNIX time in seconds, or in milliseconds where it is too large for seconds; or a date-time. */
export function toDate(time) {
  const unix = Number(time);
  if (Number.isNaN(unix)) return new Date(time);
  return new Date(unix < 1e11 ? Math.round(unix * 1000) : unix);
}

/** Whether `toDate` gave a time, and one after 1970. */
export function isTime(date) {
  return date.getTime() >= 0 && date.getTime() < 1e14;
}

export function hasAddress(raw) {
  return raw !== '' && !raw.startsWith('?dt=');
}

export function splitAddress(raw) {
  const mark = raw.indexOf('?dt=');
  if (mark === -1) return { raw, address: raw, destinationTag: null };
  return { raw, address: raw.slice(0, mark), destinationTag: raw.slice(mark + 4) || null };
}

/** A withdrawal that completed went somewhere. */
export function isAddressed({ status, toTxAddress }) {
  return status !== 'COMPLETED' || Boolean(toTxAddress);
}

/** The wire has two spellings of one field. Two different amounts are none. */
export function withOneSpelling(withdrawal) {
  const { deducedSettlementAmount: deduced, deductedSettlementAmount: deducted } = withdrawal;
  // Rare, so that the usual body pays for no copy.
  if (!deduced) return withdrawal;
  return { ...withdrawal, deductedSettlementAmount: oneOf(deducted, deduced) };
}

export function oneOf(deducted, deduced) {
  return deducted && deduced && !deducted.equals(deduced) ? null : (deducted ?? deduced);
}
