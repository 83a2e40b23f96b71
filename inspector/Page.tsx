import type { JSX } from 'preact';
import { AtAGlance } from './AtAGlance';
import { Faults, FieldList } from './Fields';
import { Identifiers, Result } from './Result';
import { type Action, announcementOf, type State } from './state';

interface PageProps {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  readonly onFile: (file: File) => void;
}

export function Page({ state, dispatch, onFile }: PageProps): JSX.Element {
  const { inspection } = state;
  return (
    <>
      <header>
        <h1>
          <span class="logo" aria-hidden="true">
            {'{}'}
          </span>
          Inspector <small>payment-notifications</small>
        </h1>
        <p>
          Read what a payment webhook says. <strong>Nothing leaves this page.</strong>
        </p>
      </header>
      <main>
        <BodyBox state={state} dispatch={dispatch} onFile={onFile} />
        <div class="answer">
          <Result state={state} dispatch={dispatch} />
          {inspection && (
            <>
              <Faults inspection={inspection} />
              <Identifiers state={state} dispatch={dispatch} />
              <AtAGlance inspection={inspection} />
              <FieldList inspection={inspection} />
            </>
          )}
        </div>
      </main>
      <p class="visually-hidden" role="status">
        {announcementOf(state)}
      </p>
    </>
  );
}

function BodyBox({ state, dispatch, onFile }: PageProps): JSX.Element {
  function clear(): void {
    dispatch({ type: 'cleared' });
    document.getElementById('box')?.focus();
  }
  function openFile({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }): void {
    const [file] = input.files ?? [];
    if (file !== undefined) onFile(file);
    // Otherwise, the same file could not be opened again.
    input.value = '';
  }
  return (
    <section class="input" aria-label="Input">
      <div class="tools">
        <strong>
          <label for="box">Webhook body</label>
        </strong>
        <label class="button">
          <input id="file" type="file" onChange={openFile} />
          Open a file
        </label>
        <button id="clear" type="button" onClick={clear}>
          Clear
        </button>
      </div>
      <textarea
        id="box"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="Paste the body of a webhook"
        value={state.text}
        onInput={({ currentTarget }) => dispatch({ type: 'given', text: currentTarget.value })}
      />
      {state.notice && <p class="notice">{state.notice}</p>}
    </section>
  );
}
