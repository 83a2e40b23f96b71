// An inspection as rows of text: one per field, and one per difference of two bodies.
import type { NotificationIssue } from 'payment-notifications';
import type { InspectedField, Inspection } from 'payment-notifications/inspect';
import { type DifferentField, isContradiction } from '../../../src/inspect/relations';
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

/** The text of a field in both bodies, with what is not in the other one marked. */
export function sidesOf({
  raws: [one = 'not sent', other = 'not sent'],
}: DifferentField): [one: readonly Segment[], other: readonly Segment[]] {
  return [markDifference(one, other), markDifference(other, one)];
}

export interface Relation {
  readonly outcome: Outcome;
  readonly text: string;
}

/** Says whether two bodies report one event, and agree on it. */
export function relate(
  one: Inspection,
  other: Inspection,
  found: readonly DifferentField[],
): Relation {
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
  if (others.length > 0) {
    const isContrary = isContradiction(one, found);
    const verb = isContrary ? 'contradict each other' : 'differ';
    const text = `One event, but the two bodies ${verb} in ${plural(others.length, 'field')}.`;
    return { outcome: isContrary ? 'refused' : 'review', text };
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
