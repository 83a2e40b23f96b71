import type { Inspection } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FieldMeaning, FieldMeanings } from '../../../scripts/pages/fields';
import { MarkedText } from './MarkedText';
import { printable } from './marks';
import type { Meanings } from './props';
import { plural, type Row, toRows } from './rows';

interface Props {
  readonly inspection: Inspection;
  readonly meanings: Meanings;
  /** How many of the sent fields to show. */
  readonly shown: number;
  readonly onMore: () => void;
}

export function Fields({ inspection, meanings, shown, onMore }: Props): VNode | null {
  const rows = toRows(inspection, shown);
  const own: FieldMeanings = inspection.type === null ? {} : meanings[inspection.type];
  const listed = new Set(rows.map(({ name }) => name));
  const absent = inspection.absent.filter((name) => !listed.has(name));
  const left = inspection.fields.length - shown;
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">Fields</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">raw</th>
            <th scope="col">parsed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <FieldRow key={row.name} row={row} meaning={own[row.name]} id={`meaning-${index}`} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" onClick={onMore}>
          Show more: {plural(left, 'field')} left
        </button>
      )}
      {absent.length > 0 && (
        <p class="absent">
          <strong>Not sent:</strong> {absent.join(', ')}
        </p>
      )}
    </section>
  );
}

interface FieldRowProps {
  readonly row: Row;
  readonly meaning: FieldMeaning | undefined;
  readonly id: string;
}

function FieldRow({ row, meaning, id }: FieldRowProps): VNode {
  const { name, raw, parsed, remarks } = row;
  return (
    <tr tabIndex={-1} data-field={name.slice(0, 80)}>
      <th scope="row">
        {meaning === undefined ? (
          printable(name, 80)
        ) : (
          <FieldName name={name} meaning={meaning} id={id} />
        )}
      </th>
      <td class="raw">
        <MarkedText segments={raw} mark="lost" title="JSON.parse loses these digits" />
        {remarks.map(({ kind, text }, index) => (
          <span key={index} class={`remark ${kind}`}>
            {printable(text)}
          </span>
        ))}
      </td>
      <td class={parsed.length === 0 ? 'parsed nothing' : 'parsed'}>
        {parsed.map(([label, value]) => (
          <span key={label} class="value">
            {label && <small>{label} </small>}
            {value}
          </span>
        ))}
      </td>
    </tr>
  );
}

interface FieldNameProps {
  readonly name: string;
  readonly meaning: FieldMeaning;
  readonly id: string;
}

/** A name that shows what it means while the pointer or the focus is on it, and after a tap. */
function FieldName({ name, meaning, id }: FieldNameProps): VNode {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isShown = isHovered || isFocused;
  useEffect(() => {
    if (!isShown) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setHovered(false);
      setFocused(false);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isShown]);
  return (
    <span
      role="none"
      class="named"
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
    >
      <button
        type="button"
        class="name"
        aria-describedby={id}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        // A tap doesn't focus a button in every browser.
        onClick={({ currentTarget }) => {
          currentTarget.focus();
          setFocused(true);
        }}
      >
        {name}
      </button>
      <span role="tooltip" id={id} class="meaning" hidden={!isShown}>
        {withCode(meaning.meaning)}
        <small>
          {meaning.need.toLowerCase()}: {withCode(meaning.kind)}
        </small>
      </span>
    </span>
  );
}

/** Text with code in backquotes. */
function withCode(text: string): (VNode | string)[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
