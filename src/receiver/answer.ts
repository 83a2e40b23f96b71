import type { NotificationError } from '../parser/errors.js';
import { describe, quote } from '../parser/messages.js';

/** An answer to the service. */
export interface ReceiverAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Plain text, for logs. The service isn't known to read it. */
  readonly text: string;
}

export const FAILED: ReceiverAnswer = { status: 500, text: 'failed' };
export const NOT_FOUND: ReceiverAnswer = { status: 404, text: 'not found' };
export const UNAUTHORIZED: ReceiverAnswer = { status: 401, text: 'unauthorized' };
/** For a dashboard that checks the URL, a link preview, and someone who opens it. */
export const VISITED: ReceiverAnswer = {
  status: 200,
  text: 'This URL receives webhooks of the payment service. Each of them has a body.',
};

/** With these, `Response` and some servers throw if there is a text. */
const WITHOUT_TEXT = [204, 205, 304];

export function refusalOf({ issues }: NotificationError): ReceiverAnswer {
  const codes = new Set(issues.map(({ code }) => code));
  return { status: codes.has('body_too_large') ? 413 : 400, text: [...codes].join(', ') };
}

/**
 * Returns the answer to an event that is settled or saved for review.
 *
 * @throws TypeError if no server can send it.
 */
export function successOf(given: Partial<ReceiverAnswer> = {}): ReceiverAnswer {
  const { status = 200, text = 'ok' } = given;
  const canBeSent = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!canBeSent || typeof text !== 'string') {
    throw new TypeError(
      `success: expected a status of 200 to 599 and a text, received ${quote(status)} and ${describe(text)}`,
    );
  }
  return { status, text: WITHOUT_TEXT.includes(status) ? '' : text };
}

/**
 * Finds a call that has failed without throwing, such as `fetch` with a status of 500.
 *
 * @param name - The function, for the error.
 * @throws Error if the call has failed.
 */
export function checkReturned(name: string, returned: unknown): void {
  if (typeof returned !== 'object' || returned === null) return;
  const { ok, status, statusCode } = returned as Readonly<Record<string, unknown>>;
  const failed = [status, statusCode].find((code) => typeof code === 'number' && code >= 400);
  if (ok !== false && failed === undefined) return;
  throw new Error(
    `${name}: expected a success, received an object with ok ${quote(ok)} and status ${quote(failed ?? status ?? statusCode)}. Check response.ok, and throw`,
  );
}
