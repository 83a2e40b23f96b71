import type { JSX } from 'preact';
import { shorten } from '../src/inspect/display';
import type { Inspection } from '../src/inspect/index';
import { type Moment, type Money, toMoments, toMoney } from './picture';

/** The times and the amounts of an event as a picture. */
export function AtAGlance({ inspection }: { readonly inspection: Inspection }): JSX.Element | null {
  const money = toMoney(inspection);
  if (inspection.outcome === 'refused' || money.length === 0) return null;
  return (
    <section aria-labelledby="glance">
      <h2 id="glance">At a glance</h2>
      <Times moments={toMoments(inspection)} />
      <div class="money">
        {money.map((one) => (
          <Bars key={one.what} money={one} />
        ))}
      </div>
    </section>
  );
}

function Times({ moments }: { readonly moments: readonly Moment[] }): JSX.Element | null {
  if (moments.length === 0) return null;
  return (
    <ol class="times">
      {moments.map(({ label, time, after, share }) => (
        // As wide as the time until the next one, but not narrower than the text.
        <li key={label} style={{ flexGrow: share }}>
          <strong>{label}</strong>
          <small>{time}</small>
          {after && <small>{after}</small>}
        </li>
      ))}
    </ol>
  );
}

function Bars({ money: { currency, what, bars } }: { readonly money: Money }): JSX.Element {
  return (
    <div>
      <h3>
        {what} <small>{shorten(currency, 20)}</small>
      </h3>
      <dl>
        {bars.map(({ label, amount, note, share, isFee }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {amount}
              <span class={isFee ? 'bar fee' : 'bar'} aria-hidden="true">
                <span style={{ width: `${share * 100}%` }} />
              </span>
              {note && <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
