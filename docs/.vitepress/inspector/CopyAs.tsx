import type { NotificationType } from 'payment-notifications';
import type { Inspection } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { escapeUnprintable } from '../../../src/internal/quote';
import { CopyButton } from './CopyButton';
import { toNotificationJson, toTest } from './copies';
import { type Body, isUtf8, textOf } from './reading';

/** More than a body may have, and not too much to be shown. */
const MAX_LENGTH = 128 * 1024;
const MAX_SHOWN = 4000;

interface Props {
  readonly body: Body;
  readonly as: NotificationType | undefined;
  readonly inspection: Inspection;
}

/** The body as text to paste elsewhere. Bytes that are not UTF-8 can't be pasted anywhere. */
export function CopyAs({ body, as, inspection }: Props): VNode | null {
  const copies = useMemo(() => {
    if (body.length > MAX_LENGTH || !isUtf8(body)) return [];
    const json = toNotificationJson(body, as);
    return [
      ['A test with the kit', toTest(textOf(body), inspection)] as const,
      ...(json === null ? [] : [['The notification as JSON', json] as const]),
    ];
  }, [body, as, inspection]);
  if (copies.length === 0) return null;
  return (
    <section class="copies" aria-labelledby="copies">
      <h2 id="copies">Copy as</h2>
      {copies.map(([label, code]) => (
        <details key={label}>
          <summary>{label}</summary>
          <CopyButton text={code} what={label} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard. */}
          <pre tabIndex={0}>
            <code>{linesOf(code)}</code>
          </pre>
        </details>
      ))}
    </section>
  );
}

function linesOf(code: string): string {
  const lines = code.slice(0, MAX_SHOWN).split('\n').map(escapeUnprintable).join('\n');
  return code.length > MAX_SHOWN ? `${lines}… (${code.length} characters)` : lines;
}
