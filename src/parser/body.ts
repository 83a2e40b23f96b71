import type { IssueCode, NotificationIssue } from './errors.js';
import { mayBeRounded, parseLiterally } from './json.js';
import { findSyntaxError, lineAndColumn } from './json-syntax.js';
import { issue, quote } from './messages.js';
import { type Fields, withoutPrototype } from './objects.js';

/** Maximum body size in bytes. Text is measured as UTF-8. A deposit has about 1,000. */
export const MAX_BYTES: number = 64 * 1024;

// Created when a body comes as bytes, so that the package can be imported where `TextDecoder` is
// missing, as in Jest's jsdom.
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** What other languages write where JSON has null, a boolean or a number. */
const FOREIGN_WORD = /^(?:-?(?:NaN|Infinity)|None|True|False|undefined)\b/;

const UTF_16 = 'text in UTF-16. Encode it in UTF-8';

/** The result of {@link openBody} for a JSON object. */
export interface OpenBody {
  /** The object's fields, none of them inherited. */
  readonly fields: Fields;
  /** The JSON text of the object. */
  readonly text: string;
  /** Returns the fields with each number as text, to the digit. */
  readonly literals: () => Fields;
  /** Whether a field's number may be rounded, so that amounts must come from `literals`. */
  readonly needsLiterals: () => boolean;
  /**
   * The names of the fields that `JSON.parse` may have rounded before the caller passed them: the
   * numbers of a parsed object. Empty for text and bytes.
   */
  readonly parsedNumbers: readonly string[];
  /** A fault that makes one field null, whatever its value; see `withOneSpelling`. */
  readonly knownFault: { readonly name: string; readonly issue: NotificationIssue } | null;
}

/** The result of {@link openBody} for any other body. */
export interface UnreadableBody {
  readonly fields: null;
  readonly issues: readonly [NotificationIssue];
  /** The text, if it is not JSON. */
  readonly text?: string;
  /** The error of a parsed body that could not be written as JSON. */
  readonly cause?: unknown;
}

/** Opens the body that a handler passes in: text, bytes or an already parsed object. */
export function openBody(body: unknown): OpenBody | UnreadableBody {
  if (typeof body === 'string') return openText(body);
  if (body === undefined) {
    return unreadable('not_an_object', 'undefined. Pass the raw body, before middleware reads it');
  }
  if (typeof body !== 'object' || body === null) return unreadable('not_an_object', quote(body));
  return isBytes(body) ? openBytes(body) : openObject(body);
}

/** Not `instanceof`, because the bytes in a test runner may come from another realm. */
export function isBytes(body: unknown): body is Uint8Array | ArrayBuffer {
  try {
    return ArrayBuffer.isView(body) || getTag(body) === 'ArrayBuffer';
  } catch {
    return false;
  }
}

function openBytes(bytes: ArrayBuffer | Uint8Array): OpenBody | UnreadableBody {
  // Keeps a byte-order mark, because openText removes exactly one.
  decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text: string;
  try {
    // An object that pretends to be an ArrayBuffer may throw here.
    const length = Number(bytes.byteLength);
    if (length > MAX_BYTES) return tooLarge(length);
    text = decoder.decode(bytes);
  } catch {
    return unreadable('invalid_json', describeBytes(bytes));
  }
  return openText(text);
}

/** Opens text. If it is too large, it is not parsed. */
function openText(text: string, isParsed = false): OpenBody | UnreadableBody {
  // A UTF-16 code unit takes 1 to 3 bytes in UTF-8, so a short text fits without being measured. A
  // text far over the limit isn't measured either, because encoding it would take too long.
  if (text.length > 16 * MAX_BYTES) return tooLarge(`at least ${text.length}`);
  const bytes = text.length * 3 > MAX_BYTES ? new TextEncoder().encode(text).length : 0;
  if (bytes > MAX_BYTES) return tooLarge(bytes);
  return openJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, isParsed);
}

/** Opens an already parsed body: writes it as JSON, and reads that like any other text. */
function openObject(body: object): OpenBody | UnreadableBody {
  let text: string;
  try {
    const mistake = describeWrongInput(body);
    if (mistake !== null) return unreadable('not_an_object', mistake);
    const fields = withoutPrototype({ ...body });
    // JSON.stringify would call a toJSON of the body, and write its result instead.
    if (typeof fields.toJSON === 'function') delete fields.toJSON;
    text = JSON.stringify(fields, keepDigits);
  } catch (cause) {
    const received = "an object whose fields can't be read. Pass the raw body";
    return { ...unreadable('not_an_object', received), cause };
  }
  return openText(text, true);
}

/**
 * Writes NaN, infinities and BigInts as text, where `JSON.stringify` would write null or throw.
 *
 * @param value - The value after its `toJSON`. It is not used for numbers and BigInts, because an
 * application may have added a `toJSON` to all of them that rounds.
 */
function keepDigits(this: Fields, name: string, value: unknown): unknown {
  const sent = this[name];
  if (typeof sent === 'number') return Number.isFinite(sent) ? sent : `${sent}`;
  return typeof sent === 'bigint' ? `${sent}` : value;
}

function openJson(text: string, isParsed: boolean): OpenBody | UnreadableBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Any other error, such as a stack overflow, is not the body's fault.
    if (!(error instanceof SyntaxError)) throw error;
    return { ...unreadable('invalid_json', describeText(text)), text };
  }
  if (typeof value === 'string') {
    return unreadable('not_an_object', 'a JSON string. Check whether the body was encoded twice');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('not_an_object', quote(value));
  }
  const fields = withoutPrototype(value);
  if (fields.type === 'Buffer' && Array.isArray(fields.data)) {
    const received = 'a Buffer that was written as JSON. Restore its bytes with Buffer.from(data)';
    return unreadable('not_an_object', received);
  }
  const isNumber = (name: string) => typeof fields[name] === 'number';
  return {
    fields,
    text,
    literals: once(() => parseLiterally(text)),
    needsLiterals: once(() => mayBeRounded(text)),
    parsedNumbers: isParsed ? Object.keys(fields).filter(isNumber) : [],
    knownFault: null,
  };
}

/** Returns a function that computes a value when first called, and returns it at every call. */
export function once<T>(compute: () => T): () => T {
  let computed: T | undefined;
  return () => {
    computed ??= compute();
    return computed;
  };
}

function tooLarge(bytes: number | string): UnreadableBody {
  const found = issue('body_too_large', [], `at most ${MAX_BYTES} bytes`, `${bytes} bytes`);
  return { fields: null, issues: [found] };
}

function unreadable(code: IssueCode, received: string): UnreadableBody {
  return { fields: null, issues: [issue(code, [], 'a JSON object', received)] };
}

/** Detects common mistakes, and suggests a fix. Returns null for any other object. */
function describeWrongInput(body: object): string | null {
  if (Array.isArray(body)) return 'an array';
  const tag = getTag(body);
  if (has(body, 'then')) return 'a promise. Await it first';
  if (has(body, 'pipe') || has(body, 'getReader')) {
    return 'a stream or a request. Read it first, and pass its text or bytes';
  }
  if (has(body, 'text')) return 'a request or response. Pass the result of its text()';
  return tag === 'Object' ? null : `a value of type ${quote(tag)}`;
}

function has(body: object, method: string): boolean {
  return typeof (body as Fields)[method] === 'function';
}

function getTag(body: unknown): string {
  return Object.prototype.toString.call(body).slice('[object '.length, -1);
}

/**
 * Describes bytes that can't be decoded. They may be compressed or in another encoding. Or the body
 * is an object that only looks like bytes.
 */
function describeBytes(bytes: ArrayBuffer | Uint8Array): string {
  try {
    const [first = 0, second = 0] = new Uint8Array(bytes);
    // A byte-order mark in either order: no other two bytes have this sum.
    if (first + second === 0xff + 0xfe) return UTF_16;
    const isGzip = first === 0x1f && second === 0x8b;
    const isZlib = first === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(second);
    if (isGzip || isZlib) return 'a compressed body. Decompress it first';
    if (bytes.byteLength === 1) return '1 byte that is not UTF-8';
    return `${bytes.byteLength} bytes that are not UTF-8`;
  } catch {
    return 'bytes that throw when read';
  }
}

function describeText(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return 'an empty body. Check whether something else read it first';
  if (trimmed.startsWith('[object ')) {
    return 'the name of an object. Pass the body itself, not String(body)';
  }
  if (trimmed.startsWith('\u001f')) {
    return 'compressed bytes that were decoded as text. Decompress the raw bytes first';
  }
  if (trimmed.includes('{\0')) return UTF_16;
  if (text.startsWith('\ufeff')) return 'a second byte-order mark. Remove it';
  if (/^[ \t\r\n]+\ufeff/.test(text)) return 'a byte-order mark after white space. Remove it';
  if (/^e[wy][\w+/]+=*$/.test(trimmed)) return 'base64 text. Decode it first';
  if (/^[\w.%+-]+=/.test(trimmed)) return 'form-encoded text. The service posts JSON';
  const at = findSyntaxError(text);
  const { line, column } = lineAndColumn(text, at);
  const place = `at line ${line}, column ${column}`;
  const [word] = FOREIGN_WORD.exec(text.slice(at, at + 10)) ?? [];
  if (word !== undefined) return `JSON with ${word} in place of a value ${place}`;
  if (text.slice(0, at).trim() === '') {
    const isOne = text.length === 1;
    return `${text.length} character${isOne ? '' : 's'} that ${isOne ? 'is' : 'are'} not JSON`;
  }
  return at === text.length
    ? `incomplete JSON, which ends ${place}`
    : `JSON with an error ${place}`;
}
