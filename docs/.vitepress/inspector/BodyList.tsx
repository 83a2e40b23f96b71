import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Relation } from '../../../src/inspect/relations';
import { type ArchiveState, type Counts, type Entry, outcomeIn } from './archive';
import { printable } from './marks';
import { MARKS, type Outcome } from './outcome';
import { digits, plural } from './rows';

/** Lines drawn at first. Ten fit in the list. */
const PAGE = 50;
const MORE = 200;

interface Props {
  readonly state: ArchiveState;
  /** Its body is shown below the list. */
  readonly picked: Entry | null;
  readonly filter: string;
  readonly onPick: (entry: Entry) => void;
  readonly onFilter: (text: string) => void;
}

/** The bodies of an archive, each in one sentence. */
export function BodyList({ state, picked, filter, onPick, onFilter }: Props): VNode {
  const { counts, hits, relations } = state;
  const isDone = state.isDone && state.filter === filter;
  const [shown, setShown] = useState(PAGE);
  const left = hits.length - shown;
  return (
    <section aria-labelledby="bodies" aria-busy={!isDone} data-test="bodies">
      <h2 id="bodies">{plural(counts.lines, 'line')}</h2>
      <p class="counts" role="status">
        {isDone ? toText(counts) : 'Reading…'}
        {isDone && filter.trim() !== '' && `. ${plural(hits.length, 'line')} with this text`}
      </p>
      <label class="filter">
        <span>Filter</span>
        <input
          type="search"
          value={filter}
          placeholder="an order, an address, refused…"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            setShown(PAGE);
            onFilter(currentTarget.value);
          }}
        />
      </label>
      <div
        class="list"
        role="radiogroup"
        aria-labelledby="bodies"
        // A line that isn't drawn again would keep an earlier handler.
        onChange={({ target }) => {
          const { value } = target as HTMLInputElement;
          const entry = hits.find(({ id }) => String(id) === value);
          if (entry !== undefined) onPick(entry);
        }}
      >
        {hits.slice(0, shown).map((entry) => (
          <Line
            key={entry.id}
            entry={entry}
            outcome={outcomeIn(entry, relations)}
            relations={relations.get(entry.id)}
            isPicked={entry === picked}
          />
        ))}
      </div>
      {left > 0 && (
        <button type="button" onClick={() => setShown(shown + MORE)}>
          Show more: {plural(left, 'line')} left
        </button>
      )}
    </section>
  );
}

interface LineProps {
  readonly entry: Entry;
  readonly outcome: Outcome;
  readonly relations: readonly Relation[] | undefined;
  readonly isPicked: boolean;
}

function Line({ entry, outcome, relations, isPicked }: LineProps): VNode {
  // While somebody types into the filter, most lines stay as they are.
  return useMemo(
    () => (
      <label class={outcome} data-line={entry.line}>
        <input type="radio" name="line" value={entry.id} checked={isPicked} />
        <span class="line">{entry.line}</span>
        <span class="mark" aria-hidden="true">
          {MARKS[outcome]}
        </span>
        <span class="summary">
          <span class="visually-hidden">{entry.verdict}: </span>
          {printable(entry.summary)}
        </span>
        {relations !== undefined && (
          <span class="relations">
            {relations.map(({ kind, text }) => (
              <span key={text} class={kind}>
                {text}
              </span>
            ))}
          </span>
        )}
      </label>
    ),
    [entry, relations, isPicked],
  );
}

/** In the words of the command `check`. */
function toText(counts: Counts): string {
  const { valid, warnings, contradicting, withdrawals, refused, blank, other } = counts;
  const parts = {
    valid,
    'valid, with warnings': warnings,
    'contradict each other': contradicting,
    refused,
    blank,
    'without a body': other,
    [`withdrawal${withdrawals === 1 ? '' : 's'} with several statuses`]: withdrawals,
  };
  return Object.entries(parts)
    .filter(([, count]) => count > 0)
    .map(([label, count]) => `${digits(count)} ${label}`)
    .join('; ');
}
