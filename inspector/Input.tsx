import type { JSX } from 'preact';
import type { Event, State } from './state';

interface Properties {
  readonly state: State;
  readonly handle: (event: Event) => void;
  readonly onFile: (file: File) => void;
}

export function Input({ state, handle, onFile }: Properties): JSX.Element {
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
