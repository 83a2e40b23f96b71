import { LosslessNumber } from 'lossless-json';
import * as z from 'zod';
import {
  DECIMAL,
  DEPOSIT,
  hasAddress,
  isAddressed,
  isSigned,
  isTime,
  isWithinLimits,
  MAX_LENGTH,
  splitAddress,
  TIME,
  toDate,
  toDecimal,
  UUID,
  WITHDRAWAL,
  withOneSpelling,
} from './rules.js';

/** @type {import('../peers.js').MakePeer} */
export function zod(isLossless) {
  const number = isLossless ? z.instanceof(LosslessNumber) : z.number();
  const amount = z
    .union([number, z.string().max(MAX_LENGTH).regex(DECIMAL)])
    .transform(toDecimal)
    .refine(isWithinLimits, 'beyond the limits');
  const text = z.string().nullish().catch(null);
  const types = {
    text: () => z.string().min(1),
    id: () => z.string().regex(UUID),
    enum: ({ type }) => z.enum(type.values),
    amount: (field) =>
      isSigned(field) ? amount : amount.refine((value) => !value.isNegative(), 'below zero'),
    timestamp: () =>
      z
        .union([number, z.string().regex(TIME)])
        .transform(toDate)
        .refine(isTime, 'no time'),
    address: () => z.string().refine(hasAddress, 'no address').transform(splitAddress).nullish(),
    object: () => z.looseObject({ name: text, category: text }),
  };
  // What is not required may be absent, null or unreadable.
  const typeOf = (field) => {
    const type = types[field.kind](field);
    return field.need === 'required' ? type : type.nullish().catch(null);
  };
  const object = (table) =>
    z.looseObject(
      Object.fromEntries(Object.values(table).map((field) => [field.name, typeOf(field)])),
    );

  const deposit = object(DEPOSIT);
  const withdrawal = object(WITHDRAWAL)
    .refine(isAddressed, { path: ['toTxAddress'] })
    .transform(withOneSpelling);
  return {
    deposit: (fields) => deposit.safeParse(fields),
    withdrawal: (fields) => withdrawal.safeParse(fields),
    outcomeOf: ({ success, data, error }) =>
      success ? { notification: data } : { faults: error.issues.map(({ path }) => path[0]) },
  };
}
