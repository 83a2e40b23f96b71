import type { NotificationError } from '../parser/errors.js';
import { messageOf } from '../shared/reports.js';
import { FAILED, type ReceiverAnswer, refusalOf } from './answer.js';
import type { LogEntry, Outcome } from './log.js';
import { inTime, nameOf, type Store } from './store.js';

/** Why a body isn't settled. */
export type Unsettled =
  | { readonly outcome: 'refused'; readonly error: NotificationError }
  | { readonly outcome: 'review' | 'retry'; readonly error: unknown };

interface Kept {
  readonly entry: LogEntry & { readonly outcome: Outcome };
  readonly answer: ReceiverAnswer;
  readonly name: string | null;
}

/**
 * Saves a body that isn't settled. If that fails, the body stays with its sender. Never rejects.
 *
 * @param body - Null if it was not read to its end, or not verified.
 * @param isRequest - Whether someone gets the answer.
 * @param success - The answer to a body for review.
 * @returns What to log and to answer, and the name under which the body is saved; null if it isn't.
 */
export async function keep(
  store: Store | null,
  unsettled: Unsettled,
  key: string | null,
  body: Uint8Array | null,
  isRequest: boolean,
  success: ReceiverAnswer,
): Promise<Kept> {
  const { outcome, error } = unsettled;
  const message = messageOf(error);
  const failed = (why: string, cause: unknown): Kept => ({
    entry: { outcome: 'failed', key, message: message + why, error: cause },
    answer: FAILED,
    name: null,
  });
  const kept = (name: string | null): Kept => ({
    entry: { outcome, key, message, error },
    answer: answerTo(unsettled, success),
    name,
  });
  if (body === null) return failed('', error);
  // An empty body is all in its message. A request that is answered with 400 has a sender.
  const isKnown = outcome === 'refused' && (body.length === 0 || (isRequest && store === null));
  if (isKnown) return kept(null);
  if (store === null) return failed('', error);
  try {
    const name = await nameOf(key ?? 'refused', body);
    const to = outcome === 'retry' ? 'retry' : 'review';
    await inTime('save', () => store.save({ to, name, body, key, reason: message }));
    return kept(name);
  } catch (cause) {
    return failed(`. The body was not saved: ${messageOf(cause)}`, cause);
  }
}

function answerTo({ outcome, error }: Unsettled, success: ReceiverAnswer): ReceiverAnswer {
  if (outcome === 'refused') return refusalOf(error);
  return outcome === 'review' ? success : FAILED;
}
