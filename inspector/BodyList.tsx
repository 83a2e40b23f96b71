import type { JSX } from 'preact';
import { count, printable } from './marks';
import type { Bodies, Body } from './reading';
import type { Event } from './state';
import { MARKS } from './Verdict';

interface Properties {
  readonly list: Bodies;
  readonly picked: number;
  readonly handle: (event: Event) => void;
}

/** Several bodies, each in one sentence. The arrow keys and the mouse choose one. */
export function BodyList({ list, picked, handle }: Properties): JSX.Element {
  const { bodies, more, otherLines } = list;
  return (
    <section class="bodies" aria-labelledby="bodies">
      <h2 id="bodies">
        {(bodies.length + more).toLocaleString('en')} bodies <small>{countsOf(bodies)}</small>
      </h2>
      <div class="list" role="radiogroup" aria-labelledby="bodies">
        {bodies.map((body, index) => (
          <Line
            key={index}
            body={body}
            isPicked={index === picked}
            onPick={() => handle({ type: 'picked', index })}
          />
        ))}
      </div>
      {more > 0 && (
        <p>
          … and {more.toLocaleString('en')} more: use <code>inspect</code>.
        </p>
      )}
      {otherLines > 0 && <p>{count(otherLines, 'line')} without a body.</p>}
    </section>
  );
}

function countsOf(bodies: readonly Body[]): string {
  const counts = { good: 0, review: 0, bad: 0 };
  for (const { outcome } of bodies) counts[outcome] += 1;
  const words = { good: 'good', review: 'to review', bad: 'refused' };
  return (['good', 'review', 'bad'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${words[outcome]}`)
    .join(' · ');
}

interface LineProperties {
  readonly body: Body;
  readonly isPicked: boolean;
  readonly onPick: () => void;
}

function Line({ body, isPicked, onPick }: LineProperties): JSX.Element {
  const { line, outcome, summary, relation } = body;
  return (
    <label class={outcome}>
      <input type="radio" name="body" checked={isPicked} onChange={onPick} />
      <span class="number">{line}</span>
      <span class="mark" aria-hidden="true">
        {MARKS[outcome]}
      </span>
      <span>
        <span class="visually-hidden">{outcome}: </span>
        {printable(summary)}
        {relation && <em class={relation.kind}>{relation.text}</em>}
      </span>
    </label>
  );
}
