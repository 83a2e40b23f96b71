import type { Issue, IssueCode } from '../errors.js';
import { type Fields, isObject, type Source } from './fields.js';
import { escapeUnprintable, issue, quote } from './issues.js';
import { type ExactJson, parseJson } from './json.js';

/** Fifty times the size of a real body, in bytes of UTF-8. */
const MAX_BYTES = 64 * 1024;
/** Longest message of a cause, in characters. */
const MAX_CAUSE = 200;

// It leaves a byte-order mark to openText, which skips one and no more.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A body that holds no fields to be read. */
export interface UnreadableBody {
  readonly issues: readonly [Issue];
  readonly cause?: unknown;
}

/**
 * Opens what a handler passes as the body: text, bytes, or an already parsed object.
 *
 * May throw for an object whose properties do, a proxy say.
 */
export function openBody(body: unknown): Source | UnreadableBody {
  if (typeof body === 'string') return openText(body);
  if (body === undefined) {
    return unreadable('not_an_object', 'nothing: pass the raw body, before anything else reads it');
  }
  if (typeof body !== 'object' || body === null) return unreadable('not_an_object', quote(body));
  // Not instanceof: a test runner's bytes may come from another realm. Any view of bytes will do.
  if (ArrayBuffer.isView(body)) return openBytes(body as Uint8Array);
  if (tagOf(body) === 'ArrayBuffer') return openBytes(body as ArrayBuffer);
  const mistake = mistakenFor(body);
  // The copy reads every property once and leaves inherited ones behind.
  return mistake === null ? source({ ...body }, null) : unreadable('not_an_object', mistake);
}

function openBytes(bytes: ArrayBuffer | Uint8Array): Source | UnreadableBody {
  if (bytes.byteLength > MAX_BYTES) return tooLarge(`${bytes.byteLength} bytes`);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return unreadable('invalid_json', `${bytes.byteLength} bytes that are not UTF-8`);
  }
  return openText(text);
}

function openText(text: string): Source | UnreadableBody {
  if (isTooLarge(text)) return tooLarge(`${text.length} characters`);
  let json: ExactJson;
  try {
    json = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    return cause instanceof RangeError
      ? unreadable('invalid_json', 'JSON that is nested too deeply', cause)
      : unreadable('invalid_json', describeText(text), printable(cause as SyntaxError));
  }
  return isObject(json.value)
    ? source(json.value, json.literals as Fields | null)
    : unreadable('not_an_object', describeJson(json.value));
}

function source(fields: Fields, literals: Fields | null): Source {
  return { fields, literals, path: [], taken: [], issues: [] };
}

/** A character takes 1 to 3 bytes, so most bodies need no counting. */
function isTooLarge(text: string): boolean {
  if (text.length > MAX_BYTES) return true;
  return text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES;
}

function tooLarge(received: string): UnreadableBody {
  const expected = `at most ${MAX_BYTES} bytes`;
  return { issues: [issue('body_too_large', [], expected, received)] };
}

function unreadable(code: IssueCode, received: string, cause?: unknown): UnreadableBody {
  const issues = [issue(code, [], 'a JSON object', received)] as const;
  return cause === undefined ? { issues } : { issues, cause };
}

/** What an object is that holds no body, and what to do about it; null for a plain object. */
function mistakenFor(body: object): string | null {
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
