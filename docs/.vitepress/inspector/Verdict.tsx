import type { Inspection } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { MARKS, type Outcome } from './outcome';
import { plural } from './rows';

interface Props {
  readonly inspection: Inspection;
  readonly outcome: Outcome;
  /** Where the body is, such as `Line 3`. */
  readonly place: string;
  readonly isSample: boolean;
}

/** The sentence that support needs, and the verdict in few words. */
export function Verdict({ inspection, outcome, place, isSample }: Props): VNode {
  const { verdict, type, issues, warnings, summary } = inspection;
  const what = type ?? 'unknown notification';
  const words = {
    valid: `Valid, ${what}`,
    warnings: `Read, ${what}: ${plural(warnings.length, 'warning')}`,
    refused: `Refused, ${what}: ${plural(issues.length, 'fault')}`,
  };
  return (
    <div class={`verdict ${outcome}`} role="status" data-test="verdict" data-verdict={verdict}>
      {isSample && <p class="words">Sample:</p>}
      <p class="summary">
        <span aria-hidden="true">{MARKS[outcome]}</span> {summary}
      </p>
      <p class="words">
        {place === '' ? '' : `${place}: `}
        {words[verdict]}
      </p>
    </div>
  );
}
