import type { JSX } from 'preact';
import { AtAGlance } from './AtAGlance';
import { BodyList } from './BodyList';
import { Faults } from './Faults';
import { Fields } from './Fields';
import { Identifiers } from './Identifiers';
import { Input } from './Input';
import { isList } from './reading';
import { announcementOf, type Event, inspectionOf, type State } from './state';
import { Verdict } from './Verdict';

interface Properties {
  readonly state: State;
  readonly handle: (event: Event) => void;
  readonly onFile: (file: File) => void;
}

export function Page({ state, handle, onFile }: Properties): JSX.Element {
  const { reading, picked, copied } = state;
  const inspection = inspectionOf(state);
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
        <div class="side">
          <Input state={state} handle={handle} onFile={onFile} />
          {isList(reading) && <BodyList list={reading} picked={picked} handle={handle} />}
        </div>
        <div class="answer">
          <Verdict state={state} inspection={inspection} handle={handle} />
          {inspection && (
            <>
              <Faults inspection={inspection} />
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
