import type { JSX } from 'preact';
import type { Inspection } from '../src/inspect/index';
import { count } from './marks';
import { faultsOf } from './rows';

/** Why a body is refused, and what else to review. */
export function Faults({ inspection }: { readonly inspection: Inspection }): JSX.Element | null {
  const { issues, warnings, jsonFault: fault } = inspection;
  const counts = [
    ...(issues.length > 0 ? [count(issues.length, 'fault')] : []),
    ...(warnings.length > 0 ? [count(warnings.length, 'warning')] : []),
  ];
  if (counts.length === 0) return null;
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">{counts.join(' and ')}</h2>
      <ol class="faults">
        {faultsOf(inspection).map(({ kind, issue: { code, path, expected, received } }) => (
          <li key={`${path}`} class={kind}>
            <strong>{path.join('.') || 'body'}</strong> expected {expected}, received {received}{' '}
            <code>{code}</code>
          </li>
        ))}
      </ol>
      {fault && (
        <p class="place">
          Not valid JSON at line {fault.line}, column {fault.column}:{' '}
          <code>
            {fault.before}
            <mark>{fault.after || 'the text ends here'}</mark>
          </code>
        </p>
      )}
    </section>
  );
}
