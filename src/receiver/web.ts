import { describe } from '../parser/messages.js';
import { drop, type ReceivedBody, readStream } from './bytes.js';
import type { ReceiverAnswer } from './options.js';

/** The global `Request`, or in a project without its type, the parts that a receiver uses. */
export type WebRequest = typeof globalThis extends { Request: { prototype: infer Own } }
  ? Own
  : {
      readonly method: string;
      readonly url: string;
      readonly headers: { get(name: string): string | null };
      readonly body: AsyncIterable<Uint8Array> | null;
      readonly bodyUsed: boolean;
    };

/** The global `Response`, or in a project without its type, some parts of it. */
export type WebResponse = typeof globalThis extends { Response: { prototype: infer Own } }
  ? Own
  : { readonly status: number; text(): Promise<string> };

/** Whether a request is a `Request` of the web, and not one of Node.js. */
export function isWebRequest(request: unknown): request is WebRequest {
  return typeof Object(Object(request).headers).get === 'function';
}

export async function readWebBody(request: WebRequest): Promise<ReceivedBody> {
  if (!isWebRequest(request)) {
    throw new TypeError(
      `fetch: expected a Request, received ${describe(request)}. In Express, Fastify, Koa, NestJS and node:http, mount receiver.node`,
    );
  }
  if (request.bodyUsed) {
    throw new Error(
      'body: expected an unread request, received one whose body was read. Call the receiver first, or read request.clone()',
    );
  }
  if (request.body === null) return { bytes: new Uint8Array(), mayLackBytes: false };
  return readStream(request.body);
}

/**
 * Answers a request. Drops what is left of its body, which may never end. If something has read the
 * body, or still reads it, this does nothing.
 */
export function answerWeb({ body }: WebRequest, answer: ReceiverAnswer): WebResponse {
  if (body) drop(() => body[Symbol.asyncIterator]());
  return toResponse(answer);
}

export function toResponse({ status, text }: ReceiverAnswer): WebResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text || null, { status, headers });
}
