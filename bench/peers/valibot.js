import * as v from 'valibot';
import * as rules from './rules.js';

/** @returns {import('./all.js').Reader} */
export function valibot() {
  const amount = v.pipe(
    v.union([
      v.number(),
      v.pipe(v.string(), v.maxLength(rules.MAX_LENGTH), v.regex(rules.DECIMAL)),
    ]),
    v.transform(rules.toDecimal),
    v.check(rules.isWithinLimits, 'beyond the limits'),
  );
  const isNotNegative = v.check((value) => !value.isNegative(), 'below zero');
  const time = v.union([v.number(), v.pipe(v.string(), v.regex(rules.TIME))]);
  const address = v.pipe(
    v.string(),
    v.check(rules.hasAddress, 'no address'),
    v.transform(rules.splitAddress),
  );
  const text = v.fallback(v.nullish(v.string(), null), null);
  const types = {
    text: () => v.pipe(v.string(), v.nonEmpty()),
    id: () => v.pipe(v.string(), v.regex(rules.UUID)),
    enum: ({ type }) => v.picklist(type.values),
    amount: (field) => (rules.isSigned(field) ? amount : v.pipe(amount, isNotNegative)),
    timestamp: () => v.pipe(time, v.transform(rules.toDate), v.check(rules.isTime, 'no time')),
    address: () => v.nullish(address),
    object: () => v.looseObject({ name: text, category: text }),
  };
  const lenient = (type) => v.fallback(v.nullish(type, null), null);
  const object = (table) => v.looseObject(rules.schemasOf(table, types, lenient));

  const deposit = object(rules.DEPOSIT);
  const withdrawal = v.pipe(
    object(rules.WITHDRAWAL),
    v.forward(v.check(rules.isAddressed), ['toTxAddress']),
    v.transform(rules.withOneSpelling),
  );
  return {
    deposit: (fields) => v.safeParse(deposit, fields),
    withdrawal: (fields) => v.safeParse(withdrawal, fields),
    outcomeOf: ({ success, output, issues }) =>
      success ? { notification: output } : { faults: issues.map(({ path }) => path[0].key) },
  };
}
