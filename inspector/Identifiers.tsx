import type { JSX } from 'preact';
import type { Inspection } from '../src/inspect/index';
import { CopyButton } from './CopyButton';
import type { Event, State } from './state';

interface Properties {
  readonly inspection: Inspection;
  readonly copied: State['copied'];
  readonly handle: (event: Event) => void;
}

/** What to look the event up by, elsewhere. */
export function Identifiers({ inspection, copied, handle }: Properties): JSX.Element | null {
  const { idempotencyKey: key, reference } = inspection;
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
              <CopyButton text={value} what={name} copied={copied} handle={handle} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
