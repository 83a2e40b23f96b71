import type { JSX } from 'preact';
import { formatCount, shorten } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import { MEANINGS } from './data';
import { type Row, toRows } from './rows';

/** Every field: what it means, what was read and, where that looks unlike it, what was sent. */
export function Fields({ inspection }: { readonly inspection: Inspection }): JSX.Element | null {
  const { rows, more } = toRows(inspection);
  if (rows.length === 0) return null;
  const meanings = inspection.type === null ? {} : MEANINGS[inspection.type];
  const listed = new Set(rows.map(({ name }) => name));
  const absent = inspection.absent.filter((name) => !listed.has(name));
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">Fields</h2>
      <dl class="fields">
        {rows.map((row) => (
          <FieldRow key={row.name} row={row} meaning={meanings[row.name] ?? ''} />
        ))}
      </dl>
      {more > 0 && (
        <p>
          … and {formatCount(more)} more: use <code>inspect</code>.
        </p>
      )}
      {absent.length > 0 && (
        <p>
          <strong>Not sent:</strong> {absent.join(', ')}
        </p>
      )}
    </section>
  );
}

function FieldRow({ row, meaning }: { readonly row: Row; readonly meaning: string }): JSX.Element {
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
        {sent && <Sent parts={sent} />}
        {remarks.map(({ kind, text }) => (
          <p key={text} class={`remark ${kind}`}>
            {shorten(text)}
          </p>
        ))}
      </dd>
    </div>
  );
}

function Sent({ parts: [kept, lost, rest] }: { readonly parts: NonNullable<Row['sent']> }) {
  return (
    <p class="value sent">
      <small>sent as</small>
      {shorten(kept)}
      {lost && <mark>{shorten(lost)}</mark>}
      {shorten(rest)}
    </p>
  );
}

/** Text with code in backquotes. */
function withCode(text: string): (JSX.Element | string)[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
