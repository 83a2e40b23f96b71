import type { JSX } from 'preact';
import { plural } from '../src/inspect/display';
import type { Inspection, JsonFault } from '../src/inspect/index';
import { nameOfPath } from '../src/parser/messages';
import { faultsOf } from './rows';

interface Properties {
  readonly inspection: Inspection;
  /** Shows a place in the box. Null if the text is not there. */
  readonly onShow: ((fault: JsonFault) => void) | null;
}

/** Why a body is refused, and what else to check. */
export function Faults({ inspection, onShow }: Properties): JSX.Element | null {
  const { issues, warnings, jsonFault: fault } = inspection;
  const counts = [
    ...(issues.length > 0 ? [plural(issues.length, 'fault')] : []),
    ...(warnings.length > 0 ? [plural(warnings.length, 'warning')] : []),
  ];
  if (counts.length === 0) return null;
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">{counts.join(' and ')}</h2>
      <ol class="faults">
        {faultsOf(inspection).map(({ kind, issue: { code, path, expected, received } }) => (
          <li key={`${path}`} class={kind}>
            <strong>{nameOfPath(path)}</strong> expected {expected}, received {received}{' '}
            <code>{code}</code>
          </li>
        ))}
      </ol>
      {fault && (
        <p class="place">
          Line {fault.line}, column {fault.column}:{' '}
          <code>
            {fault.before}
            <mark>{fault.after || 'it ends here'}</mark>
          </code>{' '}
          {onShow && (
            <button id="show" type="button" onClick={() => onShow(fault)}>
              Show in the text
            </button>
          )}
        </p>
      )}
    </section>
  );
}
