import { escapeUnprintable } from '../../parser/messages.js';
import { redactPathIn } from '../../shared/redact.js';
import { type DeliveryAttempt, deliver } from '../deliver.js';
import type { TestBody } from './events.js';
import type { HandlerTestsOptions } from './options.js';

export type Attempts = readonly DeliveryAttempt[];

/** Sends bodies at the same time, and as many copies of each. */
export async function sendAll(
  options: HandlerTestsOptions,
  bodies: readonly TestBody[],
  copies: number,
): Promise<Attempts> {
  const { headers, timeoutMs, fetch } = options;
  const deliveries = bodies.map(({ body, contentType: type }) => {
    const own = type === undefined ? headers : { ...headers, 'content-type': type };
    return deliver(body, { url: urlOf(options), headers: own, timeoutMs, fetch, copies });
  });
  return (await Promise.all(deliveries)).flatMap(({ attempts }) => attempts);
}

/**
 * A copy may fail while another one is in progress. So if one of several copies fails, the body is
 * sent once more, alone, and that answer counts instead.
 */
export async function sendAgainAlone(
  send: (copies: number) => Promise<Attempts>,
  copies: number,
): Promise<Attempts> {
  const attempts = await send(copies);
  if (copies === 1 || !attempts.some(isFailed)) return attempts;
  return [...attempts.filter((attempt) => !isFailed(attempt)), ...(await send(1))];
}

/** The status of an answer; 0 if there was none. */
export const statusOf = ({ answer }: DeliveryAttempt): number => answer?.status ?? 0;
export const isAccepted = ({ success }: DeliveryAttempt): boolean => success;
export const isFailed = (attempt: DeliveryAttempt): boolean => statusOf(attempt) >= 500;

/** Describes an answer by its status and its start, or says why there was none. */
export function describeAnswer(
  { answer, error }: DeliveryAttempt,
  options: HandlerTestsOptions,
): string {
  if (answer === null) return error;
  // The answer may quote the URL, which has the secret.
  const text = redactPathIn(answer.body, new URL(urlOf(options))).slice(0, 200);
  return `${answer.status} ${escapeUnprintable(text)}`.trim();
}

const urlOf = ({ url }: HandlerTestsOptions): string =>
  typeof url === 'function' ? url() : `${url}`;
