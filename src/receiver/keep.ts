import type { NotificationError } from '../parser/errors.js';
import { escapeUnprintable } from '../parser/messages.js';
import { messageOf } from '../shared/thrown.js';
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

/** What is known about a body so far. */
export interface Known {
  key: string | null;
  /** Null until it is read to its end and verified. */
  body: Uint8Array | null;
  /** Whether a sender waits for the answer, unlike for a body from a queue or the store. */
  isRequest: boolean;
  /** The name under which it was in `retry` before. */
  savedAs: string | null;
  /** Whether it is known to be in `retry`. */
  isInRetry: boolean;
}

/** The name of a body whose event was known when it was saved. */
const OF_EVENT = /^(?:deposit|withdrawal)\./;

/**
 * Saves a body that isn't settled. If that fails, the body stays with its sender. Never rejects.
 *
 * @param success - The answer to a body for review.
 * @returns What to log and to answer, and the name under which the body is saved; null if it isn't.
 */
export async function keep(
  store: Store | null,
  unsettled: Unsettled,
  { key, body, isRequest, savedAs, isInRetry }: Known,
  success: ReceiverAnswer,
): Promise<Kept> {
  const { outcome, error } = unsettled;
  // A restored backup may have damaged a saved body. Its name is then all that is known of it.
  const damaged = outcome === 'refused' && OF_EVENT.test(savedAs ?? '') ? savedAs : null;
  const reason = messageOf(error);
  const message = damaged === null ? reason : `${damaged}: ${reason}`;
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
  // An empty body isn't saved: its message says all of it. Without a store, the sender still gets
  // the refusal.
  const isKnown = outcome === 'refused' && (body.length === 0 || (isRequest && store === null));
  if (isKnown && damaged === null) return kept(null);
  if (store === null) return failed('', error);
  try {
    const to = outcome === 'retry' ? 'retry' : 'review';
    const save = async () => {
      const name = damaged ?? (await nameOf(key ?? 'refused', body));
      await store.save({ to, name, body, key, reason: escapeUnprintable(reason) });
      return name;
    };
    return kept(await inTime('save', save));
  } catch (cause) {
    const what = isInRetry ? 'The body stays in retry' : 'The body was not saved';
    return failed(`. ${what}: ${messageOf(cause)}`, cause);
  }
}

function answerTo({ outcome, error }: Unsettled, success: ReceiverAnswer): ReceiverAnswer {
  if (outcome === 'refused') return refusalOf(error);
  return outcome === 'review' ? success : FAILED;
}
