import { type DeliverySignal, systemClock } from './clock.js';

/** The response of an endpoint. */
export interface EndpointResponse {
  /** The HTTP status; 0 for a redirect in a browser, which hides it. */
  readonly status: number;
  /** The body as text. */
  readonly body: string;
}

/** The request of one attempt, as it is handed to `fetch`. */
export interface DeliveryRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | ArrayBuffer;
  readonly redirect: 'manual';
  readonly signal: DeliverySignal;
}

/** The part of `fetch` that is needed. */
export type DeliveryFetch = (
  url: string,
  request: DeliveryRequest,
) => Promise<{ readonly status: number; text(): Promise<string> }>;

/** The outcome of an attempt: an `answer`, or the `error` that prevented one, in one line. */
export type DeliveryOutcome =
  | { readonly answer: EndpointResponse; readonly error: null }
  | { readonly answer: null; readonly error: string };

/** How one attempt is made. */
export interface AttemptOptions {
  /** The endpoint: an `http:` or `https:` address. */
  readonly url: string;
  /**
   * Headers beside `content-type: application/json`, or instead of it; one that is undefined is left out.
   * The service's own are undocumented.
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** How long an answer may take, in milliseconds of real time: 30 s by default. The service's limit is undocumented. */
  readonly timeoutMs?: number | undefined;
  /** The global `fetch` by default. */
  readonly fetch?: DeliveryFetch | undefined;
}

/** How long HTTP clients commonly wait. */
const TIMEOUT_MS = 30_000;

/** Posts a body once, unless `stopped` comes first. Never throws. */
export async function post(
  body: string | Uint8Array,
  { url, headers, timeoutMs = TIMEOUT_MS, fetch: send = fetch }: AttemptOptions,
  stopped: Promise<void>,
): Promise<DeliveryOutcome> {
  const controller = new AbortController();
  const { signal } = controller;
  const unanswered = (error: string): DeliveryOutcome => ({ answer: null, error });
  const answer = answerOf(send, url, {
    method: 'POST',
    headers: headersOf(headers),
    body: typeof body === 'string' ? body : new Uint8Array(body).buffer,
    redirect: 'manual',
    signal,
  });
  // Not every fetch heeds its signal.
  const outcome = await Promise.race([
    answer,
    systemClock.sleep(timeoutMs, signal).then(() => unanswered(`no answer within ${timeoutMs} ms`)),
    stopped.then(() => unanswered('stopped')),
  ]);
  // Ends the timer, or the request.
  controller.abort();
  return outcome;
}

/** Names in lower case: fetch would send `Content-Type` beside ours. */
function headersOf(given: AttemptOptions['headers'] = {}): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

async function answerOf(
  send: DeliveryFetch,
  url: string,
  request: DeliveryRequest,
): Promise<DeliveryOutcome> {
  try {
    const response = await send(url, request);
    return { answer: { status: response.status, body: await response.text() }, error: null };
  } catch (error) {
    return { answer: null, error: reasonOf(error) };
  }
}

/** The innermost cause: `fetch failed` says nothing, `connect ECONNREFUSED 127.0.0.1:3000` does. */
function reasonOf(error: unknown, depth = 0): string {
  const isError = error instanceof Error;
  // A few at most: an error may be its own cause.
  if (isError && error.cause !== undefined && depth < 10) return reasonOf(error.cause, depth + 1);
  // If several addresses refuse, Node's AggregateError has a code but no message.
  const code = isError && 'code' in error ? error.code : undefined;
  const reason = isError ? error.message || (code ?? error.name) : error;
  return String(reason).replace(/\s+/g, ' ');
}
