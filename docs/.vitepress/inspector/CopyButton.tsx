import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

interface Props {
  readonly text: string;
  /** What is copied, for readers that can't see what the button stands next to. */
  readonly what: string;
}

export function CopyButton({ text, what }: Props): VNode {
  const [state, setState] = useState<'' | 'copied' | 'failed'>('');

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState(''), 2000);
  }

  return (
    <button type="button" class="copy" onClick={copy}>
      {state === 'copied' ? 'Copied' : state === 'failed' ? 'Copy failed' : 'Copy'}
      <span class="visually-hidden"> {what}</span>
      <span class="visually-hidden" role="status">
        {state}
      </span>
    </button>
  );
}
