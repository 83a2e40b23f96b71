import { quote } from '../internal/quote.js';

/** An answer to the service. */
export interface ReceiverAnswer {
  /** The HTTP status, 200 to 599. The service doesn't document which ones count as success. */
  readonly status: number;
  /** Plain text, for logs. The service isn't known to read it. */
  readonly text: string;
}

/** With these, `Response` and some servers throw if there is a text. */
const WITHOUT_TEXT = [204, 205, 304];

/** Checks an answer before a server throws while sending it. */
export function checkAnswer({ status, text }: ReceiverAnswer): ReceiverAnswer {
  if (!Number.isInteger(status) || status < 200 || status > 599 || typeof text !== 'string') {
    const received = `${quote(status)} and ${quote(text)}`;
    throw new TypeError(
      `answer: expected a status of 200 to 599 and a text, received ${received}. Return { status, text }, or nothing for 200`,
    );
  }
  return { status, text: WITHOUT_TEXT.includes(status) ? '' : text };
}
