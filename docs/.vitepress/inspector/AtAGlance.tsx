import type { Inspection } from 'payment-notifications/inspect';
import { Fragment, type VNode } from 'preact';
import { MarkedText } from './MarkedText';
import { printable } from './marks';
import { type Moment, toMoments, toMoney } from './picture';

/** Each as wide as the time until the next one, but not narrower than the text. */
function columnsOf(moments: readonly Moment[]): string {
  return moments
    .map(({ at }, index) => {
      const next = moments[index + 1];
      return next === undefined ? 'max-content' : `minmax(max-content, ${next.at - at}fr)`;
    })
    .join(' ');
}

export function AtAGlance({ inspection }: { readonly inspection: Inspection }): VNode | null {
  const moments = toMoments(inspection);
  const money = toMoney(inspection);
  if (moments.length === 0 && money.length === 0) return null;
  return (
    <section class="picture" aria-labelledby="picture">
      <h2 id="picture">At a glance</h2>
      {moments.length > 0 && (
        <ol class="times" style={{ gridTemplateColumns: columnsOf(moments) }}>
          {moments.map(({ label, time, after }) => (
            <li key={label}>
              <strong>{label}</strong> <span>{time}</span>
              {after && <em>{after}</em>}
            </li>
          ))}
        </ol>
      )}
      <div class="money">
        {money.map(({ currency, what, bars }) => (
          <section key={what}>
            <h3>
              {printable(currency, 20)} <small>{what}</small>
            </h3>
            <dl>
              {bars.map(({ label, amount, note, share, isFee }) => (
                <Fragment key={`${label}${isFee}`}>
                  <dt>{label}</dt>
                  <dd>
                    <span
                      class={isFee ? 'bar fee' : 'bar'}
                      aria-hidden="true"
                      style={{ width: `${share * 100}%` }}
                    />
                    <span class="amount">
                      <MarkedText segments={amount} mark="differs" title={note} />
                    </span>
                    {note && <small>{note}</small>}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  );
}
