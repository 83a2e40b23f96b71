import type { JSX } from 'preact';
import type { JsonFault } from '../src/inspect/index';
import { AtAGlance } from './AtAGlance';
import { Faults } from './Faults';
import { Fields } from './Fields';
import { Identifiers } from './Identifiers';
import { Input } from './Input';
import { announcementOf, type Event, type State } from './state';
import { Verdict } from './Verdict';

interface Properties {
  readonly state: State;
  readonly handle: (event: Event) => void;
  readonly onFile: (file: File) => void;
  readonly onShow: (fault: JsonFault) => void;
}

export function Page({ state, handle, onFile, onShow }: Properties): JSX.Element {
  const { text, inspection, copied } = state;
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
          <Verdict state={state} handle={handle} />
          {inspection && (
            <>
              <Faults inspection={inspection} onShow={text === '' ? null : onShow} />
              <Identifiers inspection={inspection} copied={copied} handle={handle} />
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
