import { quote } from '../internal/issues.js';

/** An answer to the service. */
export interface ReceiverAnswer {
  /** The HTTP status, 200 to 599. Which ones count as success is undocumented. */
  readonly status: number;
  /** Plain text, for logs: the service isn't known to read it. */
  readonly text: string;
}

/** Checks an answer before a server throws while sending it. */
export function checkAnswer({ status, text }: ReceiverAnswer): ReceiverAnswer {
  if (!Number.isInteger(status) || status < 200 || status > 599 || typeof text !== 'string') {
    throw new TypeError(
      `answer: expected a status of 200 to 599 and a text, received ${quote(status)} and ${quote(text)}`,
    );
  }
  return { status, text };
}
