// An inspection as rows of text, one for each field.
import { displayValue, isAsSent } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import type { NotificationIssue } from '../src/parser/errors';

/** A hostile body may have thousands of fields. */
const MAX_ROWS = 200;

export interface Row {
  readonly name: string;
  /** What was read: parts of an address have a label. */
  readonly read: readonly (readonly [label: string, value: string])[];
  /** What was sent, if it looks unlike what was read, with the digits that a double loses. */
  readonly sent: readonly [kept: string, lost: string, rest: string] | null;
  readonly remarks: readonly Remark[];
}

interface Remark {
  readonly kind: 'fault' | 'warning' | 'note';
  readonly text: string;
}

/** Every fault and warning of a body. */
export function listFaults({
  issues,
  warnings,
}: Inspection): { readonly kind: 'fault' | 'warning'; readonly issue: NotificationIssue }[] {
  return [
    ...issues.map((issue) => ({ kind: 'fault', issue }) as const),
    ...warnings.map((issue) => ({ kind: 'warning', issue }) as const),
  ];
}

/** Faulty fields that were not sent, then the sent fields, and how many of these have no row. */
export function toRows(inspection: Inspection): { readonly rows: Row[]; readonly more: number } {
  const { fields } = inspection;
  const remarks = new Map<string, Remark[]>();
  for (const { kind, issue } of listFaults(inspection)) {
    const [name] = issue.path;
    if (name === undefined) continue;
    const text = `expected ${issue.expected}, received ${issue.received}`;
    remarks.set(name, [...(remarks.get(name) ?? []), { kind, text }]);
  }
  const sent = new Set(fields.map(({ name }) => name));
  const missing = [...remarks].flatMap(([name, remarks]): Row[] =>
    sent.has(name) ? [] : [{ name, read: [['', 'not sent']], sent: null, remarks }],
  );
  const rows = fields.slice(0, MAX_ROWS).map((field): Row => {
    const { name, raw, quirks } = field;
    const notes = quirks.map(({ note }) => ({ kind: 'note' as const, text: note }));
    const read = displayValue(field);
    const isRounded = quirks.some(({ code }) => code === 'lost_digits');
    const asSent = isAsSent(raw, read) ? null : ([raw, '', ''] as const);
    return {
      name,
      read,
      sent: isRounded ? splitLostDigits(raw) : asSent,
      remarks: [...(remarks.get(name) ?? []), ...notes],
    };
  });
  return { rows: [...missing, ...rows], more: Math.max(0, fields.length - MAX_ROWS) };
}

/** Splits a number literal into what a double keeps, the digits that it loses, and the rest. */
export function splitLostDigits(literal: string): [kept: string, lost: string, rest: string] {
  const kept = significantDigits(String(Number(literal)));
  const [mantissa = ''] = literal.split(/e/i);
  let matched = 0;
  let isLeading = true;
  for (const [at, character] of [...mantissa].entries()) {
    if (!/\d/.test(character) || (isLeading && character === '0')) continue;
    isLeading = false;
    if (character !== (kept[matched] ?? '0')) {
      return [literal.slice(0, at), mantissa.slice(at), literal.slice(mantissa.length)];
    }
    matched += 1;
  }
  return [literal, '', ''];
}

function significantDigits(literal: string): string {
  return literal.replace(/e.*/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
}
