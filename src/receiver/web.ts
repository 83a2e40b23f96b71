import type { ReceiverAnswer } from './answer.js';
import { readBytes } from './bytes.js';

/** The global `Request`, or in a project without its type, the parts that a receiver uses. */
export type WebRequest = typeof globalThis extends { Request: { prototype: infer Own } }
  ? Own
  : {
      readonly method: string;
      readonly url: string;
      readonly body: AsyncIterable<Uint8Array> | null;
      readonly bodyUsed: boolean;
    };

/** The global `Response`, or in a project without its type, some parts of it. */
export type WebResponse = typeof globalThis extends { Response: { prototype: infer Own } }
  ? Own
  : { readonly status: number; text(): Promise<string> };

/** Reads the body of a request. */
export async function readWebBody(request: WebRequest): Promise<Uint8Array> {
  if (request.bodyUsed) {
    throw new Error(
      'body: expected an unread request, received one that was read. Call the receiver first, or read a clone',
    );
  }
  return request.body === null ? new Uint8Array() : readBytes(request.body);
}

export function toResponse({ status, text }: ReceiverAnswer): WebResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text || null, { status, headers });
}
