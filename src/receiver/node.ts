import { isBytes } from '../internal/body.js';
import type { ReceiverAnswer } from './answer.js';
import { bytesOf, readBytes } from './bytes.js';

/** The parts of a Node.js request that a receiver uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly url?: string | undefined;
  /** The URL, if a router has cut off a part of `url`: in Express. */
  readonly originalUrl?: string | undefined;
  readonly readableDidRead: boolean;
  /** The raw body, if middleware has read it: from Firebase, or the `verify` option of `express.json`. */
  readonly rawBody?: unknown;
  /** The body, if middleware has read it: bytes from `express.raw`. */
  readonly body?: unknown;
  /** The request's own stream in HTTP/2, where other requests share the connection. */
  readonly stream?: { destroy(): unknown };
  destroy(): unknown;
}

/** The parts of a Node.js response that a receiver uses. */
export interface NodeResponse {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** Reads the body of a request, or takes the bytes that middleware has read. */
export async function readNodeBody(request: NodeRequest): Promise<Uint8Array> {
  const stop = () => (request.stream ?? request).destroy();
  if (!request.readableDidRead) return readBytes(request, stop);
  for (const body of [request.rawBody, request.body]) {
    if (isBytes(body)) return bytesOf(body);
  }
  throw new Error(
    'body: expected raw bytes, received a body that middleware has parsed. Mount the receiver above body parsers such as express.json()',
  );
}

/** Sends an answer, unless other middleware has, such as one for timeouts. */
export function sendNode(response: NodeResponse, { status, text }: ReceiverAnswer): void {
  if (response.headersSent) return;
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}
