import type { OpenBody } from './body.js';
import type { NotificationIssue } from './errors.js';
import { issue, quoteLiteral } from './messages.js';
import { hasValue, withoutPrototype } from './objects.js';
import { explain } from './read.js';
import { type Decimal, nonNegativeAmount } from './values/amount.js';

/** The name of the amount debited in the service's sample body, and in the output. */
export const SPELLING = 'deductedSettlementAmount';

/** The name of the same field in the service's field table. */
export const OTHER_SPELLING = 'deducedSettlementAmount';

const TYPE = /* @__PURE__ */ nonNegativeAmount('string');

/**
 * Returns the body of a withdrawal with the amount debited under one name. If it was sent under
 * both, both must be the same amount. If the second can't be used, there is a fault, and each value
 * stays under the name that it was sent under.
 */
export function withOneSpelling(body: OpenBody): OpenBody {
  if (body.fields[OTHER_SPELLING] === undefined) return body;
  const { [OTHER_SPELLING]: sent, ...others } = body.fields;
  const fields = withoutPrototype(others);
  const parsedNumbers = body.parsedNumbers.map(nameOfRule);
  if (!hasValue(body.fields, OTHER_SPELLING)) return { ...body, fields };
  const literals = body.literals();
  const amount = TYPE.read(literals[SPELLING]);
  const otherAmount = TYPE.read(literals[OTHER_SPELLING]);
  const isAlone = !hasValue(fields, SPELLING);
  if (otherAmount !== null && (isAlone || amount?.equals(otherAmount))) {
    fields[SPELLING] = sent;
    const renamed = { ...literals, [SPELLING]: literals[OTHER_SPELLING] };
    return { ...body, fields, literals: () => renamed, parsedNumbers };
  }
  const fault = isAlone ? unreadable(body) : conflict(body, amount, otherAmount);
  return { ...body, parsedNumbers, faults: { [SPELLING]: fault } };
}

/** The name of a field's rule: the field's own, or that of its first spelling. */
export function nameOfRule(name: string): string {
  return name === OTHER_SPELLING ? SPELLING : name;
}

function unreadable(body: OpenBody): NotificationIssue {
  const { code, expected, received } = explainField(body, OTHER_SPELLING);
  return issue(code, [OTHER_SPELLING], expected, received);
}

function conflict(
  body: OpenBody,
  amount: Decimal | null,
  otherAmount: Decimal | null,
): NotificationIssue {
  const show = (name: string, read: Decimal | null): string =>
    read === null ? explainField(body, name).received : quoteLiteral(String(read));
  const expected = `the same amount as in ${OTHER_SPELLING} (${show(OTHER_SPELLING, otherAmount)})`;
  return issue('conflicting_fields', [SPELLING], expected, show(SPELLING, amount));
}

function explainField({ fields, literals }: OpenBody, name: string): ReturnType<typeof explain> {
  return explain(TYPE, fields[name], literals()[name]);
}
