import { type OpenBody, once } from './body.js';
import type { NotificationIssue } from './errors.js';
import { type Fault, issue, quoteLiteral } from './messages.js';
import { hasValue, withoutPrototype } from './objects.js';
import { exactly, explain } from './read.js';
import { type Decimal, nonNegativeAmount } from './values/amount.js';
import type { PlainType } from './values/plain-type.js';

/** How the service's sample body and the output spell the amount debited. */
export const SPELLING = 'deductedSettlementAmount';

/** How the service's field table spells it. */
export const OTHER_SPELLING = 'deducedSettlementAmount';

export const amountDebited: PlainType<Decimal> = /* @__PURE__ */ nonNegativeAmount('string');

/** The name of the rule for a field: its own, except for the other spelling. */
export function nameOfRule(name: string): string {
  return name === OTHER_SPELLING ? SPELLING : name;
}

/**
 * Returns the body of a withdrawal with the amount debited under one name. If two values differ, or
 * one can't be read, the field gets a fault, and both values stay as sent.
 */
export function withOneSpelling(body: OpenBody): OpenBody {
  if (body.fields[OTHER_SPELLING] === undefined) return body;
  const { [OTHER_SPELLING]: sent, ...rest } = body.fields;
  const fields = withoutPrototype(rest);
  const parsedNumbers = body.parsedNumbers.map(nameOfRule);
  const withoutOther = { ...body, fields, parsedNumbers };
  if (!hasValue(body.fields, OTHER_SPELLING)) return withoutOther;

  const other = amountDebited.read(exactly(body, OTHER_SPELLING, sent));
  if (other !== null && !hasValue(fields, SPELLING)) {
    fields[SPELLING] = sent;
    const literals = once(() => {
      const { [OTHER_SPELLING]: literal, ...others } = body.literals();
      return { ...others, [SPELLING]: literal };
    });
    return { ...withoutOther, literals };
  }
  const amount = amountDebited.read(exactly(body, SPELLING, fields[SPELLING]));
  if (amount !== null && other?.equals(amount)) return withoutOther;
  const fault = hasValue(fields, SPELLING) ? conflict(body, amount, other) : faultOfOther(body);
  return { ...body, parsedNumbers, knownFault: { name: SPELLING, issue: fault } };
}

function explainField(body: OpenBody, name: string): Fault {
  const sent = body.fields[name];
  return explain(amountDebited, sent, exactly(body, name, sent));
}

function faultOfOther(body: OpenBody): NotificationIssue {
  const { code, expected, received } = explainField(body, OTHER_SPELLING);
  return issue(code, [OTHER_SPELLING], expected, received);
}

function conflict(body: OpenBody, amount: Decimal | null, other: Decimal | null) {
  const show = (name: string, read: Decimal | null): string =>
    read === null
      ? `${explainField(body, name).received}, which can't be used`
      : quoteLiteral(String(read));
  const expected = `the same amount as in ${OTHER_SPELLING} (${show(OTHER_SPELLING, other)})`;
  return issue('conflicting_fields', [SPELLING], expected, show(SPELLING, amount));
}
