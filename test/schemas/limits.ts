import { Decimal } from 'decimal.js';
import type { LIMITS } from '../../scripts/schemas/body.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { MAX_DIGITS, MAX_LENGTH } from '../../src/parser/values/amount.js';
import type { WireFields } from '../../src/shared/members.js';

const FIELDS = Object.values({ ...DEPOSIT_RECEIVED_FIELDS, ...WITHDRAWAL_BROADCAST_FIELDS });
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export type LimitName = keyof typeof LIMITS;

/**
 * For each limit, whether a body is beyond it: told by the text alone, not by what the parser makes
 * of it.
 */
export const IS_BEYOND: Readonly<Record<LimitName, (fields: WireFields) => boolean>> = {
  size: (fields) =>
    [...fields].reduce((sum, [name, json]) => sum + Buffer.byteLength(name + json) + 6, 0) >
    64 * 1024,
  digits: someAmount((json) => {
    if (!NUMBER.test(json)) return false;
    const double = Number(json);
    // Not by decimal.js, which takes an exponent of many digits for zero, as a double does.
    const isZero = !/^[-.0]*[1-9]/.test(json);
    if (json.length > MAX_LENGTH || isZero !== (double === 0)) return Number.isFinite(double);
    return Number.isFinite(double) && !new Decimal(json).equals(double);
  }),
  exponent: someAmount((json) => {
    const text = json.startsWith('"') ? JSON.parse(json) : '';
    if (!NUMBER.test(text) || !/e/i.test(text)) return false;
    const amount = new Decimal(text);
    return !amount.isZero() && Math.abs(amount.e) > MAX_DIGITS;
  }),
  surrogates: (fields) => [...fields.values()].some(hasLoneSurrogate),
  notification: (fields) => fields.has('warnings'),
  identifiers: (fields) =>
    ['depositId', 'withdrawalId'].every((name) => (fields.get(name) ?? 'null') !== 'null'),
};

function hasLoneSurrogate(json: string): boolean {
  if (!/^["{]/.test(json)) return false;
  return /(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(json)));
}

/** Whether one of a body's amounts is so. */
function someAmount(isSo: (json: string) => boolean) {
  const names = FIELDS.filter(({ type }) => type.kind === 'amount').map(({ name }) => name);
  return (fields: WireFields): boolean => names.some((name) => isSo(fields.get(name) ?? 'null'));
}
