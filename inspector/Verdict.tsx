import type { JSX } from 'preact';
import type { Inspection } from '../src/inspect/index';
import type { Outcome } from '../src/inspect/outcome';
import { CopyButton } from './CopyButton';
import { SAMPLES } from './data';
import { type Body, isList } from './reading';
import { bodyOf, type Event, NO_BODY, type State } from './state';

export const MARKS: Readonly<Record<Outcome, string>> = { good: '✓', review: '!', bad: '✗' };

const WORDS: Readonly<Record<Outcome, string>> = { good: 'Good', review: 'Review', bad: 'Refused' };

const EVENTS = {
  'deposit.received': 'deposit received',
  'withdrawal.broadcast': 'withdrawal broadcast',
} as const;

interface Properties {
  readonly state: State;
  readonly inspection: Inspection | null;
  readonly handle: (event: Event) => void;
}

/** The one sentence, and whether support can stop reading. */
export function Verdict({ state, inspection, handle }: Properties): JSX.Element {
  const { reading, copied } = state;
  const body = bodyOf(state);
  if (body === null || inspection === null) {
    return reading.kind === 'other' ? (
      <NoBody likeness={reading.likeness} />
    ) : (
      <Welcome handle={handle} />
    );
  }
  const { outcome, relation } = body;
  const { summary, type } = inspection;
  return (
    <section class={`verdict ${outcome}`} aria-label="Verdict">
      <p class="label">
        <span>
          <span class="mark" aria-hidden="true">
            {MARKS[outcome]}
          </span>
          <strong>{WORDS[outcome]}</strong>
          {factsOf(body, type, state).map((fact) => ` · ${fact}`)}
        </span>
        <CopyButton text={summary} what="sentence" copied={copied} handle={handle} />
      </p>
      <p class="sentence">{summary}</p>
      {relation?.kind === 'contradicts' && (
        <p>
          <strong>It {relation.text}.</strong> Both report the same event, with different values.
          Ask the service which one is right.
        </p>
      )}
      {outcome !== 'bad' && (
        <p>
          <strong>Anyone can write such a body.</strong> This page doesn't know who sent it. Find
          the {type === 'withdrawal.broadcast' ? 'withdrawal' : 'deposit'} at the service before you
          act on it.
        </p>
      )}
    </section>
  );
}

/** What kind of body it is, and where it is from. */
function factsOf(body: Body, type: Inspection['type'], { reading, isSample }: State): string[] {
  const { line, place, relation } = body;
  return [
    type === null ? '' : EVENTS[type],
    isSample ? 'sample' : '',
    isList(reading) ? `line ${line}` : place && `${place}, line ${line}`,
    relation?.kind === 'repeats' ? relation.text : '',
  ].filter((fact) => fact !== '');
}

function NoBody({ likeness }: { readonly likeness: string }): JSX.Element {
  return (
    <section class="verdict none" aria-label="Verdict">
      <p class="sentence">{NO_BODY}</p>
      <p>It looks like {likeness}.</p>
      <p>
        A body is one JSON object, from its first brace to its last. If a part is missing, or
        something was changed in it, ask for the original.
      </p>
    </section>
  );
}

function Welcome({ handle }: Pick<Properties, 'handle'>): JSX.Element {
  return (
    <section class="verdict none" aria-label="Verdict">
      <p class="sentence">Nothing to inspect yet</p>
      <p>
        Paste the body of a callback: alone, in a line of a log, or many at a time. Or open a file
        of up to 1 MB.
      </p>
      <p>No body at hand? Pick a sample:</p>
      <p class="samples">
        {SAMPLES.map(({ label, text }) => (
          <button key={label} type="button" onClick={() => handle({ type: 'sampled', text })}>
            {label}
          </button>
        ))}
      </p>
    </section>
  );
}
