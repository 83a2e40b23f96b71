// What the page shows, and how an action changes it. Nothing here needs a browser.
import { plural } from '../src/inspect/display';
import { type Inspection, inspectBody } from '../src/inspect/index';
import { MAX_BYTES } from '../src/parser/body';

export interface State {
  /** The text in the box. Empty if the body is too long for it, or is not text. */
  readonly text: string;
  /** What is known of the body; null if there is none. */
  readonly inspection: Inspection | null;
  /** What is said below the box, such as the name of a file. */
  readonly notice: string;
  /** What a button has copied last. */
  readonly copied: { readonly what: string; readonly isDone: boolean } | null;
}

export type Action =
  | { readonly type: 'cleared' }
  /** Pasted, or typed. */
  | { readonly type: 'given'; readonly text: string }
  /** The bytes of a file, but no more than an endpoint reads. */
  | { readonly type: 'opened'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly type: 'copied'; readonly what: string; readonly isDone: boolean };

export const START: State = {
  text: '',
  inspection: null,
  notice: '',
  copied: null,
};

/** Returns what the page shows after an action. */
export function next(state: State, action: Action): State {
  switch (action.type) {
    case 'cleared':
      return START;
    case 'given':
      return afterText(action.text);
    case 'opened':
      return afterFile(action.name, action.bytes);
    case 'copied':
      return { ...state, copied: { what: action.what, isDone: action.isDone } };
  }
}

/** Returns what a screen reader says after an action. */
export function announcementOf({ copied, notice, inspection }: State): string {
  if (copied !== null) return `${copied.what}: ${copied.isDone ? 'copied' : 'not copied'}`;
  const said = inspection === null ? '' : `${inspection.outcome}: ${inspection.summary}`;
  return `${notice} ${said}`.trim();
}

function afterText(text: string): State {
  if (text === '') return START;
  const inspection = inspectBody(text);
  if (text.length <= MAX_BYTES) return { ...START, text, inspection };
  const notice = `${plural(text.length, 'character')}, too long for this box.`;
  return { ...START, inspection, notice };
}

function afterFile(name: string, bytes: Uint8Array): State {
  const inspection = inspectBody(bytes);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const { text: shown, notice } = afterText(text);
    return { ...START, inspection, text: shown, notice: `${name}. ${notice}`.trim() };
  } catch {
    return { ...START, inspection, notice: `${name}. Its bytes are not UTF-8.` };
  }
}
