import type { ReceiverAnswer } from './answer.js';
import { readBytes } from './bytes.js';

/** The global `Request`, or in a project without its type, the parts that a receiver uses. */
export type WebRequest = typeof globalThis extends { Request: { prototype: infer Own } }
  ? Own
  : { readonly body: AsyncIterable<Uint8Array> | null; readonly bodyUsed: boolean };

/** The global `Response`, or in a project without its type, some parts of it. */
export type WebResponse = typeof globalThis extends { Response: { prototype: infer Own } }
  ? Own
  : { readonly status: number; text(): Promise<string> };

/** Statuses with which `Response` takes no text. */
const WITHOUT_BODY = [204, 205, 304];

/** Reads the body of a request. */
export async function readWebBody(request: WebRequest, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed) {
    throw new Error('the body was read before: call the receiver first, or pass a clone');
  }
  return request.body === null ? new Uint8Array() : readBytes(request.body, maxBytes);
}

export function toResponse({ status, text }: ReceiverAnswer): WebResponse {
  return new Response(WITHOUT_BODY.includes(status) ? null : text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
