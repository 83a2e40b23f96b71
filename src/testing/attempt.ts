import { MAX_TIME } from '../shared/deadline.js';
import { textOf } from '../shared/thrown.js';

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

/** The outcome of an attempt: an `answer`, or a one-line `error` if there was no answer. */
export type DeliveryOutcome =
  | { readonly answer: EndpointResponse; readonly error: null }
  | { readonly answer: null; readonly error: string };

/** The options of one attempt. */
export interface AttemptOptions {
  /** The URL of the endpoint (`http:` or `https:`). */
  readonly url: string;
  /**
   * Additional headers, which may replace `content-type: application/json`. Undefined values are
   * ignored, and null removes that header. The service doesn't document its headers.
   */
  readonly headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /**
   * The timeout of an attempt in milliseconds (default: 30,000). The service doesn't document its
   * timeout.
   */
  readonly timeoutMs?: number | undefined;
  /** A replacement for the global `fetch`. Its request also has a `signal`. */
  readonly fetch?:
    | ((
        url: string,
        request: DeliveryRequest,
      ) => Promise<{ readonly status: number; text(): Promise<string> }>)
    | undefined;
}

/** Posts a body once, or gives up as soon as `stopped` resolves. Never throws. */
export async function post(
  body: string | Uint8Array,
  { url, headers, timeoutMs = 30_000, fetch: send = fetch }: AttemptOptions,
  stopped: Promise<unknown>,
): Promise<DeliveryOutcome> {
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
  const unanswered = (error: string): DeliveryOutcome => ({ answer: null, error });
  // A custom fetch may ignore its signal.
  const ended = Promise.race([
    answerOf(() => send(url, request)),
    stopped.then(() => unanswered('stopped')),
  ]);
  const late = sleep(timeoutMs, ended).then(() => unanswered(`no answer within ${timeoutMs} ms`));
  const outcome = await Promise.race([ended, late]);
  if (outcome.answer === null) controller.abort();
  return outcome;
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
function headersOf(given: AttemptOptions['headers'] = {}): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete headers[name.toLowerCase()];
    else if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

async function answerOf(
  send: () => ReturnType<NonNullable<AttemptOptions['fetch']>>,
): Promise<DeliveryOutcome> {
  try {
    const response = await send();
    return { answer: { status: response.status, body: await response.text() }, error: null };
  } catch (error) {
    return { answer: null, error: reasonOf(error) };
  }
}

/**
 * Returns the innermost message, such as `connect ECONNREFUSED 127.0.0.1:3000` instead of `fetch
 * failed`.
 */
function reasonOf(error: unknown, depth = 0): string {
  const isError = error instanceof Error;
  // The depth is limited, because an error can be its own cause.
  if (isError && error.cause !== undefined && depth < 10) return reasonOf(error.cause, depth + 1);
  return (isError ? textOf(error) : String(error)).replace(/\s+/g, ' ');
}
