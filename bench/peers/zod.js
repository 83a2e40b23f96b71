import * as z from 'zod';
import * as rules from './rules.js';

/** @returns {import('./all.js').Reader} */
export function zod() {
  const amount = z
    .union([z.number(), z.string().max(rules.MAX_LENGTH).regex(rules.DECIMAL)])
    .transform(rules.toDecimal)
    .refine(rules.isWithinLimits, 'beyond the limits');
  const text = z.string().nullish().catch(null);
  const types = {
    text: () => z.string().min(1),
    id: () => z.string().regex(rules.UUID),
    enum: ({ type }) => z.enum(type.values),
    amount: (field) =>
      rules.isSigned(field) ? amount : amount.refine((value) => !value.isNegative(), 'below zero'),
    timestamp: () =>
      z
        .union([z.number(), z.string().regex(rules.TIME)])
        .transform(rules.toDate)
        .refine(rules.isTime, 'no time'),
    address: () =>
      z.string().refine(rules.hasAddress, 'no address').transform(rules.splitAddress).nullish(),
    object: () => z.looseObject({ name: text, category: text }),
  };
  const lenient = (type) => type.nullish().catch(null);
  const object = (table) => z.looseObject(rules.schemasOf(table, types, lenient));

  const deposit = object(rules.DEPOSIT);
  const withdrawal = object(rules.WITHDRAWAL)
    .refine(rules.isAddressed, { path: ['toTxAddress'] })
    .transform(rules.withOneSpelling);
  return {
    deposit: (fields) => deposit.safeParse(fields),
    withdrawal: (fields) => withdrawal.safeParse(fields),
    outcomeOf: ({ success, data, error }) =>
      success ? { notification: data } : { faults: error.issues.map(({ path }) => path[0]) },
  };
}
