// An inspection as rows of text: one per field, and one per difference of two bodies.
import type { NotificationIssue } from 'payment-notifications';
import type { InspectedField, Inspection } from 'payment-notifications/inspect';
import { DEPOSIT_RECEIVED } from '../../../src/deposit-received';
import type { Rules } from '../../../src/internal/rules';
import { DEDUCED } from '../../../src/wire/sample';
import { WITHDRAWAL_BROADCAST } from '../../../src/withdrawal-broadcast';
import { markDifference, markLostDigits, printable, type Segment } from './marks';
import type { Outcome } from './outcome';

interface Remark {
  readonly kind: 'fault' | 'warning' | 'note';
  readonly text: string;
}

export interface Row {
  readonly name: string;
  readonly raw: readonly Segment[];
  readonly parsed: readonly (readonly [label: string, value: string])[];
  readonly remarks: readonly Remark[];
}

export function issuesOf({
  issues,
  warnings,
}: Inspection): { readonly kind: 'fault' | 'warning'; readonly issue: NotificationIssue }[] {
  return [
    ...issues.map((issue) => ({ kind: 'fault', issue }) as const),
    ...warnings.map((issue) => ({ kind: 'warning', issue }) as const),
  ];
}

/** Absent fields with a fault, then the first of those that were sent. */
export function toRows(inspection: Inspection, most: number): Row[] {
  const remarks = new Map<string, Remark[]>();
  for (const { kind, issue } of issuesOf(inspection)) {
    const [name] = issue.path;
    if (name === undefined) continue;
    remarks.set(name, [...(remarks.get(name) ?? []), { kind, text: issue.message }]);
  }
  const sent = new Set(inspection.fields.map(({ name }) => name));
  const missing = [...remarks.keys()].filter((name) => !sent.has(name));
  return [
    ...missing.map((name) => ({
      name,
      raw: [{ text: 'not sent', isMarked: false }],
      parsed: [],
      remarks: remarks.get(name) ?? [],
    })),
    ...inspection.fields.slice(0, most).map((field) => toRow(field, remarks.get(field.name) ?? [])),
  ];
}

function toRow(field: InspectedField, remarks: readonly Remark[]): Row {
  const { name, raw, quirks } = field;
  const isLost = quirks.some(({ code }) => code === 'lost_digits');
  const notes = quirks.map(({ note }) => ({ kind: 'note' as const, text: note }));
  return {
    name,
    raw: isLost ? markLostDigits(raw) : [{ text: printable(raw), isMarked: false }],
    parsed: toParsed(field),
    remarks: [...remarks, ...notes],
  };
}

/** The same words as in the output of the command. */
function toParsed({ name, raw, parsed }: InspectedField): [label: string, value: string][] {
  if (parsed === null) return [['', raw === 'null' || raw === '""' ? 'no value' : 'not read']];
  if (typeof parsed === 'object' && ['toTxAddress', 'txAddressOwner'].includes(name)) {
    const { raw: _, additionalFields: __, ...parts } = parsed as Record<string, unknown>;
    return Object.entries(parts).map(([part, value]) => [
      part === 'destinationTag' ? 'destination tag' : printable(part, 80),
      value === null ? 'none' : printable(String(value)),
    ]);
  }
  return [['', printable(typeof parsed === 'string' ? parsed : JSON.stringify(parsed))]];
}

export interface Difference {
  readonly name: string;
  readonly sides: readonly (readonly Segment[])[];
  /** Whether both have the same value in different encodings. */
  readonly isEncoding: boolean;
}

/** The fields whose text differs, those with different values first. */
export function differencesOf(one: Inspection, other: Inspection): Difference[] {
  const [ones, others] = [one, other].map(
    ({ fields }) => new Map(fields.map((field) => [field.name, field])),
  );
  const names = [...new Set([...one.fields, ...other.fields].map(({ name }) => name))];
  const found = names.flatMap((name) => {
    const [left, right] = [ones?.get(name), others?.get(name)];
    if (left?.raw === right?.raw) return [];
    const same = JSON.stringify(left?.parsed ?? null) === JSON.stringify(right?.parsed ?? null);
    const isRead = ![left, right].some((side) => side && toParsed(side)[0]?.[1] === 'not read');
    const [a, b] = [left?.raw ?? 'not sent', right?.raw ?? 'not sent'];
    const sides = [markDifference(a, b), markDifference(b, a)];
    return [{ name, sides, isEncoding: same && isRead }];
  });
  return found.sort((a, b) => Number(a.isEncoding) - Number(b.isEncoding));
}

export interface Relation {
  readonly outcome: Outcome;
  readonly text: string;
}

/** By type. */
const RULES: Readonly<Record<string, Rules>> = {
  'deposit.received': DEPOSIT_RECEIVED,
  'withdrawal.broadcast': WITHDRAWAL_BROADCAST,
};

/** What a withdrawal moved, which the service doesn't require. */
const MOVED = ['actualWithdrawAmount', 'deductedSettlementAmount', DEDUCED];

/**
 * Says whether two bodies report one event, and agree on it. They contradict each other if a field
 * that identifies the event or says what moved is another one.
 */
export function relate(one: Inspection, other: Inspection, found: readonly Difference[]): Relation {
  const refused = [one, other].filter(({ verdict }) => verdict === 'refused').length;
  if (refused > 0) {
    const which = refused === 1 ? 'One of the two bodies is' : 'Both bodies are';
    const text = `${which} refused, so nothing shows whether they report one event.`;
    return { outcome: 'review', text };
  }
  if (one.idempotencyKey !== other.idempotencyKey) {
    return { outcome: 'review', text: 'Two events, with different idempotency keys.' };
  }
  const others = found.filter(({ isEncoding }) => !isEncoding);
  const rules = RULES[`${one.type}`] ?? {};
  if (others.length > 0) {
    const isContradiction = others.some(
      ({ name }) => rules[name]?.need === 'required' || MOVED.includes(name),
    );
    const verb = isContradiction ? 'contradict each other' : 'differ';
    const text = `One event, but the two bodies ${verb} in ${plural(others.length, 'field')}.`;
    return { outcome: isContradiction ? 'refused' : 'review', text };
  }
  const text =
    found.length === 0 ? 'One event, and the same body.' : 'One event, encoded differently.';
  return { outcome: 'good', text };
}

export function plural(number: number, what: string): string {
  return `${digits(number)} ${what}${number === 1 ? '' : 's'}`;
}

const GROUPED = new Intl.NumberFormat('en');

/** Shows a count, such as 10,000. `toLocaleString` would make a new format for each one. */
export function digits(number: number): string {
  return GROUPED.format(number);
}
