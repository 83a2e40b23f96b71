import type { Inspection } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { findDifferences } from '../../../src/inspect/relations';
import { MarkedText } from './MarkedText';
import { printable } from './marks';
import { MARKS } from './outcome';
import { relate, sidesOf } from './rows';

/** A reader needs no more differences than this. */
const MOST = 50;

interface Props {
  readonly one: Inspection;
  readonly other: Inspection;
}

export function BodyComparison({ one, other }: Props): VNode {
  const found = findDifferences(one, other);
  const { outcome, text } = relate(one, other, found);
  return (
    <section aria-labelledby="comparison">
      <h2 id="comparison">Compared</h2>
      <p class={`verdict ${outcome}`} role="status" data-test="relation">
        <span aria-hidden="true">{MARKS[outcome]}</span> {text}
      </p>
      {found.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">first body</th>
              <th scope="col">second body</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, MOST).map((field) => (
              <tr key={field.name} data-difference={field.name.slice(0, 80)}>
                <th scope="row">
                  {printable(field.name, 80)}
                  {field.isEncoding && (
                    <span class="remark">the same value, encoded differently</span>
                  )}
                </th>
                {sidesOf(field).map((segments, index) => (
                  <td key={index} class="raw">
                    <MarkedText segments={segments} mark="differs" title="not in the other body" />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > MOST && <p>{found.length - MOST} more differ.</p>}
    </section>
  );
}
