import { quote } from '../parser/messages.js';
import { MAX_TIME } from '../shared/deadline.js';
import { hideLongSegments } from '../shared/redact.js';
import { messageOf } from '../shared/thrown.js';

/** The response of an endpoint. */
export interface EndpointResponse {
  /** The HTTP status; 0 for a redirect in a browser, because browsers hide its status. */
  readonly status: number;
  /** The body as text. */
  readonly body: string;
}

/** The request that is passed to `fetch`. */
export interface DeliveryRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | ArrayBuffer;
  readonly redirect: 'manual';
}

/** The options of {@link deliver}. */
export interface DeliverOptions {
  /** The URL of the endpoint (`http:` or `https:`). */
  readonly url: string;
  /**
   * Additional headers, which may replace `content-type: application/json`. Undefined values are
   * ignored, and null removes that header. The service doesn't document its headers.
   */
  readonly headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /**
   * The timeout in milliseconds (default: 30,000). The service doesn't document its timeout.
   */
  readonly timeoutMs?: number | undefined;
  /** A replacement for the global `fetch`. Its request also has a `signal`. */
  readonly fetch?:
    | ((
        url: string,
        request: DeliveryRequest,
      ) => Promise<{ readonly status: number; text(): Promise<string> }>)
    | undefined;
  /** How many copies to send at the same time (default: 1). */
  readonly copies?: number | undefined;
}

type Attempt =
  | { readonly answer: EndpointResponse; readonly error: null }
  | { readonly answer: null; readonly error: string };

/** The result of one copy: an `answer`, or a one-line `error` if there was no answer. */
export type DeliveryAttempt = Attempt & {
  /** Whether the status is 200 to 299. */
  readonly success: boolean;
  readonly durationMs: number;
};

/** The result of {@link deliver}. */
export interface DeliveryResult {
  /** Whether every copy was answered with success. */
  readonly delivered: boolean;
  /** An attempt for each copy. */
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * Posts a body as the service does. Redirects are not followed, and count as failures.
 *
 * The service doesn't document its method, headers, timeout or what counts as success.
 *
 * @param body - Text or bytes, sent unchanged.
 * @param options - The endpoint, and how to deliver.
 * @returns All attempts, and whether they succeeded. A failed attempt does not throw.
 * @throws TypeError or RangeError for an invalid body or option.
 *
 * @example
 * ```ts
 * const { delivered, attempts } = await deliver(depositReceivedBody(), {
 *   url: 'http://127.0.0.1:3000/callbacks',
 *   copies: 2,
 * });
 * ```
 */
export async function deliver(
  body: string | Uint8Array,
  options: DeliverOptions,
): Promise<DeliveryResult> {
  checkBody(body);
  checkDeliverOptions(options);
  const copies = Array.from({ length: options.copies ?? 1 }, () => post(body, options));
  const attempts = await Promise.all(copies);
  return { delivered: attempts.every(({ success }) => success), attempts };
}

async function post(
  body: string | Uint8Array,
  { url, headers, timeoutMs = 30_000, fetch: send = fetch }: DeliverOptions,
): Promise<DeliveryAttempt> {
  const start = Date.now();
  const controller = new AbortController();
  const sent = headersOf(headers);
  // For text without a content type, fetch would add one.
  const isText = typeof body === 'string' && 'content-type' in sent;
  const bytes = new Uint8Array(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const request = {
    method: 'POST',
    headers: sent,
    body: isText ? body : bytes.buffer,
    redirect: 'manual',
    signal: controller.signal,
  } as const;
  // A custom fetch may ignore its signal.
  const answer = answerOf(() => send(url, request));
  const late = sleep(timeoutMs, answer).then(() => {
    return { answer: null, error: `no answer within ${timeoutMs} ms` } as const;
  });
  const outcome = await Promise.race([answer, late]);
  if (outcome.answer === null) controller.abort();
  const { status = 0 } = outcome.answer ?? {};
  const success = status >= 200 && status <= 299;
  return { ...outcome, success, durationMs: Date.now() - start };
}

/** Resolves after this many milliseconds, or as soon as `early` does. */
export function sleep(milliseconds: number, early?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(milliseconds, MAX_TIME));
    early?.then(wake);
  });
}

/**
 * Converts names to lower case. Otherwise, fetch would send a given `Content-Type` in addition to
 * the default one.
 */
function headersOf(given: DeliverOptions['headers'] = {}): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete headers[name.toLowerCase()];
    else if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

async function answerOf(
  send: () => ReturnType<NonNullable<DeliverOptions['fetch']>>,
): Promise<Attempt> {
  try {
    const response = await send();
    return { answer: { status: response.status, body: await response.text() }, error: null };
  } catch (error) {
    return { answer: null, error: messageOf(error) };
  }
}

function checkBody(body: unknown): void {
  // Not by `instanceof`, because bytes in a test runner may come from another realm.
  const tag = Object.prototype.toString.call(body);
  if (typeof body !== 'string' && !/^\[object (?:Uint8Array|ArrayBuffer)\]$/.test(tag)) {
    throw new TypeError(`body: expected text or bytes, received ${quote(body)}`);
  }
}

/** @throws TypeError or RangeError for an invalid option. */
export function checkDeliverOptions(options: DeliverOptions): void {
  const { url, headers, copies = 1, timeoutMs = 1 } = options;
  const reason = urlErrorOf(url);
  if (reason !== null) throw new TypeError(`url: ${reason}`);
  try {
    new Headers(headersOf(headers));
  } catch {
    // The original message would show the value, which may be a password.
    throw new TypeError('headers: expected valid names and values, received an invalid header');
  }
  if (!Number.isSafeInteger(copies) || copies < 1) {
    const expected = 'copies: expected a whole number of at least 1';
    throw new RangeError(`${expected}, received ${quote(copies)}`);
  }
  if (!(timeoutMs > 0)) {
    throw new RangeError(`timeoutMs: expected more than 0, received ${timeoutMs}`);
  }
}

/** Describes why a URL can't be used; null if it can. */
export function urlErrorOf(text: string | undefined): string | null {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  // fetch rejects a URL with credentials. The message leaves the URL out, so that no password gets
  // into a log.
  if (url !== null && url.username + url.password !== '') {
    return 'expected a URL without user name and password';
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return null;
  const isSecret = String(text).includes('@');
  const shown = text === undefined ? 'no value' : `"${hideLongSegments(text)}"`;
  const received = isSecret ? 'a hidden value that may contain a password' : shown;
  return `expected an http or https URL, received ${received}`;
}
