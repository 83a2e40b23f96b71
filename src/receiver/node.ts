import { isBytes } from '../parser/body.js';
import { quote } from '../parser/messages.js';
import { NOT_FOUND } from './answer.js';
import { headerOf } from './arrive.js';
import { type ReceivedBody, readStream, receivedOf } from './bytes.js';
import type { ReceiverAnswer } from './options.js';
import { isWebRequest } from './web.js';

/** The parts of a Node.js request that a receiver uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The URL that was called, if a router has cut off a part of `url`: in Express. */
  readonly originalUrl?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly readableDidRead: boolean;
  /** Whether the stream was read to its end. */
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  /** The encoding that middleware has set with `setEncoding`. */
  readonly readableEncoding?: string | null | undefined;
  /**
   * The raw body, if middleware has read it: from Firebase, or the `verify` option of
   * `express.json`.
   */
  readonly rawBody?: unknown;
  /** The body, if middleware has read it: from `express.raw` or `express.text`. */
  readonly body?: unknown;
  /** The request's own stream in HTTP/2, where other requests share the connection. */
  readonly stream?: { destroy(): unknown };
  destroy(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as Node.js types it.
  once(event: string, listener: (...args: any[]) => void): unknown;
}

/** The parts of a Node.js response that a receiver uses. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
  destroy(): unknown;
}

/** Reads the body of a request, or takes the bytes or the text that middleware has read. */
export async function readNodeBody(request: NodeRequest): Promise<ReceivedBody> {
  if (isWebRequest(request)) {
    throw new TypeError(
      'node: expected a request of Node.js, received a Request. In Hono, Next.js, h3, Workers, Bun and Deno, use receiver.fetch',
    );
  }
  if (!request.readableDidRead) {
    checkEncoding(request);
    return readStream(request, () => (request.stream ?? request).destroy());
  }
  await waitForEnd(request);
  for (const body of [request.rawBody, request.body]) {
    if (isBytes(body)) return receivedOf(body);
    if (typeof body === 'string') {
      checkCharset(request);
      checkEncoding(request);
      return receivedOf(body);
    }
  }
  throw new Error(
    'body: expected raw bytes, received a body that middleware has parsed. Mount the receiver above body parsers such as express.json(), or keep the raw body with their option verify',
  );
}

/**
 * Waits until middleware has read the whole body. Until then, a `rawBody` that it collects is only
 * a part of the body, which the parser would refuse.
 *
 * @throws Error if the sender leaves first.
 */
function waitForEnd(request: NodeRequest): Promise<void> {
  // Some platforms pass an object that isn't a stream of Node.js.
  if (request.readableEnded !== false) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(new Error('body: expected a whole body, received an aborted request'));
    if (request.destroyed) fail();
    request.once('end', resolve);
    for (const event of ['close', 'error']) request.once(event, fail);
  });
}

/**
 * Middleware such as `express.text` decodes a body as its label says. If the label is wrong,
 * `café-1` becomes another account.
 */
function checkCharset(request: NodeRequest): void {
  const label = headerOf(request.headers, 'content-type')?.replace(/[\s"]/g, '');
  const charset = label?.match(/charset=([^;]+)/i)?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return;
  throw new Error(
    `body: expected raw bytes, received text that middleware has decoded from ${quote(charset)}. Mount the receiver above body parsers such as express.text()`,
  );
}

function checkEncoding({ readableEncoding }: NodeRequest): void {
  if (readableEncoding && readableEncoding !== 'utf8') {
    throw new Error(
      `body: expected raw bytes, received text in the encoding ${quote(readableEncoding)}. Remove request.setEncoding() from the middleware above the receiver`,
    );
  }
}

/** Sends an answer, unless other middleware has, such as one for timeouts. */
export function sendNode(response: NodeResponse, { status, text }: ReceiverAnswer): void {
  if (!response.headersSent) {
    response.statusCode = status;
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    // Nothing reads the body of a stranger, which may never end. So the connection closes.
    const isHttp2 = 'stream' in response; // has no connection header
    if (status === NOT_FOUND.status && !isHttp2) response.setHeader('connection', 'close');
    response.end(text);
  } else if (!response.writableEnded) {
    // Middleware has sent the status. If that is a success and this isn't, only a broken response
    // says so.
    if (response.statusCode < 400 && status >= 400) response.destroy();
    else response.end('');
  }
}
