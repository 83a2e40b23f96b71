import type { Inspection } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { issuesOf } from './rows';

interface Props {
  readonly inspection: Inspection;
  readonly onJump: (field: string) => void;
}

export function Remarks({ inspection, onJump }: Props): VNode | null {
  const remarks = issuesOf(inspection);
  const { jsonFault: fault } = inspection;
  if (remarks.length === 0) return null;
  return (
    <section aria-labelledby="remarks">
      <h2 id="remarks">Faults and warnings</h2>
      <ol class="remarks">
        {remarks.map(({ kind, issue: { code, path, message } }, index) => (
          <li key={index} class={kind} data-code={code} data-path={path.join('.')}>
            <code>{code}</code>
            {path[0] === undefined ? (
              <span>{message}</span>
            ) : (
              <button type="button" class="jump" onClick={() => onJump(path[0] ?? '')}>
                {message}
              </button>
            )}
          </li>
        ))}
      </ol>
      {fault && (
        <p class="place" data-test="place">
          Not valid JSON at line {fault.line}, column {fault.column}:
          <code>
            {fault.before}
            <mark class="lost" title="not valid JSON">
              {fault.after || ' '}
            </mark>
          </code>
        </p>
      )}
    </section>
  );
}
