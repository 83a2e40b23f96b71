import type { NotificationError } from '../parser/errors.js';
import { LATE, lateError, within } from '../shared/deadline.js';
import { messageOf } from '../shared/reports.js';
import { FAILED, type ReceiverAnswer, refusalOf } from './answer.js';
import type { LogEntry, Outcome } from './log.js';
import { nameOf, type Store } from './store.js';

/** How long a store may take, in milliseconds. A process that stops waits for it. */
const MAX_SAVING = 5000;

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
 * @param success - The answer to a body for review.
 * @returns What to log and to answer, and the name under which the body is saved; null if it isn't.
 */
export async function keep(
  store: Store | null,
  unsettled: Unsettled,
  key: string | null,
  body: Uint8Array | null,
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
  if (store === null) return outcome === 'refused' ? kept(null) : failed('', error);
  if (body.length === 0) return kept(null); // its sender has no more than this message says
  try {
    const name = await nameOf(key ?? 'refused', body);
    const to = outcome === 'retry' ? 'retry' : 'review';
    await inTime('store.save', () => store.save({ to, name, body, key, reason: message }));
    return kept(name);
  } catch (cause) {
    return failed(`. The body was not saved: ${messageOf(cause)}`, cause);
  }
}

function answerTo({ outcome, error }: Unsettled, success: ReceiverAnswer): ReceiverAnswer {
  if (outcome === 'refused') return refusalOf(error);
  return outcome === 'review' ? success : FAILED;
}

/** Calls a function of a store, and rejects if it takes too long. */
export async function inTime(name: string, call: () => Promise<unknown>): Promise<void> {
  const called = async () => call(); // it may throw without a promise
  if ((await within(MAX_SAVING, called())) === LATE) throw lateError(name, MAX_SAVING);
}
