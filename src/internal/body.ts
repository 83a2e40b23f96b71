import type { IssueCode, NotificationIssue } from '../errors.js';
import { createContext, type Fields, type ReadContext, withoutPrototype } from './fields.js';
import { escapeUnprintable, issue, quote } from './issues.js';

/** Largest body, in bytes of UTF-8: about 70 times the size of the documentation's sample. */
export const MAX_BYTES: number = 64 * 1024;
/** Longest message of a cause, in characters. */
const MAX_CAUSE = 200;

// Leaves a byte-order mark to openText, which skips exactly one.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A body that holds no fields to be read. */
export interface UnreadableBody {
  readonly fields: null;
  readonly issues: readonly [NotificationIssue];
  readonly cause?: unknown;
}

/**
 * Opens what a handler passes as the body: text, bytes, or an already parsed object.
 *
 * @param maxBytes - A longer body, as UTF-8, is refused unread.
 */
export function openBody(
  body: unknown,
  maxBytes: number = MAX_BYTES,
): ReadContext | UnreadableBody {
  if (typeof body === 'string') return openText(body, maxBytes);
  if (body === undefined) {
    return unreadable('not_an_object', 'nothing: pass the raw body, before anything else reads it');
  }
  if (typeof body !== 'object' || body === null) return unreadable('not_an_object', quote(body));
  return isBytes(body) ? openBytes(body, maxBytes) : openObject(body);
}

/** Whether a value is bytes. Not by instanceof: a test runner's bytes may come from another realm. */
export function isBytes(body: object): body is Uint8Array | ArrayBuffer {
  try {
    return ArrayBuffer.isView(body) || tagOf(body) === 'ArrayBuffer';
  } catch {
    return false;
  }
}

function openBytes(
  bytes: ArrayBuffer | Uint8Array,
  maxBytes: number,
): ReadContext | UnreadableBody {
  let received = 'bytes that fail to be read';
  let text: string;
  try {
    // An object that only claims to be an ArrayBuffer may throw here.
    const length = Number(bytes.byteLength);
    if (length > maxBytes) return tooLarge(`${length} bytes`, maxBytes);
    received = `${length} bytes that are not UTF-8`;
    text = decoder.decode(bytes);
  } catch {
    return unreadable('invalid_json', received);
  }
  return openText(text, maxBytes);
}

function openText(text: string, maxBytes: number): ReadContext | UnreadableBody {
  if (text.length > maxBytes) return tooLarge(`${text.length} characters`, maxBytes);
  // A character takes 1 to 3 bytes, so most bodies need no counting.
  const bytes = text.length * 3 > maxBytes ? new TextEncoder().encode(text).length : 0;
  if (bytes > maxBytes) return tooLarge(`${bytes} bytes`, maxBytes);
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    // Anything else, e.g. an exhausted stack, is not the body's fault.
    if (!(cause instanceof SyntaxError)) throw cause;
    // An engine's message quotes the text, which must not forge lines in a log.
    const message = escapeUnprintable(cause.message.slice(0, MAX_CAUSE));
    return unreadable('invalid_json', describeText(text), new SyntaxError(message));
  }
  if (typeof value === 'string') {
    return unreadable('not_an_object', 'a JSON string: was the body encoded twice?');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('not_an_object', quote(value));
  }
  return createContext(inheritsNothing() ? (value as Fields) : withoutPrototype(value), json);
}

/** Opens a parsed body. Its getters or its proxy may throw whenever it is touched. */
function openObject(body: object): ReadContext | UnreadableBody {
  let fields: Fields;
  try {
    const mistake = describeWrongInput(body);
    if (mistake !== null) return unreadable('not_an_object', mistake);
    fields = withoutPrototype({ ...body });
  } catch (cause) {
    return unreadable('not_an_object', 'a value that fails to be read', cause);
  }
  return createContext(fields, null);
}

function tooLarge(received: string, maxBytes: number): UnreadableBody {
  const found = issue('body_too_large', [], `at most ${maxBytes} bytes`, received);
  return { fields: null, issues: [found] };
}

function unreadable(code: IssueCode, received: string, cause?: unknown): UnreadableBody {
  const issues = [issue(code, [], 'a JSON object', received)] as const;
  return cause === undefined ? { fields: null, issues } : { fields: null, issues, cause };
}

/** Names the usual mistakes, with a hint; null for a plain object. */
function describeWrongInput(body: object): string | null {
  if (Array.isArray(body)) return 'an array';
  const tag = tagOf(body);
  if (has(body, 'then')) return 'a promise: await it first';
  if (has(body, 'pipe') || has(body, 'getReader')) {
    return 'a stream or a request: read it first, and pass its text or bytes';
  }
  if (has(body, 'text')) return 'a request or response: pass what its text() resolves to';
  return tag === 'Object' ? null : `a value of type ${quote(tag)}`;
}

function has(body: object, method: string): boolean {
  return typeof (body as Fields)[method] === 'function';
}

function tagOf(body: object): string {
  return Object.prototype.toString.call(body).slice('[object '.length, -1);
}

function describeText(text: string): string {
  const start = text.trim();
  if (start === '') return 'an empty body: was it read already?';
  if (start.startsWith('[object ')) {
    return 'the name of an object: pass the body itself, not String(body)';
  }
  if (start.includes('\0')) return 'text in UTF-16: send it in UTF-8';
  if (/^e[wy][\w+/]+=*$/.test(start)) return 'base64 text: decode it first';
  if (/^[\w.%+-]+=/.test(start)) return 'form-encoded text: the service posts JSON';
  return start.startsWith('{') && !start.endsWith('}')
    ? `JSON that breaks off after ${text.length} characters`
    : `${text.length} characters that are not JSON`;
}

/** Whether objects inherit no field. If so, a body may keep its prototype, which saves a sixth of the time. */
function inheritsNothing(): boolean {
  for (const _ in Object.prototype) return false;
  return true;
}
