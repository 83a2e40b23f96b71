// An inspection as rows of text, one for each field.

import type { InspectedField, Inspection } from '../src/inspect/index';
import type { NotificationIssue } from '../src/parser/errors';
import { splitLostDigits } from './marks';
import { isTime, toUtc } from './picture';

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
export function faultsOf({
  issues,
  warnings,
}: Inspection): { readonly kind: 'fault' | 'warning'; readonly issue: NotificationIssue }[] {
  return [
    ...issues.map((issue) => ({ kind: 'fault', issue }) as const),
    ...warnings.map((issue) => ({ kind: 'warning', issue }) as const),
  ];
}

/** Faulty fields that were not sent, then those that were, and how many more were. */
export function toRows(inspection: Inspection): { readonly rows: Row[]; readonly more: number } {
  const { fields } = inspection;
  const remarks = new Map<string, Remark[]>();
  for (const { kind, issue } of faultsOf(inspection)) {
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
    const { name, quirks } = field;
    const notes = quirks.map(({ note }) => ({ kind: 'note' as const, text: note }));
    const read = toRead(field);
    return {
      name,
      read,
      sent: toSent(field, read),
      remarks: [...(remarks.get(name) ?? []), ...notes],
    };
  });
  return { rows: [...missing, ...rows], more: Math.max(0, fields.length - MAX_ROWS) };
}

function toSent({ raw, quirks }: InspectedField, read: Row['read']): Row['sent'] {
  if (quirks.some(({ code }) => code === 'lost_digits')) return splitLostDigits(raw);
  const [[, value] = ['', ''], ...others] = read;
  const isSame = others.length === 0 && [raw, raw.slice(1, -1)].includes(value);
  return isSame ? null : [raw, '', ''];
}

/** The same words as in the output of the command. */
function toRead({ name, raw, parsed }: InspectedField): [label: string, value: string][] {
  if (parsed === null) return [['', raw === 'null' || raw === '""' ? 'no value' : 'not read']];
  if (typeof parsed === 'object' && ['toTxAddress', 'txAddressOwner'].includes(name)) {
    const { raw: _, additionalFields: __, ...parts } = parsed as Record<string, unknown>;
    return Object.entries(parts).map(([part, value]) => [
      part === 'destinationTag' ? 'destination tag' : part,
      value === null ? 'none' : String(value),
    ]);
  }
  const text = typeof parsed === 'string' ? parsed : JSON.stringify(parsed);
  return [['', isTime(name) ? toUtc(text) : text]];
}
