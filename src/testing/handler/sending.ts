import { escapeUnprintable } from '../../parser/messages.js';
import { redactPathIn, SECRET_LENGTH } from '../../shared/redact.js';
import { type DeliverOptions, type DeliveryAttempt, deliver, sleep } from '../deliver.js';
import type { TestBody } from './events.js';
import type { HandlerTestsOptions } from './options.js';

export type Attempts = readonly DeliveryAttempt[];

/** The pause in a body that arrives in two parts. */
const PAUSE_MS = 20;

/** Sends bodies at the same time, and as many copies of each. */
export async function sendAll(
  options: HandlerTestsOptions,
  bodies: readonly TestBody[],
  copies: number,
): Promise<Attempts> {
  const { headers, timeoutMs, fetch } = options;
  const deliveries = bodies.map(({ body, contentType: type, secret, isParted }) => {
    const own = type === undefined ? headers : { ...headers, 'content-type': type };
    const url = urlOf(options, secret);
    const post = isParted ? fetchInParts : fetch;
    return deliver(body, { url, headers: own, timeoutMs, fetch: post, copies });
  });
  return (await Promise.all(deliveries)).flatMap(({ attempts }) => attempts);
}

/** Sends the bodies of an exchange, of each as many copies as `send` is told to. */
export type Sender = (
  send: (copies: number) => Promise<Attempts>,
  copies: number,
) => Promise<Attempts>;

/**
 * A copy may fail while another one is in progress. So if one of several copies fails, the body is
 * sent once more, alone, and that answer counts instead.
 */
export const sendAgainAlone: Sender = async (send, copies) => {
  const attempts = await send(copies);
  if (copies === 1 || !attempts.some(isFailed)) return attempts;
  return [...attempts.filter((attempt) => !isFailed(attempt)), ...(await send(1))];
};

/** The status of an answer; 0 if there was none. */
export const statusOf = ({ answer }: DeliveryAttempt): number => answer?.status ?? 0;
export const isAccepted = ({ success }: DeliveryAttempt): boolean => success;
export const isFailed = (attempt: DeliveryAttempt): boolean => statusOf(attempt) >= 500;

/**
 * Describes an answer by its status and its start, or says why there was none.
 *
 * @param url - Where the body was sent. The answer may quote it, and it has the secret.
 */
export function describeAnswer({ answer, error }: DeliveryAttempt, url: URL): string {
  if (answer === null) return error;
  const text = redactPathIn(answer.body, url).slice(0, 200);
  return `${answer.status} ${escapeUnprintable(text)}`.trim();
}

/** @param secret - Replaces the right one. */
export function urlOf(options: HandlerTestsOptions, secret?: string): string {
  const { url } = options;
  const right = typeof url === 'function' ? url() : `${url}`;
  if (secret === undefined) return right;
  const { origin, pathname, search } = new URL(right);
  return origin + (pathname + search).replace(secretOf(options), () => secret);
}

/** @throws TypeError if the URL has no secret. */
export function secretOf(options: HandlerTestsOptions): string {
  const { pathname, search } = new URL(urlOf(options));
  const path = pathname + search;
  const parts = path.split(/[/?&=]/).filter(({ length }) => length >= SECRET_LENGTH);
  const secret = options.secret ?? parts.at(-1);
  if (secret !== undefined && path.includes(secret)) return secret;
  const expected = options.secret
    ? 'the secret in its path or query'
    : `a secret of at least ${SECRET_LENGTH} characters in its path or query`;
  throw new TypeError(
    `url: expected ${expected}, so that nobody else can credit. If a proxy or a signature checks who calls, pass secret: null`,
  );
}

/** Like `fetch`, but sends a body in two parts, with a pause between them. */
const fetchInParts: NonNullable<DeliverOptions['fetch']> = (url, request) => {
  const { body: sent } = request;
  const bytes = typeof sent === 'string' ? new TextEncoder().encode(sent) : new Uint8Array(sent);
  const half = Math.trunc(bytes.length / 2);
  const body = new ReadableStream({
    async start(stream) {
      stream.enqueue(bytes.subarray(0, half));
      await sleep(PAUSE_MS);
      stream.enqueue(bytes.subarray(half));
      stream.close();
    },
  });
  const parted = { ...request, body, duplex: 'half' };
  return fetch(url, parted as RequestInit);
};
