import type { JSX } from 'preact';
import { MARKS } from '../src/inspect/display';
import type { Action, State } from './state';

interface ResultProps {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
}

/** The one sentence, and whether support can stop reading. */
export function Result({ state, dispatch }: ResultProps): JSX.Element {
  const { inspection } = state;
  if (inspection === null) return <Welcome />;
  const { outcome, summary, type } = inspection;
  return (
    <section class={`verdict ${outcome}`} aria-label="Verdict">
      <p class="label">
        <span>
          <span class="mark" aria-hidden="true">
            {MARKS[outcome]}
          </span>
          <strong>{outcome}</strong>
          {type && ` · ${type.replace('.', ' ')}`}
        </span>
        <CopyButton text={summary} what="sentence" state={state} dispatch={dispatch} />
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

function Welcome(): JSX.Element {
  return (
    <section class="verdict none" aria-label="Verdict">
      <p class="sentence">Nothing to inspect yet</p>
      <p>Paste the body of one webhook, from its first brace to its last. Or open a file.</p>
      <p>
        For several webhooks, use <code>npx payment-notifications inspect</code>.
      </p>
    </section>
  );
}

/** What to look the event up by, elsewhere. */
export function Identifiers({ state, dispatch }: ResultProps): JSX.Element | null {
  const { idempotencyKey: key = null, reference = {} } = state.inspection ?? {};
  const all = Object.entries({ ...reference, ...(key && { 'idempotency key': key }) });
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="identifiers">
      <h2 id="identifiers">Identifiers</h2>
      <dl class="identifiers">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
              <CopyButton text={value} what={name} state={state} dispatch={dispatch} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface Copied extends ResultProps {
  readonly text: string;
  /** For those who can't see what the button stands next to. */
  readonly what: string;
}

function CopyButton({ text, what, state: { copied }, dispatch }: Copied): JSX.Element {
  async function copy(): Promise<void> {
    try {
      // A page from a server without TLS has no clipboard.
      await navigator.clipboard.writeText(text);
      dispatch({ type: 'copied', what, isDone: true });
    } catch {
      dispatch({ type: 'copied', what, isDone: false });
    }
  }
  const done = copied?.isDone ? 'Copied' : 'Not copied';
  return (
    <button class="copy" type="button" onClick={copy}>
      {copied?.what === what ? done : 'Copy'}
      <span class="visually-hidden"> {what}</span>
    </button>
  );
}
