// An inspection as rows of text, one for each field.
import { displayValue, isAsSent } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import type { NotificationIssue } from '../src/parser/errors';

export interface TextRow {
  readonly name: string;
  /** What was read: parts of an address have a label. */
  readonly read: readonly (readonly [label: string, value: string])[];
  /** What was sent, if it looks unlike what was read. */
  readonly sent: string | null;
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

/** Faulty fields that were not sent, then the sent fields. */
export function toRows(inspection: Inspection): TextRow[] {
  const { fields } = inspection;
  const remarks = new Map<string, Remark[]>();
  for (const { kind, issue } of listFaults(inspection)) {
    const [name] = issue.path;
    if (name === undefined) continue;
    const text = `expected ${issue.expected}, received ${issue.received}`;
    remarks.set(name, [...(remarks.get(name) ?? []), { kind, text }]);
  }
  const sent = new Set(fields.map(({ name }) => name));
  const missing = [...remarks].flatMap(([name, remarks]): TextRow[] =>
    sent.has(name) ? [] : [{ name, read: [['', 'not sent']], sent: null, remarks }],
  );
  const rows = fields.map((field): TextRow => {
    const { name, raw, quirks } = field;
    const notes = quirks.map(({ note }) => ({ kind: 'note' as const, text: note }));
    const read = displayValue(field);
    return {
      name,
      read,
      sent: isAsSent(raw, read) ? null : raw,
      remarks: [...(remarks.get(name) ?? []), ...notes],
    };
  });
  return [...missing, ...rows];
}
