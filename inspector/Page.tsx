import type { JSX } from 'preact';
import type { JsonFault } from '../src/inspect/index';
import { AtAGlance } from './AtAGlance';
import { Faults, Fields } from './Fields';
import { Identifiers, Result } from './Result';
import { announcementOf, type Event, type State } from './state';

interface Properties {
  readonly state: State;
  readonly handle: (event: Event) => void;
  readonly onFile: (file: File) => void;
  readonly onShow: (fault: JsonFault) => void;
}

export function Page({ state, handle, onFile, onShow }: Properties): JSX.Element {
  const { text, inspection } = state;
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
          Read what a payment callback says. <strong>Nothing leaves this page.</strong>
        </p>
      </header>
      <main>
        <Input state={state} handle={handle} onFile={onFile} />
        <div class="answer">
          <Result state={state} handle={handle} />
          {inspection && (
            <>
              <Faults inspection={inspection} onShow={text === '' ? null : onShow} />
              <Identifiers state={state} handle={handle} />
              <AtAGlance inspection={inspection} />
              <Fields inspection={inspection} />
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

function Input({ state, handle, onFile }: Omit<Properties, 'onShow'>): JSX.Element {
  function clear(): void {
    handle({ type: 'cleared' });
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
          <label for="box">Callback body</label>
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
        placeholder="Paste the body of a callback"
        value={state.text}
        onInput={({ currentTarget }) => handle({ type: 'given', text: currentTarget.value })}
      />
      {state.notice && <p class="notice">{state.notice}</p>}
    </section>
  );
}
