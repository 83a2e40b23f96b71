import type { NotificationIssue } from '../parser/errors.js';
import { describe } from '../parser/messages.js';
import type { Deadline } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';
import type { Arrived, Event, Refused } from './arrive.js';
import type { Log, LogEntry, Outcome } from './log.js';
import { needsReviewIn } from './needs-review.js';
import { FUNCTION_OF, type ReceiverOptions } from './options.js';
import { type Store, storeName } from './store.js';

/** These functions save before they log, because a log may hang. None of them rejects. */
export interface Settling {
  /** @param savedAs - The name under which the body is in `progress`; null if it is new. */
  readonly event: (event: Event, deadline: Deadline, savedAs: string | null) => Promise<Outcome>;
  /** Moves an event to `review` whose function isn't called. */
  readonly review: (event: Event, reason: string, savedAs: string) => Promise<Outcome>;
  /**
   * @param savedAs - The name under which the body waits; null if it is new.
   * @param damage - What has happened to a body that waits; null if nothing has.
   */
  readonly refused: (
    refused: Refused,
    savedAs: string | null,
    damage: string | null,
  ) => Promise<Outcome>;
  /** For a body that was not read or not checked. There is nothing to save. */
  readonly lost: (arrived: Arrived & { kind: 'lost' }) => Promise<Outcome>;
  /** Whether a function of this event still runs, after its deadline. */
  readonly isRunning: (key: string) => boolean;
}

/** The outcome of a webhook. */
type Entry = LogEntry & { readonly outcome: Outcome };

export function createSettling(options: ReceiverOptions, store: Store | null, log: Log): Settling {
  const { onDepositReceived, onWithdrawalBroadcast } = options;
  /**
   * The keys of events whose function still runs after its deadline, one for each call. If repeats
   * were passed on, each would wait for the same lock, and together they would soon take all
   * connections to the database.
   */
  const running: string[] = [];
  const isRunning = (key: string) => running.includes(key);

  async function event(event: Event, deadline: Deadline, savedAs: string | null): Promise<Outcome> {
    const { notification, key } = event;
    const { warnings } = notification;
    let name = savedAs;
    let isSaved = savedAs !== null;
    try {
      const called = FUNCTION_OF[notification.type];
      if (isRunning(key)) throw new Error(`${called}: an earlier call for this event still runs`);
      if (store && name === null) {
        name = await deadline.before('store.save', storeName(key, event.body));
        isSaved = await deadline.before('store.save', saveFirst(store, name, event));
      }
      await call(called, event, deadline);
    } catch (error) {
      const review = needsReviewIn(error);
      const message = messageOf(review ?? error);
      const entry: Entry = { outcome: review ? 'review' : 'retry', key, message, error };
      return finish(await saveUnsettled(entry, message, event.body, name, isSaved), warnings);
    }
    if (name !== null && isSaved) await remove(name);
    // Removes what a failed save may have left. The log has a line of that failure already.
    else if (name !== null) store?.remove(name).catch(() => {});
    return finish({ outcome: 'settled', key, message: 'settled' }, warnings);
  }

  /** Returns whether the body is saved. If it isn't, its function is called all the same. */
  async function saveFirst(to: Store, name: string, { key, body }: Event): Promise<boolean> {
    try {
      await to.save({ to: 'progress', name, body, key, reason: '' });
      return true;
    } catch (error) {
      log({
        outcome: 'failed',
        key,
        message: `the webhook was not saved before its function was called: ${messageOf(error)}`,
        error,
      });
      return false;
    }
  }

  async function call(name: string, event: Event, deadline: Deadline): Promise<void> {
    const called = start(event);
    const returned = await deadline.before(name, called, () => {
      watch(called, name, event.key);
    });
    // Some clients return what failed, in place of throwing it. So no result is taken for success.
    if (returned !== undefined) {
      throw new TypeError(
        `${name}: expected no result, received ${describe(returned)}. Await it, look for its error, and return nothing`,
      );
    }
  }

  async function start({ notification, key, body }: Event): Promise<unknown> {
    // A copy, because the function may change the bytes, or transfer them to a worker.
    const context = { key, body: new Uint8Array(body) };
    // Neither the parser nor a round lets a type through that has no function.
    return notification.type === 'deposit.received'
      ? onDepositReceived?.(notification, context)
      : onWithdrawalBroadcast?.(notification, context);
  }

  /** Waits for a function that is late, so that its error is still logged. */
  async function watch(called: Promise<unknown>, name: string, key: string): Promise<void> {
    running.push(key);
    try {
      await called;
    } catch (error) {
      const message = `${name} failed after its deadline: ${messageOf(error)}`;
      log({ outcome: 'warning', key, message, error });
    } finally {
      running.splice(running.indexOf(key), 1);
    }
  }

  async function review({ key, body }: Event, reason: string, savedAs: string): Promise<Outcome> {
    const entry: Entry = { outcome: 'review', key, message: reason };
    return finish(await saveUnsettled(entry, reason, body, savedAs, true));
  }

  async function refused(
    { error, body, isRequest }: Refused,
    savedAs: string | null,
    damage: string | null,
  ): Promise<Outcome> {
    const reason = damage === null ? error.message : `${damage}: ${error.message}`;
    const message = savedAs === null ? reason : `${savedAs}: ${reason}`;
    const entry: Entry = { outcome: 'refused', key: null, message, error };
    // An empty body isn't saved: its message says all of it. Without a store, the sender of a
    // request still gets the refusal, but a queue would lose the body.
    const isKnown = body.length === 0 || (isRequest && store === null);
    const isSaved = savedAs !== null;
    return finish(
      isKnown && !isSaved ? entry : await saveUnsettled(entry, reason, body, savedAs, isSaved),
    );
  }

  /**
   * Saves a body that isn't settled.
   *
   * @param isSaved - Whether it is saved already, in another place.
   * @returns What to log: if saving fails, `failed`.
   */
  async function saveUnsettled(
    entry: Entry,
    reason: string,
    body: Uint8Array,
    savedAs: string | null,
    isSaved: boolean,
  ): Promise<Entry> {
    const { outcome, key, message } = entry;
    if (store === null) return { ...entry, outcome: 'failed' };
    try {
      const to = outcome === 'retry' ? 'retry' : 'review';
      const name = savedAs ?? (await storeName(key ?? 'refused', body));
      await store.save({ to, name, body, key, reason });
      return entry;
    } catch (error) {
      const what = isSaved ? 'stays where it is' : 'was not saved';
      const why = `. The webhook ${what}: ${messageOf(error)}`;
      return { outcome: 'failed', key, message: message + why, error };
    }
  }

  /** If it can't be removed, it waits, and is settled again: as if it were delivered twice. */
  async function remove(name: string): Promise<void> {
    try {
      await store?.remove(name);
    } catch (error) {
      const message = `${name} is settled, but not removed: ${messageOf(error)}`;
      log({ outcome: 'failed', key: null, message, error });
    }
  }

  /**
   * Platforms such as AWS Lambda freeze the process once it has answered. So the answer waits for
   * the log, unless the event is settled.
   */
  async function finish(
    entry: Entry,
    warnings: readonly NotificationIssue[] = [],
  ): Promise<Outcome> {
    const { outcome, key } = entry;
    for (const issue of warnings) log({ outcome: 'warning', key, message: issue.message, issue });
    const logged = log(entry);
    if (outcome !== 'settled') await logged;
    return outcome;
  }

  return {
    event,
    review,
    refused,
    lost: ({ error }) => finish({ outcome: 'failed', key: null, message: messageOf(error), error }),
    isRunning,
  };
}
