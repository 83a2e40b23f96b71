// What the page shows, and how an event changes it. Nothing here needs a browser.
import { type Inspection, inspectBody } from '../src/inspect/index';
import { count } from './marks';
import { type Body, type Reading, read } from './reading';

/** What the page reads at most, in bytes. */
export const MAX_BYTES = 1_000_000;
/** More text, or more lines, would make the box slow. */
const MAX_IN_BOX = 256 * 1024;
const MAX_LINES_IN_BOX = 5000;

export interface State {
  /** The text in the box. Empty if it is too long for the box. */
  readonly text: string;
  readonly reading: Reading;
  /** The index of the body that is shown. */
  readonly picked: number;
  readonly isSample: boolean;
  /** What is said below the box, such as the name of a file, or why it was not read. */
  readonly notice: string;
  /** What a button has copied last. */
  readonly copied: { readonly what: string; readonly isDone: boolean } | null;
}

export type Event =
  | { readonly type: 'cleared' }
  /** Pasted, or typed. */
  | { readonly type: 'given'; readonly text: string }
  | { readonly type: 'sampled'; readonly text: string }
  | { readonly type: 'opened'; readonly name: string; readonly bytes: Uint8Array }
  /** A file that is too large, or that the browser could not read. */
  | { readonly type: 'unopened'; readonly name: string; readonly size: number }
  | { readonly type: 'picked'; readonly index: number }
  | { readonly type: 'copied'; readonly what: string; readonly isDone: boolean };

export const START: State = {
  text: '',
  reading: { kind: 'nothing' },
  picked: 0,
  isSample: false,
  notice: '',
  copied: null,
};

/** Returns what the page shows after an event. */
export function next(state: State, event: Event): State {
  switch (event.type) {
    case 'cleared':
      return START;
    case 'given':
      return { ...START, ...afterText(event.text) };
    case 'sampled':
      return { ...START, ...afterText(event.text), isSample: true };
    case 'opened':
      return { ...START, ...afterFile(event.name, event.bytes) };
    case 'unopened': {
      const { name, size } = event;
      const notice = size > MAX_BYTES ? tooLarge(name, size) : `${name} could not be read.`;
      return { ...START, notice };
    }
    case 'picked':
      return { ...state, picked: event.index, copied: null };
    case 'copied':
      return { ...state, copied: { what: event.what, isDone: event.isDone } };
  }
}

/** Returns the body that is shown; null if there is none. */
export function bodyOf({ reading, picked }: State): Body | null {
  return reading.kind === 'bodies' ? (reading.bodies[picked] ?? null) : null;
}

/** Returns what is known of the body that is shown; null if there is none. */
export function inspectionOf(state: State): Inspection | null {
  const body = bodyOf(state);
  return body && inspectBody(body.body);
}

export const NO_BODY = 'No callback body was found in this text.';

/** Returns what a screen reader says after an event. */
export function announcementOf(state: State): string {
  const { copied, notice, reading } = state;
  if (copied !== null) return `${copied.what}: ${copied.isDone ? 'copied' : 'not copied'}`;
  return `${notice} ${foundIn(reading)}`.trim();
}

function foundIn(reading: Reading): string {
  if (reading.kind === 'nothing') return '';
  if (reading.kind === 'other') return NO_BODY;
  const { bodies, more } = reading;
  const [body, other] = bodies;
  // The lines of a list are read out once they are picked.
  if (other !== undefined) return `${bodies.length + more} bodies`;
  return `${body?.outcome}: ${body?.summary}`;
}

function afterText(text: string, file = ''): Partial<State> {
  if (text.length > MAX_BYTES) return { notice: tooLarge('The text', text.length) };
  const reading = read(text);
  const lines = text.split('\n').length;
  if (text.length <= MAX_IN_BOX && lines <= MAX_LINES_IN_BOX) {
    return { text, reading, notice: file };
  }
  const size = `${megabytes(text.length)} in ${count(lines, 'line')}, too long for this box.`;
  return { reading, notice: `${file} ${size}`.trim() };
}

function afterFile(name: string, bytes: Uint8Array): Partial<State> {
  if (bytes.length === 0) return { notice: `${name} is empty: it has 0 bytes.` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return afterText(text, `${name}.`);
  } catch {
    return { reading: read(bytes), notice: `${name}. Its bytes are not UTF-8.` };
  }
}

function tooLarge(what: string, size: number): string {
  return `${what} was not read: it has ${megabytes(size)}, and this page reads at most 1 MB. Use: npx payment-notifications inspect FILE`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
