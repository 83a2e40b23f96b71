import type { JSX } from 'preact';
import { plural, shorten } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import type { NotificationType } from '../src/parser/errors';
import { nameOfPath } from '../src/parser/messages';
import { nameOfRule } from '../src/parser/spelling';
import { listFaults, type TextRow, toRows } from './rows';

/**
 * By the type of the notification and the name of the field, with code in backquotes.
 * scripts/inspector.ts puts it here.
 */
declare const MEANINGS: Readonly<Record<NotificationType, Readonly<Record<string, string>>>>;

/** Why a body is refused, and what else to check. */
export function Faults({ inspection }: { readonly inspection: Inspection }): JSX.Element | null {
  const { issues, warnings, jsonFault: fault } = inspection;
  const counts = [
    ...(issues.length > 0 ? [plural(issues.length, 'fault')] : []),
    ...(warnings.length > 0 ? [plural(warnings.length, 'warning')] : []),
  ];
  if (counts.length === 0) return null;
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">{counts.join(' and ')}</h2>
      <ol class="faults">
        {listFaults(inspection).map(({ kind, issue: { code, path, expected, received } }) => (
          <li key={`${path}`} class={kind}>
            <strong>{nameOfPath(path)}</strong> expected {expected}, received {received}{' '}
            <code>{code}</code>
          </li>
        ))}
      </ol>
      {fault && (
        <p class="place">
          Line {fault.line}, column {fault.column}:{' '}
          <code>
            {fault.before}
            <mark>{fault.after || 'it ends here'}</mark>
          </code>
        </p>
      )}
    </section>
  );
}

/** Every field: what it means, what was read and, if it looks different, what was sent. */
export function FieldList({ inspection }: { readonly inspection: Inspection }): JSX.Element | null {
  const rows = toRows(inspection);
  if (rows.length === 0) return null;
  const meanings = inspection.type === null ? {} : MEANINGS[inspection.type];
  const listed = new Set(rows.map(({ name }) => name));
  const absent = inspection.absent.filter((name) => !listed.has(name));
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">Fields</h2>
      <dl class="fields">
        {rows.map((row) => (
          <FieldRow key={row.name} row={row} meaning={meanings[nameOfRule(row.name)] ?? ''} />
        ))}
      </dl>
      {absent.length > 0 && (
        <p>
          <strong>Not sent:</strong> {absent.join(', ')}
        </p>
      )}
    </section>
  );
}

function FieldRow({
  row,
  meaning,
}: {
  readonly row: TextRow;
  readonly meaning: string;
}): JSX.Element {
  const { name, read, sent, remarks } = row;
  return (
    <div data-field={shorten(name, 80)}>
      <dt>
        <strong>{shorten(name, 80)}</strong>
        {meaning && <small>{withCode(meaning)}</small>}
      </dt>
      <dd>
        {read.map(([label, value]) => (
          <p key={label} class="value">
            {label && <small>{shorten(label, 80)}</small>}
            {shorten(value)}
          </p>
        ))}
        {sent !== null && (
          <p class="value sent">
            <small>sent as</small>
            {shorten(sent)}
          </p>
        )}
        {remarks.map(({ kind, text }) => (
          <p key={text} class={`remark ${kind}`}>
            {shorten(text)}
          </p>
        ))}
      </dd>
    </div>
  );
}

/** Text with code in backquotes. */
function withCode(text: string): (JSX.Element | string)[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
