import type { JSX } from 'preact';
import { MARKS } from '../src/inspect/display';
import { CopyButton } from './CopyButton';
import { SAMPLES } from './data';
import type { Event, State } from './state';

const EVENTS = {
  'deposit.received': 'deposit received',
  'withdrawal.broadcast': 'withdrawal broadcast',
} as const;

interface Properties {
  readonly state: State;
  readonly handle: (event: Event) => void;
}

/** The one sentence, and whether support can stop reading. */
export function Verdict({ state, handle }: Properties): JSX.Element {
  const { inspection, isSample, copied } = state;
  if (inspection === null) return <Welcome handle={handle} />;
  const { outcome, summary, type } = inspection;
  const facts = [...(type === null ? [] : [EVENTS[type]]), ...(isSample ? ['sample'] : [])];
  return (
    <section class={`verdict ${outcome}`} aria-label="Verdict">
      <p class="label">
        <span>
          <span class="mark" aria-hidden="true">
            {MARKS[outcome]}
          </span>
          <strong>{outcome}</strong>
          {facts.map((fact) => ` · ${fact}`)}
        </span>
        <CopyButton text={summary} what="sentence" copied={copied} handle={handle} />
      </p>
      <p class="sentence">{summary}</p>
      {outcome !== 'refused' && (
        <p>
          <strong>Anyone can write such a body.</strong> This page doesn't know who sent it. Find
          the {type === 'withdrawal.broadcast' ? 'withdrawal' : 'deposit'} at the service before you
          act on it.
        </p>
      )}
    </section>
  );
}

function Welcome({ handle }: Pick<Properties, 'handle'>): JSX.Element {
  return (
    <section class="verdict none" aria-label="Verdict">
      <p class="sentence">Nothing to inspect yet</p>
      <p>Paste the body of one callback, from its first brace to its last. Or open a file.</p>
      <p>
        For several bodies, use <code>npx payment-notifications inspect</code>.
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
