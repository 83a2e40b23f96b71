import { LosslessNumber } from 'lossless-json';
import * as v from 'valibot';
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
export function valibot(isLossless) {
  const number = isLossless ? v.instance(LosslessNumber) : v.number();
  const amount = v.pipe(
    v.union([number, v.pipe(v.string(), v.maxLength(MAX_LENGTH), v.regex(DECIMAL))]),
    v.transform(toDecimal),
    v.check(isWithinLimits, 'beyond the limits'),
  );
  const isNotNegative = v.check((value) => !value.isNegative(), 'below zero');
  const time = v.union([number, v.pipe(v.string(), v.regex(TIME))]);
  const address = v.pipe(v.string(), v.check(hasAddress, 'no address'), v.transform(splitAddress));
  const text = v.fallback(v.nullish(v.string(), null), null);
  const types = {
    text: () => v.pipe(v.string(), v.nonEmpty()),
    id: () => v.pipe(v.string(), v.regex(UUID)),
    enum: ({ type }) => v.picklist(type.values),
    amount: (field) => (isSigned(field) ? amount : v.pipe(amount, isNotNegative)),
    timestamp: () => v.pipe(time, v.transform(toDate), v.check(isTime, 'no time')),
    address: () => v.nullish(address),
    object: () => v.looseObject({ name: text, category: text }),
  };
  // What is not required may be absent, null or unreadable.
  const typeOf = (field) => {
    const type = types[field.kind](field);
    return field.need === 'required' ? type : v.fallback(v.nullish(type, null), null);
  };
  const object = (table) =>
    v.looseObject(
      Object.fromEntries(Object.values(table).map((field) => [field.name, typeOf(field)])),
    );

  const deposit = object(DEPOSIT);
  const withdrawal = v.pipe(
    object(WITHDRAWAL),
    v.forward(v.check(isAddressed), ['toTxAddress']),
    v.transform(withOneSpelling),
  );
  return {
    deposit: (fields) => v.safeParse(deposit, fields),
    withdrawal: (fields) => v.safeParse(withdrawal, fields),
    outcomeOf: ({ success, output, issues }) =>
      success ? { notification: output } : { faults: issues.map(({ path }) => path[0].key) },
  };
}
