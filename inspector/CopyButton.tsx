import type { JSX } from 'preact';
import type { Event, State } from './state';

interface Properties {
  readonly text: string;
  /** For those who can't see what the button stands next to. */
  readonly what: string;
  readonly copied: State['copied'];
  readonly handle: (event: Event) => void;
}

export function CopyButton({ text, what, copied, handle }: Properties): JSX.Element {
  async function copy(): Promise<void> {
    try {
      // A page from a server without TLS has no clipboard.
      await navigator.clipboard.writeText(text);
      handle({ type: 'copied', what, isDone: true });
    } catch {
      handle({ type: 'copied', what, isDone: false });
    }
  }
  const done = copied?.isDone ? 'Copied' : 'Not copied';
  return (
    <button class="copy" type="button" onClick={copy}>
      {copied?.what === what ? done : 'Copy'}
      <span class="visually-hidden"> {what}</span>
    </button>
  );
}
