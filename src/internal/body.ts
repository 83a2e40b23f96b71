import type { IssueCode, NotificationIssue } from '../errors.js';
import type { Fields, ReadContext } from './fields.js';
import { escapeUnprintable, issue, quote } from './issues.js';

/** About 70 times the size of the documentation's sample body, in bytes of UTF-8. */
export const MAX_BYTES: number = 64 * 1024;
/** Longest message of a cause, in characters. */
const MAX_CAUSE = 200;

// It leaves a byte-order mark to openText, which skips one and no more.
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
 * @param maxBytes - What is longer, as UTF-8, is refused unread.
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
  const bytes = toBytes(body);
  return bytes === null ? openObject(body) : openBytes(bytes, maxBytes);
}

/**
 * The value itself if it is bytes, otherwise null. Not by instanceof, since a test runner's bytes
 * may come from another realm.
 */
export function toBytes(body: object): Uint8Array | ArrayBuffer | null {
  try {
    const isBytes = ArrayBuffer.isView(body) || tagOf(body) === 'ArrayBuffer';
    return isBytes ? (body as Uint8Array | ArrayBuffer) : null;
  } catch {
    return null;
  }
}

function openBytes(
  bytes: ArrayBuffer | Uint8Array,
  maxBytes: number,
): ReadContext | UnreadableBody {
  let received = 'bytes that fail to be read';
  let text: string;
  try {
    // What only says that it is an ArrayBuffer may have any length, and may throw.
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
    return unreadable('invalid_json', describeText(text), printable(cause));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('not_an_object', describeJson(value));
  }
  return createContext(value as Fields, json);
}

/** Somebody else's object: its getters or its proxy may throw whenever it is touched. */
function openObject(body: object): ReadContext | UnreadableBody {
  let fields: Fields;
  try {
    const mistake = describeWrongInput(body);
    if (mistake !== null) return unreadable('not_an_object', mistake);
    fields = { ...body };
  } catch (cause) {
    return unreadable('not_an_object', 'a value that fails to be read', cause);
  }
  return createContext(fields, null);
}

/** @param text - Null where the caller had parsed the body. */
function createContext(fields: Fields, text: string | null): ReadContext {
  return {
    fields,
    text,
    literals: undefined,
    isPreParsed: text === null,
    path: [],
    issues: [],
    warnings: [],
    knownKeys: 0,
    unreadable: [],
  };
}

function tooLarge(received: string, maxBytes: number): UnreadableBody {
  return {
    fields: null,
    issues: [issue('body_too_large', [], `at most ${maxBytes} bytes`, received)],
  };
}

function unreadable(code: IssueCode, received: string, cause?: unknown): UnreadableBody {
  const issues = [issue(code, [], 'a JSON object', received)] as const;
  return cause === undefined ? { fields: null, issues } : { fields: null, issues, cause };
}

/** What was passed instead of a body, with a hint; null for a plain object. */
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

function describeJson(value: unknown): string {
  return typeof value === 'string' ? 'a JSON string: was the body encoded twice?' : quote(value);
}

/** An engine's message quotes the text it refused, which must not forge lines in a log. */
function printable({ message }: SyntaxError): SyntaxError {
  return new SyntaxError(escapeUnprintable(message.slice(0, MAX_CAUSE)));
}
