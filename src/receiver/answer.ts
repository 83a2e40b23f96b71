import type { NotificationError } from '../parser/errors.js';
import { describe, quote } from '../parser/quote.js';

/** An answer to the service. */
export interface ReceiverAnswer {
  /** The HTTP status, 200 to 599. The service doesn't document which ones count as success. */
  readonly status: number;
  /** Plain text, for logs. The service isn't known to read it. */
  readonly text: string;
}

/** Returns the default answer to a refused body. */
export function refusalOf({ issues }: NotificationError): ReceiverAnswer {
  const codes = new Set(issues.map(({ code }) => code));
  return { status: codes.has('body_too_large') ? 413 : 400, text: [...codes].join(', ') };
}

/** With these, `Response` and some servers throw if there is a text. */
const WITHOUT_TEXT = [204, 205, 304];

/**
 * Returns the answer for what a function returned, or the default one. Many functions return what
 * their last call returned, such as rows or the result of a queue's client: these have settled.
 *
 * @param name - The function, for errors.
 * @throws Error if a call has failed, such as `fetch`, which doesn't throw for a status of 500.
 * @throws TypeError if no server can send the answer.
 */
export function answerOf(
  name: string,
  returned: unknown,
  byDefault: ReceiverAnswer,
): ReceiverAnswer {
  if (typeof returned !== 'object' || returned === null) return byDefault;
  if (isAnswer(returned)) return checkAnswer(name, returned);
  const { ok, status } = returned as { ok?: unknown; status?: unknown };
  if (ok === false || (typeof status === 'number' && status >= 400)) {
    throw new Error(
      `${name}: expected a success, received a failed result with status ${quote(status)}. Return nothing, or { status, text }`,
    );
  }
  return byDefault;
}

/** Whether an object is plain and has a `status`, maybe a `text`, and nothing else. */
function isAnswer(returned: object): returned is Record<keyof ReceiverAnswer, unknown> {
  const prototype = Object.getPrototypeOf(returned);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const names = Object.keys(returned);
  return (
    isPlain &&
    names.includes('status') &&
    names.every((name) => name === 'status' || name === 'text')
  );
}

/** Checks an answer before a server throws while sending it. */
function checkAnswer(
  name: string,
  { status, text = '' }: Record<keyof ReceiverAnswer, unknown>,
): ReceiverAnswer {
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
  if (!isStatus || typeof text !== 'string') {
    throw new TypeError(
      `${name}: expected a status of 200 to 599 and a text, received ${quote(status)} and ${describe(text)}. Return { status, text }, or nothing for the default answer`,
    );
  }
  return { status: Number(status), text: WITHOUT_TEXT.includes(Number(status)) ? '' : text };
}
